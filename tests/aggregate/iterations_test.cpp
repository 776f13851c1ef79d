#include "aggregate/iterations.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "profile/builder.h"
#include "support/sketch.h"

namespace dlview::aggregate {
namespace {

using profile::InstanceIndex;
using profile::ProfileBuilder;
using profile::Row;

struct Span {
  int64_t start_ns, stop_ns;
  bool operator==(const Span&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Span& span) {
  return out << '[' << span.start_ns << ", " << span.stop_ns << ']';
}

// A run of one op "step" (id STEP_1) and one op "work", with given instances.
class StepRecording {
 public:
  StepRecording() {
    step_ = add_op("STEP_1", "step");
    work_ = add_op("WORK_1", "work");
  }
  StepRecording& step(Span span, int64_t process = 1, int64_t thread = 1) {
    return add(step_, span, process, thread);
  }
  StepRecording& work(Span span, int64_t process = 1, int64_t thread = 1) {
    return add(work_, span, process, thread);
  }
  StepRecording& range(const std::string& path, Span span, int64_t process = 1,
                       int64_t thread = 1) {
    builder_.add_user_range({.name = builder_.intern(path.substr(path.rfind('/') + 1)),
                             .path = builder_.intern(path),
                             .start_ns = span.start_ns,
                             .stop_ns = span.stop_ns,
                             .thread = builder_.intern_thread({process, thread})});
    return *this;
  }
  StepRecording& stored(profile::StoredAggregation aggregation) {
    builder_.stored_aggregations.push_back(std::move(aggregation));
    return *this;
  }
  profile::Profile profile() { return std::move(builder_).finish(); }

 private:
  Row add_op(const std::string& id, const std::string& name) {
    profile::OpRow op;
    op.id = builder_.intern(id);
    op.name = builder_.intern(name);
    return builder_.add_op(op);
  }
  StepRecording& add(Row op, Span span, int64_t process, int64_t thread) {
    profile::OpInstanceRow row;
    row.op = op;
    row.cpu_start_ns = span.start_ns;
    row.cpu_stop_ns = span.stop_ns;
    row.thread = builder_.intern_thread({process, thread});
    builder_.add_instance(row);
    return *this;
  }
  ProfileBuilder builder_;
  Row step_ = 0, work_ = 0;
};

std::vector<Span> spans(const profile::Profile& profile, CutKind kind, const std::string& key) {
  std::vector<Span> result;
  for (const Iteration& row : cut_iterations(profile, {kind, key, 0}).rows) {
    result.push_back({row.start_ns, row.stop_ns});
  }
  return result;
}

TEST(Iterations, AreOneWithoutAKeyOp) {
  const auto profile = StepRecording().work({100, 900}).profile();
  EXPECT_EQ(spans(profile, CutKind::start, ""), (std::vector<Span>{{0, 900}}));
  EXPECT_EQ(spans(profile, CutKind::start, "nonsense"), (std::vector<Span>{{0, 900}}));
  EXPECT_EQ(cut_iterations(profile, {CutKind::start, "nonsense", 0}).key_instances, 0);
}

TEST(Iterations, OfNKeyInstancesAreNPlusOne) {
  const auto profile = StepRecording().step({100, 110}).step({200, 220}).work({210, 900}).profile();
  EXPECT_EQ(spans(profile, CutKind::start, "step"),
            (std::vector<Span>{{0, 99}, {100, 199}, {200, 900}}));
  EXPECT_EQ(spans(profile, CutKind::end, "step"),
            (std::vector<Span>{{0, 110}, {111, 220}, {221, 900}}));
}

TEST(Iterations, CutByIdAsWellAsByName) {
  const auto profile = StepRecording().step({100, 110}).work({120, 900}).profile();
  EXPECT_EQ(spans(profile, CutKind::start, "STEP_1"), spans(profile, CutKind::start, "step"));
}

TEST(Iterations, OfARangeLoseNothingBetweenRanges) {
  const auto profile = StepRecording()
                           .work({0, 900})
                           .range("/train/tick", {100, 180})
                           .range("/train/tick", {200, 290})
                           .range("/train/tick", {300, 350})
                           .profile();
  for (const char* key : {"tick", "/train/tick"}) {
    EXPECT_EQ(spans(profile, CutKind::start, key),
              (std::vector<Span>{{100, 199}, {200, 299}, {300, 350}}));
    EXPECT_EQ(spans(profile, CutKind::end, key),
              (std::vector<Span>{{100, 180}, {181, 290}, {291, 350}}));
  }
  EXPECT_EQ(cut_iterations(profile, {CutKind::start, "tick", 0}).key_instances, 3);
}

TEST(Iterations, ExcludeInstancesOutsideAllNvtxRanges) {
  const auto profile = StepRecording()
                           .work({50, 120})
                           .work({150, 160})
                           .work({400, 500})
                           .range("/tick", {100, 180})
                           .range("/tick", {200, 290})
                           .profile();
  const auto rows = cut_iterations(profile, {CutKind::start, "tick", 0}).rows;
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(std::pair(rows[0].first_instance, rows[0].last_instance),
            std::pair(InstanceIndex{1}, InstanceIndex{2}));
  EXPECT_EQ(std::pair(rows[1].first_instance, rows[1].last_instance),
            std::pair(InstanceIndex{2}, InstanceIndex{2}));
}

TEST(Iterations, OfARangeFollowTheBusiestThreadAndItsOuterRanges) {
  const auto profile = StepRecording()
                           .work({0, 900})
                           .range("/tick", {100, 180}, 1, 1)
                           .range("/tick/tick", {110, 120}, 1, 1)
                           .range("/tick", {200, 290}, 1, 1)
                           .range("/tick", {150, 160}, 1, 2)
                           .profile();
  EXPECT_EQ(spans(profile, CutKind::start, "tick"), (std::vector<Span>{{100, 199}, {200, 290}}));
}

TEST(Iterations, OfARangeFollowTheThreadThatIsTheClock) {
  const auto profile = StepRecording()
                           .work({0, 900})
                           .range("/tick", {100, 180}, 1, 1)
                           .range("/tick", {200, 290}, 1, 1)
                           .range("/tick", {150, 160}, 1, 2)
                           .range("/tick", {400, 500}, 2, 7)
                           .profile();
  const auto rows = [&](const Clock& clock) {
    std::vector<Span> found;
    const Cut cut{.kind = CutKind::start, .key_op = "tick", .clock = clock};
    for (const Iteration& row : cut_iterations(profile, cut).rows) {
      found.push_back({row.start_ns, row.stop_ns});
    }
    return found;
  };
  EXPECT_EQ(rows({1}), (std::vector<Span>{{100, 199}, {200, 290}}));
  EXPECT_EQ(rows({1, 2}), (std::vector<Span>{{150, 160}}));
  EXPECT_EQ(rows({2}), (std::vector<Span>{{400, 500}}));
  EXPECT_EQ(threads_of_key(profile, "/tick"),
            (std::vector<KeyThread>{{{1, 1}, 2}, {{1, 2}, 1}, {{2, 7}, 1}}));
}

Iterations numbered(int64_t first, int64_t step) {
  testing::Sketch sketch;
  sketch.instance(sketch.op("op"), 0, 400);
  for (int64_t i = 0; i < 3; ++i) {
    sketch.user_range("/Loop/Step", 100 * i, 100 * i + 80, first + step * i);
  }
  return cut_iterations(*sketch.finish(), {CutKind::start, "Step", 0});
}

TEST(Iterations, OfNumberedRangesBearTheirNumbers) {
  const Iterations iterations = numbered(1000, 10);
  ASSERT_EQ(iterations.ranges.size(), 3U);
  EXPECT_EQ(iterations.ranges[1], (KeyRange{100, 180, 1010}));
  EXPECT_EQ(iterations.rows[1].duration_ns(), 99);
  EXPECT_EQ(range_label(iterations, 1), "Step 1,010");
  EXPECT_EQ(range_label(iterations, {0, 2}), "Step 1,000–1,020");
}

TEST(Iterations, ThatCountAsTheirRangesDoNeedNoLabel) {
  EXPECT_EQ(range_label(numbered(0, 1), 1), "");
  EXPECT_EQ(range_label(numbered(1, 1), 1), "Step 2");
}

TEST(Outside, IsWhatLiesBeforeTheFirstAndBehindTheLastIteration) {
  testing::Sketch sketch;
  const auto op = sketch.op("op");
  const std::pair<int64_t, int64_t> kernels[] = {{10, 40}, {50, 60}, {120, 180}, {320, 325}};
  for (const auto& [start, stop] : kernels)
    sketch.kernel(sketch.instance(op, start, start + 1), start, stop);
  sketch.user_range("/step", 100, 180);
  sketch.user_range("/step", 200, 300);
  const auto profile = sketch.finish();
  EXPECT_EQ(find_outside(*profile, cut_iterations(*profile, {CutKind::start, "step", 0})),
            (Outside{{100, 2, 40}, {25, 1, 5}, 4, 105}));
  EXPECT_EQ(find_outside(*profile, cut_iterations(*profile, {CutKind::start, "", 0})),
            (Outside{{}, {}, 4, 105}));
}

TEST(Iterations, LeaveOutAnEmptyFirstOrLastOne) {
  const auto at_zero = StepRecording().step({0, 50}).work({60, 100}).profile();
  EXPECT_EQ(spans(at_zero, CutKind::start, "step"), (std::vector<Span>{{0, 100}}));
  const auto at_end = StepRecording().work({0, 40}).step({50, 100}).profile();
  EXPECT_EQ(spans(at_end, CutKind::end, "step"), (std::vector<Span>{{0, 100}}));
}

TEST(Iterations, CountEqualBoundariesOnce) {
  const auto profile =
      StepRecording().step({100, 150}).step({100, 150}, 1, 2).work({0, 300}).profile();
  EXPECT_EQ(spans(profile, CutKind::start, "step"), (std::vector<Span>{{0, 99}, {100, 300}}));
  EXPECT_EQ(spans(profile, CutKind::end, "step"), (std::vector<Span>{{0, 150}, {151, 300}}));
}

TEST(Iterations, OfSeveralProcessesFollowTheBusiestThread) {
  const auto profile = StepRecording()
                           .step({100, 110}, 7, 1)
                           .step({200, 210}, 7, 1)
                           .step({150, 160}, 8, 2)
                           .work({0, 300}, 8, 2)
                           .profile();
  EXPECT_EQ(spans(profile, CutKind::start, "step"),
            (std::vector<Span>{{0, 99}, {100, 199}, {200, 300}}));
}

TEST(Iterations, OfATieFollowTheLowestProcess) {
  const auto profile =
      StepRecording().step({100, 110}, 9, 1).step({200, 210}, 4, 2).work({0, 300}, 4, 2).profile();
  EXPECT_EQ(spans(profile, CutKind::start, "step"), (std::vector<Span>{{0, 199}, {200, 300}}));
}

TEST(Iterations, HoldTheInstancesThatStartInThem) {
  const auto profile =
      StepRecording().work({10, 150}).step({100, 110}).work({199, 240}).step({200, 210}).profile();
  const auto rows = cut_iterations(profile, {CutKind::start, "step", 0}).rows;
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(std::pair(rows[0].first_instance, rows[0].last_instance),
            std::pair(InstanceIndex{0}, InstanceIndex{1}));
  EXPECT_EQ(std::pair(rows[1].first_instance, rows[1].last_instance),
            std::pair(InstanceIndex{1}, InstanceIndex{3}));
  EXPECT_EQ(std::pair(rows[2].first_instance, rows[2].last_instance),
            std::pair(InstanceIndex{3}, InstanceIndex{4}));
}

TEST(Iterations, OfAStoredAggregationAreTakenAsTheyAre) {
  profile::StoredAggregation stored;
  stored.key_op = "step";
  stored.iterations = {{0, 0, 120}, {1, 121, 300}};
  stored.first_iteration = 1;
  stored.last_iteration = 1;
  const auto profile = StepRecording().step({100, 110}).work({120, 300}).stored(stored).profile();
  EXPECT_EQ(spans(profile, CutKind::stored, "step"), (std::vector<Span>{{0, 120}, {121, 300}}));
  EXPECT_EQ(recognize_cut(profile, 0).kind, CutKind::stored);
  EXPECT_EQ(default_selection(profile),
            (Selection{{CutKind::stored, "step", 0}, IterationRange{1, 1}}));
}

TEST(Iterations, OfAStoredAggregationAreRecognizedByTheirRule) {
  profile::StoredAggregation by_start, by_end;
  by_start.key_op = by_end.key_op = "step";
  by_start.iterations = {{0, 0, 99}, {1, 100, 300}};
  by_end.iterations = {{0, 0, 110}, {1, 111, 300}};
  const auto profile =
      StepRecording().step({100, 110}).work({120, 300}).stored(by_start).stored(by_end).profile();
  EXPECT_EQ(recognize_cut(profile, 0), (Cut{CutKind::start, "step", 0}));
  EXPECT_EQ(recognize_cut(profile, 1), (Cut{CutKind::end, "step", 1}));
}

TEST(IterationRange, IsClampedIntoTheRun) {
  EXPECT_EQ(clamp_range({-3, 99}, 10), (IterationRange{0, 9}));
  EXPECT_EQ(clamp_range({7, 4}, 10), (IterationRange{7, 7}));
  EXPECT_EQ(clamp_range({20, 30}, 10), (IterationRange{9, 9}));
  EXPECT_EQ(clamp_range({0, 0}, 1), (IterationRange{0, 0}));
}

}  // namespace
}  // namespace dlview::aggregate
