#include "workspace/state_string.h"

#include <gtest/gtest.h>

namespace dlview::workspace {
namespace {

using aggregate::CutKind;

TEST(StateString, HoldsTheTwoIterationsThatAreCompared) {
  const std::string text = state_string("iterations", {}, {}, {57, 112});
  EXPECT_NE(text.find(",iteration=57,against=112"), std::string::npos);
  const auto parsed = parse_state(text);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->compared, (IterationPair{57, 112}));
  EXPECT_EQ(parse_state("against=3")->compared, (IterationPair{std::nullopt, 3}));
  EXPECT_FALSE(parse_state("iteration=x"));
}

TEST(StateString, HoldsTheFileToCompareWith) {
  const OtherFile with{.path = "new run,2.sqlite", .range = {{6, 66}}, .is_before = true};
  const std::string text = state_string("compare", {}, {}, {}, false, {}, with);
  EXPECT_NE(text.find(",with=new%20run%2C2.sqlite,with-range=6:66,with-as=before"),
            std::string::npos)
      << text;
  ASSERT_TRUE(parse_state(text));
  EXPECT_EQ(parse_state(text)->with, with);
  EXPECT_EQ(parse_state("with=b.sqlite")->with, OtherFile{.path = "b.sqlite"});
  EXPECT_FALSE(parse_state("view=ops")->with);
  for (const char* const damaged :
       {"with-range=1:2", "with=", "with=a,with-range=2:1", "with=a,with-as=both", "without=a"}) {
    EXPECT_FALSE(parse_state(damaged)) << damaged;
  }
}

TEST(StateString, SaysThatTensorCoresCountByThePresentRules) {
  EXPECT_EQ(state_string("ops", {}).find("tensor-cores"), std::string::npos);
  const auto parsed = parse_state(state_string("ops", {}, {}, {}, true));
  ASSERT_TRUE(parsed);
  EXPECT_TRUE(parsed->present_rules);
  EXPECT_FALSE(parse_state("tensor-cores=stored")->present_rules);
  EXPECT_FALSE(parse_state("tensor-cores=maybe"));
}

TEST(StateString, HoldsTheTimeThatTheTimelineShows) {
  const timeline::TimeWindow window{36'000'000'000'001, 217};
  const std::string text =
      state_string("timeline", {}, {}, {}, false,
                   {.window = window, .iteration = {}, .colors = timeline::ColorBy::op_type});
  EXPECT_NE(text.find(",time=36000000000001:36000000000218"), std::string::npos) << text;
  const auto request = parse_state(text);
  ASSERT_TRUE(request.ok());
  EXPECT_EQ(request->timeline.window, window);
  EXPECT_FALSE(parse_state("time=7:3").ok());
}

TEST(StateString, IsOneWordThatNeedsNoQuoting) {
  const aggregate::Selection selection{{CutKind::end, "net/conv, \"1\" & é", 0}, {50, 100}};
  const std::string text = state_string("iterations", selection);
  EXPECT_EQ(text.find_first_of(" \"'&$\\;()"), std::string::npos) << text;
  EXPECT_TRUE(text.starts_with("view=iterations,range=50:100,cut=end,key-op=net/conv%2C%20"))
      << text;
}

TEST(StateString, BringsBackWhatItWasMadeFrom) {
  const aggregate::Selection with_key_op{{CutKind::end, "a,b=c%d /é", 0}, {50, 100}};
  const aggregate::Selection uncut{{CutKind::start, "", 0}, {0, 0}};
  const aggregate::Selection stored{{CutKind::stored, "key", 2}, {3, 4}};
  const aggregate::Cut by_thread{
      .kind = CutKind::start, .key_op = "key", .clock = aggregate::Clock{144, 150}};
  const aggregate::Selection clocked{by_thread, {1, 2}};
  const aggregate::Cut by_gpu{
      .kind = CutKind::end, .key_op = "key", .split_by = aggregate::SplitBy::gpu};
  const aggregate::Selection on_gpu{by_gpu, {1, 2}};
  for (const aggregate::Selection& selection : {with_key_op, uncut, stored, clocked, on_gpu}) {
    for (const char* const view : {"dashboard", "iterations"}) {
      const auto parsed = parse_state(state_string(view, selection));
      ASSERT_TRUE(parsed.ok());
      SelectionRequest expected = request_of(selection);
      expected.view = view;
      EXPECT_EQ(*parsed, expected);
    }
  }
}

TEST(StateString, OfEarlierVersionsSplitsByTheHost) {
  EXPECT_EQ(parse_state("cut=start,key-op=step")->split_by, aggregate::SplitBy::host);
  EXPECT_EQ(parse_state("cut=start,key-op=step,split-by=gpu")->split_by, aggregate::SplitBy::gpu);
  EXPECT_EQ(parse_state("view=ops")->split_by, std::nullopt);
  EXPECT_FALSE(parse_state("split-by=cpu"));
}

TEST(StateString, CarriesEveryKindOfFilter) {
  using enum aggregate::FilterKind;
  const aggregate::Selection selection{{CutKind::start, "step", 0},
                                       {1, 2},
                                       aggregate::canonical({
                                           {.kind = op, .text = "net/a,b:c=d %é"},
                                           {.kind = op_type, .text = "conv2d"},
                                           {.kind = op_type, .text = ""},
                                           {.kind = group, .text = "/module/net::forward/"},
                                           {.kind = direction, .text = "bprop"},
                                           {.kind = eligible, .number = 1},
                                           {.kind = kernel, .text = "elementwise kernel<4>"},
                                           {.kind = device, .number = 3},
                                           {.kind = tensor_core, .number = 0},
                                           {.kind = time, .window = {1000, 2'000'000}},
                                       })};
  ASSERT_EQ(selection.filters.size(), 10u);
  const std::string text = state_string("dashboard", selection);
  EXPECT_EQ(text.find_first_of(" \"'&$\\;()<>"), std::string::npos) << text;
  EXPECT_NE(text.find(",only=op_type:conv2d,"), std::string::npos) << text;
  const auto parsed = parse_state(text);
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->filters, selection.filters);
}

TEST(StateString, CarriesWhatWasDoneToTables) {
  const std::vector<TableState> tables{
      {"ops",
       {"a b,c=d",
        {{"gpu_time", ">1ms"}, {"op_node_name", "/conv[12],\\d=/"}},
        {{"op_node_type", report::SortDirection::ascending},
         {"gpu_time", report::SortDirection::descending}}},
       "CONV2D_1"},
      {"kernels", {}, "gemm <f16>"}};
  const std::string text = state_string("ops", {}, tables);
  EXPECT_EQ(text.find_first_of(" \"'&$\\;()<>"), std::string::npos) << text;
  const auto parsed = parse_state(text);
  ASSERT_TRUE(parsed.ok()) << base::to_text(parsed.error());
  EXPECT_EQ(parsed->tables, tables);
}

TEST(StateString, MayLeaveOutAnyPart) {
  const auto nothing = parse_state("");
  ASSERT_TRUE(nothing.ok());
  EXPECT_EQ(*nothing, SelectionRequest{});
  const auto range = parse_state("range=7");
  ASSERT_TRUE(range.ok());
  EXPECT_EQ(range->iterations, (aggregate::IterationRange{7, 7}));
  EXPECT_FALSE(range->view || range->cut || range->key_op);
}

TEST(StateString, SaysWhatItDoesNotUnderstand) {
  for (const char* text :
       {"nonsense", "color=red", "range=9:3", "cut=sideways", "key-op=%4", "key-op=%zz",
        "stored=first", "only=op", "only=color:red", "only=device:x"}) {
    const auto parsed = parse_state(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_FALSE(parsed.error().advice.empty()) << text;
  }
}

}  // namespace
}  // namespace dlview::workspace
