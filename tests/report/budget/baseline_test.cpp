#include "report/budget/baseline.h"

#include <random>
#include <regex>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dlview::report::budget {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Baseline example() {
  RunFacts facts{"run1.sqlite",
                 "0123456789abcdef",
                 {{"NVIDIA H100", 8}},
                 "9.0",
                 "PyTorch 2.5",
                 "12.4",
                 "535.129",
                 "",
                 "step",
                 "gpu",
                 "start",
                 300};
  Baseline baseline{"baseline.json", "2026-11-28T21:40:00Z", "0.1.0", "faster \"loader\"",
                    "steady",        {facts, facts},         {}};
  baseline.captures[1].file = "run2 µ.sqlite";
  std::mt19937_64 random(1);
  std::vector<int64_t> samples(kMostSamples);
  for (int64_t& sample : samples) sample = static_cast<int64_t>(random() % 1'000'000'000);
  baseline.budgets = {{"step \"samples\": [1] time",
                       "iteration_duration",
                       Statistic::median,
                       {},
                       {{305, 300, samples}, {306, 300, {1, 2, 3}}}},
                      {"busy",
                       "gpu_utilization",
                       Statistic::p5,
                       {"op=a,b", "group=/x/"},
                       {{80'123'456, 2, {80'123'456, 1}}}},
                      {"findings", "findings", Statistic::range, {}, {}}};
  return baseline;
}

std::string json_of(const Baseline& baseline) {
  std::ostringstream out;
  write_baseline(baseline, out);
  return out.str();
}

TEST(Baseline, ReadsBackAsItWasWritten) {
  const Baseline written = example();
  const auto read = parse_baseline(json_of(written), "baseline.json");
  ASSERT_TRUE(read.ok()) << base::to_text(read.error());
  EXPECT_EQ(*read, written);
  EXPECT_EQ(json_of(*read), json_of(written));
  EXPECT_EQ(read->find("busy")->of, Statistic::p5);
  EXPECT_EQ(read->find("step"), nullptr);
}

TEST(Baseline, KeepsNamesIfABudgetNeedsThem) {
  Baseline written = example();
  EXPECT_THAT(json_of(written), Not(HasSubstr("names")));
  EXPECT_FALSE(parse_baseline(json_of(written), "b")->names);
  written.names = {{"/a", "/blocks.#.attn"}, {"gemm \"x\""}, {}};
  const auto read = parse_baseline(json_of(written), "baseline.json");
  ASSERT_TRUE(read.ok()) << base::to_text(read.error());
  EXPECT_EQ(*read, written);
  std::string text = json_of(written);
  text.replace(text.find("\"kernels\""), 9, "\"kernel\"");
  EXPECT_EQ(parse_baseline(text, "b").error().detail, "b: names: \"kernels\" is missing");
}

// Fit for a repository: 200 samples in a line, two captures of three budgets.
TEST(Baseline, IsSmall) {
  EXPECT_LT(json_of(example()).size(), 5000U);
}

TEST(Baseline, PointsToWhatIsWrong) {
  const auto detail = [](const std::string& from, const std::string& to) {
    std::string text = json_of(example());
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    const auto read = parse_baseline(text, "baseline.json");
    EXPECT_FALSE(read.ok()) << to;
    return read ? "" : read.error().detail;
  };
  EXPECT_EQ(detail("\"value\": 306", "\"value\": \"x\""),
            "baseline.json: budgets[0].captures[1].value: not a number");
  EXPECT_EQ(detail("\"value\": 306", "\"valu\": 306"),
            "baseline.json: budgets[0].captures[1]: \"value\" is missing");
  EXPECT_EQ(detail("\"value\": 306", "\"value\": 1e300"),
            "baseline.json: budgets[0].captures[1].value: too large");
  EXPECT_EQ(detail("\"dlview_baseline\": 1", "\"dlview_baseline\": 2"),
            "baseline.json: dlview_baseline: made by another version of dlview");
  EXPECT_EQ(detail("\"metric\": \"findings\"", "\"metric\": \"finding\""),
            "baseline.json: budgets[2].metric: unknown metric");
  EXPECT_EQ(detail("\"name\": \"busy\"", "\"name\": \"findings\""),
            "baseline.json: budgets[2]: a second one of the name");
  EXPECT_EQ(detail("\"iterations\": 300", "\"iterations\": -3"),
            "baseline.json: captures[0].iterations: not a whole number");
  EXPECT_EQ(detail("{", "["), "baseline.json: not JSON");
}

TEST(Baseline, EndsForEachTruncation) {
  const std::string text = json_of(example());
  for (std::size_t size = 0; size + 2 < text.size(); size += 7) {
    EXPECT_FALSE(parse_baseline(text.substr(0, size), "b").ok()) << size;
  }
  EXPECT_FALSE(parse_baseline(std::string(200'000, '['), "b").ok());
}

TEST(RunFacts, NeedsAreMetByPatterns) {
  BudgetFile file;
  file.path = "budget.toml";
  const RunFacts facts = example().captures.front();
  const auto unmet = [&](Need::Fact fact, const char* pattern) {
    file.needs = {{fact, pattern, {6, 3}}};
    return unmet_need(file, facts);
  };
  EXPECT_EQ(unmet(Need::Fact::gpu, "NVIDIA H100*"), "");
  EXPECT_EQ(unmet(Need::Fact::gpus, "8"), "");
  EXPECT_EQ(unmet(Need::Fact::compute_capability, "9.*"), "");
  EXPECT_EQ(unmet(Need::Fact::framework, "PyTorch*"), "");
  EXPECT_EQ(unmet(Need::Fact::cuda, "12.4"), "");
  EXPECT_EQ(unmet(Need::Fact::driver, "535*"), "");
  EXPECT_EQ(unmet(Need::Fact::gpus, "4"),
            "the file needs gpus = 4, the run has 8 (budget.toml:6:3)");
  EXPECT_THAT(unmet(Need::Fact::gpu, "NVIDIA A100*"), HasSubstr("8 x NVIDIA H100"));
}

TEST(RunFacts, OfOldBaselinesHaveNoSplit) {
  std::string text = json_of(example());
  for (const char* key : {"split_by", "boundary"}) {
    text = std::regex_replace(text, std::regex(fmt::format("\\s*\"{}\": \"\\w+\",", key)), "");
  }
  const auto old = parse_baseline(text, "baseline.json");
  ASSERT_TRUE(old.ok());
  EXPECT_EQ(old->captures.front().split_by, "");
  EXPECT_EQ(why_not_comparable(old->captures.front(), example().captures.front()), "");
}

TEST(RunFacts, DifferByGpuMarkerAndSplit) {
  const RunFacts facts = example().captures.front();
  EXPECT_EQ(why_not_comparable(facts, facts), "");
  RunFacts other = facts;
  other.gpus = {{"NVIDIA H100", 4}};
  EXPECT_EQ(why_not_comparable(facts, other),
            "the baseline ran on 8 x NVIDIA H100, this run on 4 x NVIDIA H100");
  other = facts;
  other.key_op = "";
  EXPECT_THAT(why_not_comparable(facts, other), HasSubstr("no iteration marker"));
  other = facts;
  other.split_by = "host";
  EXPECT_EQ(why_not_comparable(facts, other),
            "iterations of the baseline are split by the GPU, those of this run by the host");
  other = facts;
  other.boundary = "end";
  EXPECT_EQ(why_not_comparable(facts, other),
            "iterations of the baseline begin at the start of the marker, those of this run at the "
            "end of the marker");
  other = facts;
  other.cuda = "13.0";
  EXPECT_EQ(why_not_comparable(facts, other), "");
  EXPECT_EQ(differing_versions(facts, other), std::vector<std::string>{"CUDA 13.0, before 12.4"});
}

}  // namespace
}  // namespace dlview::report::budget
