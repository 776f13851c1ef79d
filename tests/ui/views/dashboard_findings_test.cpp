// What the rows of findings and checks on the Dashboard say and open.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "report/query/text_pattern.h"
#include "support/sketch.h"
#include "ui/views/dashboard/findings.h"

namespace dlview::ui {
namespace {

TEST(Dashboard, FindingsCarryTheirLinkAndWhatTheyOpen) {
  const aggregate::FoundFindings found{
      {{{"a", "Problem", "Read https://x.example now", "ShowBadDataTypeOps", ""}, 1500, "all"},
       {{"b", "Varies", "Narrow it", "ShowIterations", "10:255"}, {}, ""},
       {{"c", "Broken", "", "ShowIterations", "10-255"}, {}, ""},
       {{"configuration_detector", "Plain", "", "", ""}, {}, ""},
       {{"batch_size_detector", "Small", "", "", ""}, {}, ""}},
      {}};
  const std::vector<FindingRow> findings = prepare_findings({}, {}, found).rows;
  ASSERT_EQ(findings.size(), 5u);
  EXPECT_EQ(findings[0].action, FindingAction::show_ops);
  EXPECT_EQ(findings[0].stake, "1.50\u202fµs");
  EXPECT_EQ(findings[0].stake_note, "Potential savings: at most 1,500\u202fns per iteration (all)");
  EXPECT_EQ(findings[1].stake, "");
  EXPECT_EQ(findings[0].recommendation[1].url, "https://x.example");
  EXPECT_EQ(findings[1].range, (aggregate::IterationRange{10, 255}));
  EXPECT_EQ(findings[2].action, FindingAction::show_iterations);
  EXPECT_FALSE(findings[2].range);
  EXPECT_EQ(findings[3].action, FindingAction::none);
  EXPECT_EQ(findings[4].action, FindingAction::show_system);
}

TEST(Dashboard, FindingWithPlacesOpensTheWorst) {
  aggregate::Finding finding{{"scalar_reads", "Reads", "", "", ""}, 100, "all"};
  EXPECT_EQ(prepare_findings({}, {}, {{finding}, {}}).rows[0].action, FindingAction::none);
  testing::Sketch sketch(1);
  sketch.instance(sketch.op("step"), 0, 100);
  const auto profile = sketch.finish();
  finding.places = {{.iteration = 0, .start_ns = 10, .duration_ns = 20, .stake_ns = 20}};
  EXPECT_EQ(prepare_findings(*profile, {}, {{finding}, {}}).rows[0].action,
            FindingAction::show_place);
}

TEST(Dashboard, ListsTheKernelsOfAFinding) {
  aggregate::Finding finding;
  finding.advice.detector = "layout_transposes";
  const FindingRow row = prepare_findings({}, {}, {{finding}, {}}).rows[0];
  EXPECT_EQ(row.action, FindingAction::show_kernels);
  ASSERT_EQ(row.query.filters.size(), 1u);
  EXPECT_EQ(row.query.filters[0].column, "kernel_name");
  const std::string& text = row.query.filters[0].text;
  const auto pattern = report::TextPattern::parse(text);
  ASSERT_TRUE(pattern.ok()) << text;
  EXPECT_TRUE(pattern->is_in("nchwToNhwcKernel"));
  EXPECT_FALSE(pattern->is_in("gemm"));
}

TEST(Dashboard, ChecksTellValueAndThreshold) {
  const std::vector<CheckRow> checks =
      prepare_findings({}, {},
                       {{},
                        {{.detector = "gpu_gaps", .value = 0.3, .threshold = "saving"},
                         {.detector = "gpu_idle", .is_found = true},
                         {.detector = "dataloader_detector", .not_checked = "no ranges"}}})
          .checks;
  ASSERT_EQ(checks.size(), 3U);
  EXPECT_EQ(checks[0].value, "found");
  EXPECT_EQ(checks[1].title, "Long idle gaps");
  EXPECT_EQ(checks[1].value, "0.3%");
  EXPECT_EQ(checks[1].threshold, "Potential savings of at least 2% of the iteration");
  EXPECT_EQ(checks[2].value, "not checked");
  EXPECT_EQ(checks[2].threshold, "no ranges");
}

TEST(Dashboard, ChecksNearestToTheirThresholdComeFirst) {
  aggregate::AdviceThresholds thresholds;
  thresholds.saving = 2;
  thresholds.gpu_utilization = 50;
  const auto order = [&thresholds] {
    const FindingRows rows = prepare_findings(
        {}, {},
        {{},
         {{.detector = "gpu_gaps", .value = 0.0, .threshold = "saving"},
          {.detector = "slow_iterations"},
          {.detector = "dataloader_detector", .not_checked = "no ranges"},
          {.detector = "exposed_copies_to_gpu", .value = 1.8, .threshold = "saving"},
          {.detector = "underutilized_gpu_detector", .value = 62.5, .threshold = "gpu_utilization"},
          {.detector = "exposed_copies_to_host", .value = 0.5, .threshold = "saving"}}},
        thresholds);
    std::vector<std::string> values;
    for (const CheckRow& row : rows.checks) values.push_back(row.value);
    return values;
  };
  EXPECT_EQ(order(),
            (std::vector<std::string>{"1.8%", "62.5%", "0.5%", "0%", "not found", "not checked"}));
  thresholds.gpu_utilization = 60;
  EXPECT_EQ(order().front(), "62.5%") << "its threshold is nearer now";
}

}  // namespace
}  // namespace dlview::ui
