#include "workspace/open_request.h"

#include <gtest/gtest.h>

#include "support/sketch.h"
#include "workspace/session_support.h"

namespace dlview::workspace {
namespace {

const profile::Profile& profile() {
  static const profile::Profile made = testing::random_profile({.seed = 5});
  return made;
}

SelectionRequest request(int64_t first, int64_t last) {
  SelectionRequest request;
  request.key_op = kKeyOp;
  request.iterations = {first, last};
  return request;
}

TEST(FileRequest, RejectsRangesBeyondTheEnd) {
  const auto chosen =
      file_request("a.sqlite", request(300, 400), EngineChoice::cpu).choose(profile());
  ASSERT_FALSE(chosen.ok());
  EXPECT_EQ(chosen.error().title, "The range reaches beyond the last iteration");
}

TEST(FileRequest, OpensAllIterationsWithANotice) {
  const auto chosen =
      file_request("a.sqlite", request(300, 400), EngineChoice::cpu, RangeBeyondEnd::opens_all)
          .choose(profile());
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ(chosen->selection.range.first, 0);
  EXPECT_GT(chosen->selection.range.last, 3);
  EXPECT_NE(chosen->notice.find("300:400"), std::string::npos) << chosen->notice;
}

TEST(FileRequest, RejectsUnknownMarkers) {
  SelectionRequest wrong = request(300, 400);
  wrong.key_op = "no such op";
  EXPECT_FALSE(file_request("a.sqlite", wrong, EngineChoice::cpu, RangeBeyondEnd::opens_all)
                   .choose(profile())
                   .ok());
}

TEST(RememberedRequest, IgnoresRememberedValuesThatAreGone) {
  const auto as_left =
      remembered_request("a.sqlite", request(1, 3), EngineChoice::cpu).choose(profile());
  ASSERT_TRUE(as_left.ok());
  EXPECT_EQ(as_left->selection.range, (aggregate::IterationRange{1, 3}));
  const auto gone =
      remembered_request("a.sqlite", request(300, 400), EngineChoice::cpu).choose(profile());
  ASSERT_TRUE(gone.ok());
  EXPECT_EQ(gone->selection, aggregate::default_selection(profile()));
  EXPECT_TRUE(gone->notice.empty());
}

TEST(RememberedRequest, RestoresFiltersTheFileHas) {
  SelectionRequest wanted = request(1, 3);
  wanted.filters = {{.kind = aggregate::FilterKind::op_type, .text = "conv2d"}};
  const auto as_left = remembered_request("a.sqlite", wanted, EngineChoice::cpu).choose(profile());
  ASSERT_TRUE(as_left.ok());
  EXPECT_EQ(as_left->selection.filters, wanted.filters);
  wanted.filters.front().text = "conv9d";
  const auto gone = remembered_request("a.sqlite", wanted, EngineChoice::cpu).choose(profile());
  ASSERT_TRUE(gone.ok());
  EXPECT_EQ(gone->selection, aggregate::default_selection(profile()));
}

TEST(FileRequest, IsRememberedUnderItsAbsolutePath) {
  EXPECT_EQ(file_request("/a/../b.sqlite", {}, EngineChoice::cpu).path, "/b.sqlite");
  EXPECT_EQ(file_request("b.sqlite", {}, EngineChoice::cpu).path.front(), '/');
}

TEST(ChooseSelection, RejectsFiltersWithUnknownValues) {
  using enum aggregate::FilterKind;
  const auto error = [](const aggregate::Filter& filter) {
    SelectionRequest request;
    request.filters = {filter};
    const auto chosen = choose_selection(profile(), request);
    return chosen ? base::Error{} : chosen.error();
  };
  EXPECT_EQ(error({.kind = op_type, .text = "conv2"}).advice, "Did you mean Conv2D or conv2d?");
  EXPECT_EQ(error({.kind = op, .text = "OP_1"}), base::Error{});
  EXPECT_EQ(error({.kind = op, .text = std::string(testing::kRandomKeyOp)}), base::Error{});
  EXPECT_EQ(error({.kind = direction, .text = "sideways"}).advice, "Valid values: bprop, fprop");
  EXPECT_EQ(error({.kind = group, .text = "/module/"}), base::Error{});
  EXPECT_FALSE(error({.kind = group, .text = "/modules/"}).advice.empty());
  EXPECT_EQ(error({.kind = kernel, .text = "_reduce"}), base::Error{});
  EXPECT_EQ(error({.kind = kernel, .text = "REDUCE"}).advice,
            "Did you mean _reduce or ncclDevKernel_AllReduce_Sum_f32_RING_LL?");
  EXPECT_EQ(error({.kind = device, .number = 4}), base::Error{});
  EXPECT_EQ(error({.kind = device, .number = 5}).advice, "Valid values: 0, 2, 4, 6");
  EXPECT_EQ(error({.kind = time, .window = {5, 1'000'000'000}}), base::Error{});
  EXPECT_FALSE(error({.kind = time, .window = {900'000'000, 1'000'000'000}}).advice.empty());
  EXPECT_EQ(error({.kind = eligible, .number = 1}), base::Error{});
}

TEST(ChooseSelection, AcceptsProcessOrThreadAsClock) {
  EXPECT_EQ(*parse_clock("144"), aggregate::Clock{144});
  EXPECT_EQ(*parse_clock("144:150"), (aggregate::Clock{144, 150}));
  EXPECT_EQ(to_text(aggregate::Clock{144, 150}), "144:150");
  for (const char* wrong : {"", "a", "144:", ":150", "144:150:1"}) {
    EXPECT_FALSE(parse_clock(wrong).ok()) << wrong;
  }
  SelectionRequest request;
  request.key_op = kKeyOp;
  const auto threads = aggregate::threads_of_key(profile(), kKeyOp);
  ASSERT_FALSE(threads.empty());
  request.clock = aggregate::Clock{threads[0].thread.process_id, threads[0].thread.thread_id};
  const auto chosen = choose_selection(profile(), request);
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ(chosen->cut.clock, request.clock);
  request.clock = aggregate::Clock{987654};
  const auto unknown = choose_selection(profile(), request);
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().advice.find(to_text(*chosen->cut.clock)), std::string::npos);
}

TEST(ChooseSelection, AcceptsMarkersAsThePickerShows) {
  testing::Sketch sketch;
  const auto fan = sketch.op("unassociated_cudaLaunchKernel/Fan1");
  const auto graph = sketch.op("unassociated_cudaGraphLaunch");
  for (int64_t i = 0; i < 3; ++i) {
    sketch.instance(fan, 100 * i + 10, 100 * i + 20);
    sketch.instance(graph, 100 * i + 30, 100 * i + 40);
  }
  const auto profile = sketch.finish();
  const auto choose = [&profile](const char* key_op) {
    SelectionRequest request;
    request.key_op = key_op;
    return choose_selection(*profile, request);
  };
  const auto kernel = choose("kernel Fan1");
  ASSERT_TRUE(kernel.ok());
  EXPECT_EQ(kernel->cut.key_op, "unassociated_cudaLaunchKernel/Fan1");
  const auto call = choose("calls of cudaGraphLaunch");
  ASSERT_TRUE(call.ok());
  EXPECT_EQ(call->cut.key_op, "unassociated_cudaGraphLaunch");
  EXPECT_EQ(choose("fan").error().advice, "Did you mean kernel Fan1?");
}

TEST(ChooseSelection, AcceptsAUniqueEndOfAPath) {
  testing::Sketch sketch;
  for (const char* name : {"/aten::lift", "/a/aten::to", "/b/aten::to"}) {
    const auto op = sketch.op(name);
    for (int64_t i = 0; i < 3; ++i) sketch.instance(op, 100 * i + 10, 100 * i + 20);
  }
  const auto profile = sketch.finish();
  SelectionRequest request;
  request.key_op = "aten::lift";
  const auto chosen = choose_selection(*profile, request);
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ(chosen->cut.key_op, "/aten::lift");
  request.key_op = "aten::to";
  EXPECT_FALSE(choose_selection(*profile, request).ok());
}

TEST(ChooseSelection, UsesTheNumberedStoredAggregation) {
  profile::Profile with_two = testing::random_profile({.seed = 5});
  const auto iterations = aggregate::cut_iterations(with_two, kStartCut);
  for (const int64_t last : {2, 4}) {
    profile::StoredAggregation stored;
    stored.key_op = kKeyOp;
    stored.last_iteration = last;
    for (std::size_t i = 0; i < iterations.rows.size(); ++i) {
      const auto& row = iterations.rows[i];
      stored.iterations.push_back({static_cast<int64_t>(i), row.start_ns, row.stop_ns});
    }
    with_two.stored_aggregations.push_back(stored);
  }
  SelectionRequest second;
  second.stored_index = 1;
  const auto chosen = choose_selection(with_two, second);
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ(chosen->cut, (aggregate::Cut{aggregate::CutKind::stored, kKeyOp, 1}));
  second.stored_index = 2;
  EXPECT_FALSE(choose_selection(with_two, second).ok());
}

}  // namespace
}  // namespace dlview::workspace
