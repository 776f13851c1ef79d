// The page of a run: its parts of time, what it leaves out, and whom it names.
// tests/app/page_test.py reads pages in a browser.
#include "report/page/run_page.h"

#include <fstream>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/comparison/compared_runs.h"
#include "aggregate/comparison/comparison.h"
#include "aggregate/limits/counted_run.h"
#include "generate/demo.h"
#include "report/page/iteration_data.h"
#include "report/page/markup.h"
#include "support/test_data.h"

namespace dlview::report::page {
namespace {

using aggregate::Aggregation;

struct PagedRun {
  std::shared_ptr<const profile::Profile> profile;
  Aggregation aggregation;

  RunPageInput input() const { return {*profile, aggregation, "1.2.3"}; }
};

PagedRun run_of(std::shared_ptr<const profile::Profile> profile, aggregate::Selection selection) {
  Aggregation aggregation = aggregate::make_cpu_aggregator(profile)->aggregate(selection);
  return {std::move(profile), std::move(aggregation)};
}

PagedRun demo_run() {
  generate::DemoOptions options;
  options.iterations = 30;
  options.kernels = 6000;
  options.gpus = 2;
  base::Progress progress;
  auto made = generate::make_demo_profile(options, progress);
  auto demo = std::make_shared<profile::Profile>(*std::move(made));
  demo->source.path = "/home/ann/secret/run.sqlite";
  aggregate::Selection selection;
  selection.cut.key_op = generate::demo_key_op(generate::Framework::pytorch);
  const auto iterations = aggregate::cut_iterations(*demo, selection.cut).rows.size();
  selection.range = {2, static_cast<int64_t>(iterations) - 1};
  return run_of(std::move(demo), selection);
}

// Of 1,000 ops with two kernels each; 100 kernels take more than 0.1% of the time.
PagedRun wide_run() {
  testing::CountedRun run;
  const std::string name(150, 'k');
  for (int op = 0; op < 1000; ++op) {
    const auto call = run.call(run.op("aten::mm", "float16", fmt::format("/net/layer{}/mm", op)));
    run.kernel(call, fmt::format("{}_{}", name, op), 132, op < 100 ? 10'000'000 : 1'000'000, true);
    run.kernel(call, fmt::format("small_{}_{}", name, op), 132, 10);
  }
  return run_of(std::move(run).finish(), {{}, {0, 0}});
}

std::string html_of_run(const Page& page) {
  std::ostringstream out;
  write_page(page, out);
  return out.str();
}

bool stands_in(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// A run that became faster, and breaks a budget nevertheless.
TEST(RunPage, IsWorseWithABrokenBudget) {
  const auto before = aggregate::compared_training({.seed = 1}),
             after = aggregate::compared_training({.seed = 2, .clocks = 0.8});
  const auto runs = std::make_shared<const aggregate::RunPair>(before, after);
  const auto comparison =
      std::make_shared<const aggregate::Comparison>(compare(runs, runs->usual_ranges()));
  const PagedRun run = run_of(before->profile, {before->cut, before->usual_range()});
  RunPageInput input = run.input();
  input.comparison = comparison;
  EXPECT_TRUE(stands_in(html_of_run(make_run_page(input)), "<div class=\"verdict better\">"));

  budget::BudgetFile file;
  file.path = "budget.toml";
  budget::Budget& limit = file.budgets.emplace_back();
  limit.name = "launches";
  limit.metric = budget::find_budget_metric("kernel_launches");
  limit.at_most = 10;
  budget::RunFacts facts;
  facts.file = "after.sqlite";
  facts.key_op = "step";
  budget::Verdicts verdicts;
  budget::Judgement& judgement = verdicts.judgements.emplace_back();
  judgement.budget = &limit;
  judgement.state = budget::State::broken;
  judgement.value = 14;
  judgement.range = {12, 69};
  const budget::CheckedRun checked{file, facts, nullptr, verdicts, budget::Inconclusive::fail};
  input.budgets = &checked;
  const std::string html = html_of_run(make_run_page(input));
  EXPECT_TRUE(stands_in(html, "<div class=\"verdict worse\">"));
  EXPECT_TRUE(stands_in(html, "Judged: after.sqlite, iterations 12 to 69 of step."));
}

// Both from exact numbers: rounded ones can differ in the last digit.
TEST(RunPage, WaterfallHasThePercentagesOfItsTable) {
  int found = 0;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const auto before = aggregate::compared_training({.seed = 1}),
               after = aggregate::compared_training({.seed = 100 + seed, .clocks = 1.01});
    const auto runs = std::make_shared<const aggregate::RunPair>(before, after);
    const PagedRun run = run_of(before->profile, {before->cut, before->usual_range()});
    RunPageInput input = run.input();
    input.comparison =
        std::make_shared<const aggregate::Comparison>(compare(runs, runs->usual_ranges()));
    const std::string body = make_run_page(input).sections[0].body;
    const std::string_view begin = " · ", end = "</text>";
    const std::size_t chart_end = body.find("</svg>", body.find("wide waterfall"));
    for (std::size_t at = body.find(begin, body.find("wide waterfall")); at < chart_end;
         at = body.find(begin, at + 1)) {
      const std::size_t from = at + begin.size();
      const std::string percent = body.substr(from, body.find(end, from) - from);
      EXPECT_NE(body.find(">" + percent + "</td>", chart_end), std::string::npos)
          << percent << ", seed " << seed;
      ++found;
    }
  }
  EXPECT_GT(found, 5);
}

TEST(TimeParts, AddUpToTheMeanIteration) {
  const PagedRun run = demo_run();
  const std::vector<TimePart> parts = time_parts(*run.profile, run.aggregation);
  ASSERT_EQ(parts.size(), 8U);
  int64_t mean = 0, sum = 0;
  double percent = 0;
  for (const TimePart& part : parts) {
    mean += part.mean_ns;
    sum += part.sum_ns;
    percent += part.percent;
  }
  EXPECT_EQ(mean, run.aggregation.range_ns / run.aggregation.selection.range.size());
  EXPECT_EQ(sum, run.aggregation.breakdown.total());
  EXPECT_NEAR(percent, 100, 1e-6);
}

// The script takes Other for the rest of each iteration.
TEST(IterationBlocks, LeaveOtherToTheRest) {
  const PagedRun run = demo_run();
  const aggregate::IterationTable& table = *run.aggregation.iteration_table;
  for (std::size_t i = 0; i < table.facts.size(); ++i) {
    EXPECT_EQ(table.facts[i].device_sum.total(),
              table.iterations.rows[i].duration_ns() * table.device_count);
  }
  EXPECT_TRUE(iteration_blocks(*run.profile, run.aggregation, 1 << 20).has_columns);
  EXPECT_FALSE(iteration_blocks(*run.profile, run.aggregation, 100).has_columns);
}

TEST(RunPage, HasItsSectionsInOrder) {
  const Page page = make_run_page(demo_run().input());
  std::vector<std::string> ids;
  for (const Section& section : page.sections) ids.push_back(section.id);
  EXPECT_EQ(ids,
            (std::vector<std::string>{"summary", "iterations", "breakdown", "ops", "groups",
                                      "kernels", "findings", "machine", "quality", "definitions"}));
}

// What is about both runs comes first.
TEST(RunPage, BeginsWithBothRuns) {
  const PagedRun run = demo_run();
  const aggregate::RuleIndex rules(*run.profile);
  const auto side = std::make_shared<const aggregate::ComparedRun>(
      run.profile, run.aggregation.iteration_table, run.aggregation.selection.cut, rules);
  const auto runs =
      std::make_shared<const aggregate::RunPair>(side, side, aggregate::MatchOptions{});
  const auto comparison = std::make_shared<const aggregate::Comparison>(
      aggregate::compare(runs, {run.aggregation.selection.range, {3, 20}}));
  RunPageInput input = run.input();
  input.comparison = comparison;
  const Page page = make_run_page(input);
  EXPECT_EQ(page.sections[0].id, "comparison");
  EXPECT_EQ(page.sections[1].id, "summary");
  EXPECT_EQ(page.sections[1].title, "Key figures of the run before");
  for (const char* part :
       {"Both runs", "Iteration, median", "Kernel launches per iteration and GPU", "3–20 (18)"}) {
    EXPECT_TRUE(stands_in(page.sections[0].body, part)) << part;
  }
  // The table comes before what is judged.
  EXPECT_LT(page.sections[0].body.find("Both runs"), page.sections[0].body.find("From before"));
}

TEST(RunPage, DefinesWhatItLinks) {
  const std::string html = html_of_run(make_run_page(demo_run().input()));
  const std::string link = "href=\"#m_";
  int links = 0;
  for (std::size_t at = 0; (at = html.find(link, at)) != std::string::npos; ++links) {
    at += link.size();
    const std::string metric = html.substr(at, html.find('"', at) - at);
    EXPECT_TRUE(stands_in(html, fmt::format("id=\"m_{}\"", metric))) << metric;
  }
  EXPECT_GT(links, 10);
}

TEST(RunPage, NamesFoldersOnlyWithHost) {
  const PagedRun run = demo_run();
  RunPageInput input = run.input();
  const std::string html = html_of_run(make_run_page(input));
  EXPECT_TRUE(stands_in(html, "run.sqlite"));
  EXPECT_FALSE(stands_in(html, "secret"));
  for (const profile::StoredAggregation& stored : run.profile->stored_aggregations) {
    if (!stored.user.empty()) {
      EXPECT_FALSE(stands_in(html, stored.user));
    }
  }
  input.with_host = true;
  EXPECT_TRUE(stands_in(html_of_run(make_run_page(input)), "/home/ann/secret/run.sqlite"));
}

TEST(RunPage, HoldsWideRunsInTwoMegabytes) {
  const PagedRun run = wide_run();
  const std::string html = html_of_run(make_run_page(run.input()));
  EXPECT_LT(html.size(), 2'000'000U);
  EXPECT_TRUE(stands_in(html, "50 of 1,000 rows"));
  EXPECT_TRUE(stands_in(html, "50 of 2,000 rows"));
  EXPECT_FALSE(stands_in(html, "left out"));
}

TEST(RunPage, LeavesSmallKernelsOutFirst) {
  const PagedRun run = wide_run();
  const std::size_t whole = size_of(make_run_page(run.input()));
  const std::string smaller = html_of_run(make_run_page(run.input(), whole - 1));
  EXPECT_LT(smaller.size(), whole);
  EXPECT_TRUE(
      stands_in(smaller, "1,900 rows with less than 0.1% of the time left out of this page"));
  EXPECT_TRUE(stands_in(smaller, "50 of 100 rows"));    // kernels
  EXPECT_TRUE(stands_in(smaller, "50 of 1,000 rows"));  // all ops
}

TEST(RunPage, KeepsFirstRowsHoweverSmall) {
  const PagedRun run = wide_run();
  const std::string html = html_of_run(make_run_page(run.input(), 1));
  EXPECT_LT(html.size(), 400'000U);
  EXPECT_TRUE(stands_in(html, "/net/layer0/mm"));
  EXPECT_TRUE(stands_in(html, "more rows left out of this page"));
}

TEST(RunPage, RefusesToReplaceTheProfile) {
  const testing::TemporaryFolder folder;
  PagedRun run = demo_run();
  auto copy = std::make_shared<profile::Profile>(*run.profile);
  copy->source.path = (folder.path() / "run.sqlite").string();
  std::ofstream(copy->source.path) << "profile";
  const RunPageInput input{*copy, run.aggregation, "1.2.3"};
  EXPECT_FALSE(write_run_page(input, copy->source.path));
  EXPECT_TRUE(write_run_page(input, folder.path() / "run.html"));
  EXPECT_GT(std::filesystem::file_size(folder.path() / "run.html"), 50'000U);
}

}  // namespace
}  // namespace dlview::report::page
