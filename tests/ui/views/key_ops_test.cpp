#include "ui/views/iterations/key_ops.h"

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/key_names.h"
#include "support/sketch.h"
#include "ui/chart/iteration_marker.h"

namespace dlview::ui {
namespace {

std::vector<KeyOpRow> rows_of(const profile::Profile& profile) {
  return prepare_key_ops(profile, aggregate::rank_key_ops(profile));
}

std::vector<std::string> keys_of(const std::vector<const KeyOpRow*>& rows) {
  std::vector<std::string> keys;
  for (const KeyOpRow* row : rows) keys.push_back(row->key);
  return keys;
}

// "step" every 100 ns, "layer" twice in each, two ops called "same".
std::shared_ptr<const profile::Profile> sketch_of_three() {
  testing::Sketch sketch;
  const auto step = sketch.op("step");
  const auto layer = sketch.op("net/Layer");
  const profile::Row same[] = {sketch.op("same"), sketch.op("same")};
  for (int i = 0; i < 10; ++i) {
    sketch.instance(step, 100 * i, 100 * i + 5);
    sketch.instance(layer, 100 * i + 10, 100 * i + 15);
    sketch.instance(layer, 100 * i + 20, 100 * i + 25);
    sketch.instance(same[i % 2], 100 * i + 40, 100 * i + 45);
  }
  return sketch.finish();
}

TEST(KeyOps, CutAtTheNameUnlessSeveralOpsHaveIt) {
  const auto profile = sketch_of_three();
  const auto rows = rows_of(*profile);
  const auto listed = list_key_ops(rows, "", {}, "");
  const auto keys = keys_of(listed);
  EXPECT_EQ(keys[1], "step") << "behind the run in one piece, which is how it is cut";
  EXPECT_NE(std::find(keys.begin(), keys.end(), "net/Layer"), keys.end());
  EXPECT_NE(std::find(keys.begin(), keys.end(), "OP_3"), keys.end());
  EXPECT_NE(std::find(keys.begin(), keys.end(), "OP_4"), keys.end());
}

TEST(KeyOps, TheSearchLooksAtNamesAndIdsWhateverTheCase) {
  const auto rows = rows_of(*sketch_of_three());
  EXPECT_EQ(keys_of(list_key_ops(rows, "LAY", {}, "")), std::vector<std::string>{"net/Layer"});
  EXPECT_EQ(keys_of(list_key_ops(rows, "op_4", {}, "")), std::vector<std::string>{"OP_4"});
  EXPECT_TRUE(list_key_ops(rows, "nosuch", {}, "").empty());
}

TEST(KeyOps, EndWithTheRunInOnePieceWhichIsFirstWhereNothingCuts) {
  const auto rows = rows_of(*sketch_of_three());
  EXPECT_EQ(rows.back().key, "");
  EXPECT_EQ(list_key_ops(rows, "", {}, "step").back(), &rows.back());
  EXPECT_EQ(list_key_ops(rows, "", {}, "").front(), &rows.back());
  EXPECT_EQ(keys_of(list_key_ops(rows, "none", {}, "step")), std::vector<std::string>{""});
}

TEST(KeyOps, SortByAnyColumnWithTheCurrentOneFirst) {
  const auto rows = rows_of(*sketch_of_three());
  const auto first = [&](KeyOpColumn column, bool descending, const char* current) {
    const bool is_cut = *current != '\0';  // else the run in one piece stands first
    return list_key_ops(rows, "", {column, descending}, current)[is_cut ? 0 : 1]->key;
  };
  EXPECT_EQ(first(KeyOpColumn::instances, true, ""), "net/Layer");
  EXPECT_EQ(first(KeyOpColumn::name, false, ""), "net/Layer");
  EXPECT_EQ(first(KeyOpColumn::name, true, ""), "step");
  EXPECT_EQ(first(KeyOpColumn::instances, true, "OP_3"), "OP_3");
  EXPECT_EQ(first(KeyOpColumn::instances, true, "OP_1"), "step");  // the same op by its id
}

TEST(KeyOps, AnotherCutKeepsTheRangeAnotherKeyOpDoesNot) {
  const auto profile = sketch_of_three();
  const aggregate::Selection current{{aggregate::CutKind::start, "step", 0},
                                     {3, 7},
                                     {{.kind = aggregate::FilterKind::eligible, .number = 1}}};
  aggregate::Cut cut = current.cut;
  cut.kind = aggregate::CutKind::end;
  EXPECT_EQ(selection_of(*profile, cut, current).range, (aggregate::IterationRange{3, 7}));
  cut.key_op = "net/Layer";
  const aggregate::Selection other = selection_of(*profile, cut, current);
  EXPECT_EQ(other.range.first, 0);
  EXPECT_GT(other.range.last, 1'000'000);
  EXPECT_EQ(other.filters, current.filters);
}

TEST(KeyOps, AStoredCutOfAnotherKeyOpShowsWhatWasAggregated) {
  testing::Sketch sketch;
  sketch.instance(sketch.op("step"), 0, 10);
  profile::StoredAggregation stored;
  stored.key_op = "other";
  stored.first_iteration = 5;
  stored.last_iteration = 9;
  sketch.stored(stored);
  const auto profile = sketch.finish();
  const aggregate::Selection current{{aggregate::CutKind::start, "step", 0}, {0, 1}};
  EXPECT_EQ(selection_of(*profile, {aggregate::CutKind::stored, "other", 0}, current).range,
            (aggregate::IterationRange{5, 9}));
}

SingleIterationNote note_for(std::shared_ptr<const profile::Profile> profile,
                             const std::string& key_op) {
  const auto aggregation = aggregate::make_cpu_aggregator(profile)->aggregate(
      {{aggregate::CutKind::start, key_op, 0}, {0, 1000}});
  return prepare_single_iteration(*profile, aggregation);
}

TEST(KeyOps, ARunThatIsNotCutSaysWhyAndWhatToDo) {
  testing::Sketch sketch;
  const auto step = sketch.op("step");
  sketch.instance(step, 10, 20);
  sketch.instance(step, 30, 40);
  sketch.instance(step, 50, 60);
  const auto profile = sketch.finish();
  EXPECT_EQ(note_for(profile, "").reason, "The run is not split: no iteration marker is set.");
  EXPECT_EQ(note_for(profile, "nosuch").reason,
            "The run is not split: no op, NVTX range or annotation is named nosuch.");
  EXPECT_TRUE(note_for(profile, "nosuch").advice.starts_with("Choose an iteration marker"));
  EXPECT_TRUE(note_for(profile, "step").reason.empty());
}

TEST(KeyOps, AFileInWhichEveryOpRanOnceSaysSo) {
  testing::Sketch sketch;
  sketch.instance(sketch.op("only"), 10, 20);
  EXPECT_TRUE(note_for(sketch.finish(), "").advice.starts_with("No op ran three times"));
}

TEST(KeyOps, ATraceOfOneStepSaysToRecordMore) {
  testing::Sketch sketch;
  const auto layer = sketch.op("layer");
  for (int i = 0; i < 3; ++i) sketch.instance(layer, 10 * i, 10 * i + 5);
  sketch.user_range("/ProfilerStep", 0, 30, 6);
  auto profile = std::make_shared<profile::Profile>(*sketch.finish());
  EXPECT_TRUE(note_for(profile, "").advice.starts_with("Choose an iteration marker"));
  profile->trace.emplace().capture.recorder = profile::Recorder::pytorch_profiler;
  EXPECT_TRUE(note_for(profile, "").advice.starts_with("Record several steps in one trace"));
}

// "step" four times in process 1, five times in process 2.
aggregate::Aggregation two_processes(const std::optional<aggregate::Clock>& clock,
                                     std::shared_ptr<const profile::Profile>& profile) {
  testing::Sketch sketch;
  const auto step = sketch.op("step");
  for (int i = 0; i < 4; ++i) sketch.instance(step, 100 * i, 100 * i + 5, {1, 10});
  for (int i = 0; i < 5; ++i) sketch.instance(step, 100 * i + 50, 100 * i + 55, {2, 20});
  profile = sketch.finish();
  const aggregate::Cut cut{.kind = aggregate::CutKind::start, .key_op = "step", .clock = clock};
  return aggregate::make_cpu_aggregator(profile)->aggregate({cut, {0, 0}});
}

TEST(Clocks, AreTheProcessesInWhichTheKeyOpRuns) {
  std::shared_ptr<const profile::Profile> profile;
  const auto busiest = two_processes(std::nullopt, profile);
  const auto clocks = prepare_clocks(*profile, busiest);
  ASSERT_EQ(clocks.size(), 2u);
  EXPECT_EQ(clocks[0].label, "1");
  EXPECT_FALSE(clocks[0].is_current);
  EXPECT_EQ(clocks[1].id, "2:20");
  EXPECT_TRUE(clocks[1].is_current);
  const auto other = two_processes(aggregate::Clock{1}, profile);
  EXPECT_TRUE(prepare_clocks(*profile, other)[0].is_current);
}

TEST(Clocks, CannotBeChosenWhereAllInstancesCut) {
  const auto profile = sketch_of_three();
  const auto aggregation = aggregate::make_cpu_aggregator(profile)->aggregate(
      {{aggregate::CutKind::start, "step", 0}, {0, 0}});
  EXPECT_TRUE(prepare_clocks(*profile, aggregation).empty());
}

TEST(KeyOps, ReadAsKernelsAndCallsWhereNoRangeNamesThem) {
  EXPECT_EQ(aggregate::readable_key("unassociated_cudaLaunchKernel/gemm"), "kernel gemm");
  EXPECT_EQ(aggregate::readable_key("unassociated_cudaMemcpy"), "calls of cudaMemcpy");
  EXPECT_EQ(aggregate::readable_key("/step"), "/step");
}

}  // namespace
}  // namespace dlview::ui
