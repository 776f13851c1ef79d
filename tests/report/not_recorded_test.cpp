#include "report/not_recorded.h"

#include <memory>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "profile/recorded.h"
#include "profile/tensor_core_rules.h"
#include "report/dlprof/reports.h"
#include "report/views/views.h"
#include "report/writers/csv.h"
#include "support/sketch.h"

namespace dlview::report {
namespace {

class NotRecorded : public ::testing::Test {
 protected:
  NotRecorded() {
    testing::Sketch sketch;
    sketch.instance(sketch.op("forward", "forward"), 0, 100);
    profile_ = *sketch.finish();
  }

  void lacks(std::string_view what) { profile_.not_recorded.push_back({std::string(what), ""}); }
  // The only row.
  std::string row_of(std::string_view view) {
    const auto table = make_view(view, profile_, aggregate());
    std::ostringstream text;
    write_csv(*table, text);
    const std::string lines = std::move(text).str();
    return lines.substr(lines.rfind('\n', lines.size() - 2) + 1);
  }
  std::string report_csv(dlprof::Report report) {
    std::ostringstream text;
    write_csv(dlprof::make_report(report, profile_, aggregate()), text);
    return text.str();
  }
  const aggregate::Aggregation& aggregate() {
    const auto profile = std::make_shared<const profile::Profile>(profile_);
    aggregation_ = aggregate::make_cpu_aggregator(profile)->aggregate({});
    return aggregation_;
  }

  profile::Profile profile_;
  aggregate::Aggregation aggregation_;
};

TEST_F(NotRecorded, IsEmptyInTheTablesOfAnExport) {
  profile_.trace.emplace();
  lacks(profile::kNoGpuWorkAndCalls);
  lacks(profile::kNoRanges);
  EXPECT_EQ(row_of("resource_usage_breakdown"), ",default-domain,,,,,,100.0,0.0\n");
  EXPECT_EQ(row_of("domain_model_gpu_utilization"), ",default-domain,\n");
  EXPECT_EQ(row_of("op_type_summary"),
            ",default-domain,\"forward\",1,1,100,100.0,100,100,,,,,,,,,,,,\n");
}

// Every column whose id says that it is of GPU time, in all tables of ops and kernels.
TEST_F(NotRecorded, EmptiesAllColumnsOfGpuTimes) {
  profile_.trace.emplace();
  lacks(profile::kNoGpuWorkAndCalls);
  int columns = 0;
  const aggregate::Aggregation& aggregation = aggregate();
  for (const char* view :
       {"op_nodes", "op_type_summary", "group_ops", "op_shapes", "kernel_summary", "op_summary",
        "iterations_profiled", "performance_summary"}) {
    const auto table = make_view(view, profile_, aggregation);
    ASSERT_TRUE(table) << view;
    for (const Column& column : table->columns) {
      if (column.id.find("gpu_time") == std::string::npos &&
          column.id.find("gpu_idle") == std::string::npos) {
        continue;
      }
      ++columns;
      for (std::size_t row = 0; row < table->row_count; ++row) {
        EXPECT_EQ(column.cell(row), Cell()) << view << ' ' << column.id;
      }
    }
  }
  EXPECT_GT(columns, 20);
}

TEST_F(NotRecorded, IsAZeroInTheTablesOfADlprofDatabase) {
  lacks(profile::kNoKernels);
  EXPECT_EQ(row_of("resource_usage_breakdown"), ",default-domain,0.0,0.0,0.0,0.0,0.0,100.0,0.0\n");
}

// DLProf writes flags as yes and no.
TEST_F(NotRecorded, AFlagReadsNoInTheReportsOfADlprofDatabase) {
  lacks(profile::kNoGpuWork);
  const std::string detail = report_csv(dlprof::Report::detail);
  EXPECT_NE(detail.find(",\"forward\",1,no,no,100,100.0,100,100,0,0.0,0,0,"), std::string::npos)
      << detail;
  profile_.trace.emplace();
  const std::string of_export = report_csv(dlprof::Report::detail);
  EXPECT_NE(of_export.find(",\"forward\",1,no,,100,"), std::string::npos) << of_export;
}

TEST_F(NotRecorded, TakesItsOwnColumnsOnly) {
  profile_.trace.emplace();
  lacks(profile::kNoApiCalls);
  EXPECT_EQ(row_of("op_type_summary"),
            ",default-domain,\"forward\",1,1,100,100.0,100,100,0,0.0,0,0,,,,,0,0.0,0,0\n");
}

// Of a graph that was traced as a whole, and of all kernels of a file without it.
TEST_F(NotRecorded, TheSizeOfALaunchIsEmpty) {
  testing::Sketch sketch;
  const auto forward = sketch.instance(sketch.op("forward"), 0, 100);
  sketch.kernel(forward, 10, 20, 0, "gemm");
  sketch.kernel(forward, 30, 40, 0, "CUDA graph 7");
  profile_ = *sketch.finish();
  const auto sizes_of = [this](std::size_t row) {
    const auto view = make_view("iteration_kernels", profile_, aggregate());
    const Table report = dlprof::make_report(dlprof::Report::iteration, profile_, aggregate());
    std::string text;
    for (const Table* table : {&*view, &report}) {
      for (const Column& column : table->columns) {
        if (!column.id.starts_with("grid") && !column.id.starts_with("block")) continue;
        text += to_text(column.cell(row)) + "|";
      }
    }
    return text;
  };
  const std::string recorded = "1, 1, 1|1, 1, 1|1|1|1|1|1|1|", empty(8, '|');
  EXPECT_EQ(sizes_of(0), recorded) << "of a DLProf database";
  profile_.trace.emplace();
  EXPECT_EQ(sizes_of(0), empty);
  profile_.trace->kernels.grid = std::vector<profile::Dim3>(1);
  EXPECT_EQ(sizes_of(0), recorded);
  EXPECT_EQ(sizes_of(1), empty);
}

TEST_F(NotRecorded, IsEmptyInTheReports) {
  profile_.trace.emplace();
  lacks(profile::kNoGpuWork);
  const std::string summary = report_csv(dlprof::Report::summary);
  EXPECT_NE(summary.find("GPU Utilization %,\n"), std::string::npos) << summary;
  EXPECT_NE(summary.find("IO Duration %,\n"), std::string::npos) << summary;
  EXPECT_EQ(summary.find("All kernels"), std::string::npos) << summary;
}

TEST_F(NotRecorded, EligibilityOfARangeOfTheUsersIsUnknown) {
  profile_.ops.tensor_core_support = std::vector{profile::TensorCoreSupport::unknown};
  const auto eligible = [this] {
    const auto table = make_view("op_nodes", profile_, aggregate());
    return table->cell(0, 8);
  };
  EXPECT_EQ(eligible(), Cell(false)) << "a DLProf database decides it";
  profile_.trace.emplace();
  EXPECT_EQ(eligible(), Cell());
}

TEST_F(NotRecorded, EfficiencyOfAnExportStatesItsKnownPart) {
  testing::Sketch sketch;
  const auto forward = sketch.instance(sketch.op("forward"), 0, 100);
  sketch.kernel(forward, 0, 100, 0, "xmma", true);
  sketch.kernel(sketch.instance(sketch.op("backward"), 100, 200), 100, 400, 0, "fused");
  profile_ = *sketch.finish();
  profile_.ops.tensor_core_support =
      std::vector(profile_.ops.size(), profile::TensorCoreSupport::unknown);
  EXPECT_EQ(row_of("tc_utilization"), ",default-domain,100.0\n");
  EXPECT_EQ(report_csv(dlprof::Report::summary).find("Known Part"), std::string::npos);
  profile_.trace.emplace();
  EXPECT_EQ(row_of("tc_utilization"), ",default-domain,100.0,25.0\n");
  const std::string summary = report_csv(dlprof::Report::summary);
  EXPECT_NE(summary.find("Known Part of Kernel Time %,25.0"), std::string::npos) << summary;
}

TEST_F(NotRecorded, WhereNoEligibilityIsKnownNothingIsSaidOfIt) {
  profile_.ops.tensor_core_support = std::vector{profile::TensorCoreSupport::unknown};
  EXPECT_EQ(row_of("tc_utilization"), ",default-domain,0.0\n");
  EXPECT_NE(report_csv(dlprof::Report::summary).find("Ops eligible for TC"), std::string::npos);
  profile_.trace.emplace();
  EXPECT_EQ(row_of("tc_utilization"), ",default-domain,,\n");
  EXPECT_EQ(row_of("op_summary"), ",default-domain,0,1,0,0,,,0,1\n");
  const std::string summary = report_csv(dlprof::Report::summary);
  EXPECT_NE(summary.find("Tensor Core Kernel Utilization %,\n"), std::string::npos) << summary;
  EXPECT_EQ(summary.find("Ops eligible for TC"), std::string::npos) << summary;
}

TEST_F(NotRecorded, AnUnknownGpuHasNoNameAndNoFigures) {
  profile_.trace.emplace();
  const auto devices = make_view("gpu_devices", profile_, aggregate());
  EXPECT_EQ(devices->cell(0, 2), Cell(int64_t{0})) << "its number is known";
  for (const std::size_t column : {3, 4, 5, 6}) EXPECT_EQ(devices->cell(0, column), Cell());
}

TEST_F(NotRecorded, TheNumberOfGpusIsThatOfTheKnownOnes) {
  profile_.trace.emplace();
  const auto system = make_view("system_config", profile_, aggregate());
  EXPECT_EQ(to_text(system->cell(0, 1)), "1");
  const std::string summary = report_csv(dlprof::Report::summary);
  EXPECT_NE(summary.find("GPU Count,1\n"), std::string::npos) << summary;
}

TEST_F(NotRecorded, TablesTellTheRulesThatTheirFlagsComeFrom) {
  EXPECT_EQ(make_view("op_nodes", profile_, aggregate())->tensor_core_rules, 0);
  profile_.source.by_tensor_core_rules = true;
  EXPECT_EQ(make_view("op_nodes", profile_, aggregate())->tensor_core_rules,
            profile::kTensorCoreRulesVersion);
  EXPECT_EQ(make_view("gpu_names", profile_, aggregate())->tensor_core_rules, 0);
}

TEST_F(NotRecorded, TheDataLoaderIsEmptyWhereNoRangeTellsOfIt) {
  profile_.trace.emplace();
  lacks(profile::kNoDataLoader);
  EXPECT_EQ(row_of("resource_usage_breakdown"), ",default-domain,0.0,0.0,0.0,,,100.0,0.0\n");
  const auto iterations = make_view("iterations_profiled", profile_, aggregate());
  bool has_column = false;
  for (const Column& column : iterations->columns) {
    if (column.id != "dataloader_duration") continue;
    has_column = true;
    EXPECT_EQ(column.cell(0), Cell());
  }
  EXPECT_TRUE(has_column);
  const std::string summary = report_csv(dlprof::Report::summary);
  EXPECT_NE(summary.find("Dataloader Duration %,\n"), std::string::npos) << summary;
}

}  // namespace
}  // namespace dlview::report
