// The SQL that the window hands out, run through SQLite on a generated database.
#include "aggregate/provenance.h"

#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/metrics.h"
#include "base/units.h"
#include "generate/demo.h"
#include "generate/dlprof.h"
#include "generate/queries.h"
#include "import/open.h"
#include "support/random_profile.h"

namespace dlview {
namespace {

using aggregate::Aggregation;
using aggregate::Category;
using aggregate::CutKind;

// Two kinds of run: a training run of several GPUs, and events at random on several processes.
enum class Kind { demo, random };

class Provenance : public ::testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    const auto test = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::path(::testing::TempDir()) /
            (std::string("provenance_") + (GetParam() == Kind::demo ? "demo_" : "random_") +
             std::string(test->name()).substr(0, 12) + ".sqlite");
    base::Progress progress;
    if (GetParam() == Kind::demo) {
      const generate::DemoOptions options{.iterations = 12, .kernels = 2500, .gpus = 2, .seed = 3};
      ASSERT_TRUE(generate::generate_dlprof(path_, options, progress, generate::IfExists::replace));
    } else {
      const auto facts = std::make_shared<const profile::Profile>(
          testing::random_profile({.seed = 11, .processes = 2}));
      const aggregate::Cut cut{CutKind::end, std::string(testing::kRandomKeyOp), 0};
      const auto stored = aggregate::make_cpu_aggregator(facts)->aggregate({cut, {0, 1000}});
      ASSERT_TRUE(generate::write_dlprof_database(*facts, {stored}, path_, progress,
                                                  generate::IfExists::replace));
    }
    auto opened = import::open_profile(path_, progress);
    ASSERT_TRUE(opened);
    profile_ = std::make_shared<const profile::Profile>(std::move(*opened));
  }
  void TearDown() override { std::filesystem::remove(path_); }

  Aggregation aggregate_range(CutKind kind, int64_t first, int64_t last) const {
    const std::string key = profile_->stored_aggregations.front().key_op;
    return aggregate::make_cpu_aggregator(profile_)->aggregate({{kind, key, 0}, {first, last}});
  }
  double answer(const Aggregation& aggregation, const aggregate::Figure& figure) const {
    const auto sql = aggregate::sql_of(*profile_, aggregation, figure);
    if (!sql) {
      ADD_FAILURE() << "no SQL for " << figure.metric.text();
      return 0;
    }
    const auto values = testing::first_column(path_, *sql);
    EXPECT_EQ(values.size(), 1u) << *sql;
    return values.empty() ? 0 : std::stod(values[0]);
  }
  void expect_answer(const Aggregation& aggregation, aggregate::MetricId metric,
                     double value) const {
    EXPECT_NEAR(answer(aggregation, {metric}), value, 1e-9 * std::abs(value)) << metric.text();
  }

  std::filesystem::path path_;
  std::shared_ptr<const profile::Profile> profile_;
};
INSTANTIATE_TEST_SUITE_P(Runs, Provenance, ::testing::Values(Kind::demo, Kind::random));

TEST_P(Provenance, SqlGivesTheFiguresOfTheRangeUnderEveryCut) {
  for (const CutKind kind : {CutKind::start, CutKind::end, CutKind::stored}) {
    SCOPED_TRACE(static_cast<int>(kind));
    const Aggregation a = aggregate_range(kind, 2, 6);
    ASSERT_EQ(a.selection.range.size(), 5);
    expect_answer(a, "wall_time", static_cast<double>(a.wall_ns));
    expect_answer(a, "range_time", static_cast<double>(a.range_ns));
    expect_answer(a, "average_iteration", a.average_iteration_ns());
    expect_answer(a, "iteration_deviation", a.iteration_standard_deviation_ns());
    expect_answer(a, "median_iteration",
                  static_cast<double>(aggregate::percentile(aggregate::sorted_durations(a), 0.5)));
    expect_answer(a, "total_iterations",
                  static_cast<double>(a.iteration_table->iterations.rows.size()));
    expect_answer(a, "profiled_iterations", 5);
    expect_answer(a, "gpu_utilization", a.gpu_utilization());
    expect_answer(a, "gpu_utilization_used", a.gpu_utilization_used());
    expect_answer(a, "gpu_idle", 100 - a.gpu_utilization());
    expect_answer(a, "tensor_core_efficiency", a.tensor_core_efficiency());
    expect_answer(a, "tensor_core_missed",
                  static_cast<double>(a.eligible_kernel_ns - a.tensor_core_kernel_ns));
    expect_answer(a, "kernel_gpu_time",
                  static_cast<double>(a.all_kernels.gpu_ns + a.memory.gpu_ns));
    expect_answer(a, "kernel_gpu_time_tensor_core",
                  static_cast<double>(a.tensor_core_kernels.gpu_ns));
    expect_answer(a, "kernel_gpu_time_memory", static_cast<double>(a.memory.gpu_ns));
    expect_answer(a, "kernel_gpu_time_other", static_cast<double>(a.other_kernels.gpu_ns));
    expect_answer(a, "kernel_names", static_cast<double>(a.all_kernels.count));
    expect_answer(a, "kernel_launches", static_cast<double>(a.kernel_launches));
  }
}

TEST_P(Provenance, SqlGivesEveryPartOfTheBreakdown) {
  const Aggregation a = aggregate_range(CutKind::start, 1, 5);
  const auto devices = static_cast<int64_t>(a.devices.size());
  for (const auto& [metric, category] :
       {std::pair{aggregate::MetricId("breakdown_tensor_core_kernels"),
                  Category::tensor_core_kernels},
        std::pair{aggregate::MetricId("breakdown_other_kernels"), Category::other_kernels},
        std::pair{aggregate::MetricId("breakdown_memory"), Category::memory},
        std::pair{aggregate::MetricId("breakdown_data_loader"), Category::data_loader},
        std::pair{aggregate::MetricId("breakdown_cpu"), Category::cpu},
        std::pair{aggregate::MetricId("breakdown_other"), Category::other}}) {
    expect_answer(a, metric, static_cast<double>(a.breakdown[category] / devices));
  }
}

TEST_P(Provenance, SqlGivesCommunicationAndWhatOfItIsExposed) {
  const Aggregation a = aggregate_range(CutKind::end, 1, 6);
  const auto devices = static_cast<int64_t>(a.devices.size());
  EXPECT_GT(a.communication.exposed_ns, 0);
  EXPECT_GT(a.communication.overlapped_ns(), 0);
  expect_answer(a, "communication", static_cast<double>(a.communication.ns / devices));
  expect_answer(a, "communication_exposed",
                static_cast<double>(a.communication.exposed_ns / devices));
}

TEST_P(Provenance, SqlGivesTheTimesOfEachOp) {
  const Aggregation a = aggregate_range(CutKind::start, 1, 4);
  ASSERT_GT(a.ops.size(), 3u);
  for (std::size_t i = 0; i < a.ops.size(); i += 1 + a.ops.size() / 8) {
    const aggregate::OpAggregate& op = a.ops[i];
    EXPECT_EQ(answer(a, {"op_gpu_time", op.op}), static_cast<double>(op.times.gpu.sum));
    EXPECT_EQ(answer(a, {"op_cpu_time", op.op}), static_cast<double>(op.times.cpu.sum));
    EXPECT_EQ(answer(a, {"op_calls", op.op}), static_cast<double>(op.times.count()));
  }
}

TEST_P(Provenance, SourceRowsCountTheRowsOfTheRange) {
  const Aggregation a = aggregate_range(CutKind::start, 1, 4);
  const auto text = aggregate::source_rows(a, {"kernel_launches"});
  EXPECT_EQ(text, base::format_count(a.kernel_launches) + " kernels");
  EXPECT_EQ(aggregate::source_rows(a, {"wall_time"}), "4 iterations");
}

TEST_P(Provenance, OffersSqlUnderFiltersForUnfilteredFiguresOnly) {
  aggregate::Selection selection = aggregate_range(CutKind::start, 1, 5).selection;
  selection.filters = {{.kind = aggregate::FilterKind::tensor_core, .number = 1}};
  const Aggregation a = aggregate::make_cpu_aggregator(profile_)->aggregate(selection);
  for (const aggregate::Metric& metric : aggregate::all_metrics()) {
    if (!metric.obeys_filters) continue;
    EXPECT_FALSE(aggregate::sql_of(*profile_, a, {aggregate::MetricId(metric)})) << metric.id;
  }
  const auto devices = static_cast<int64_t>(a.devices.size());
  expect_answer(a, "wall_time", static_cast<double>(a.wall_ns));
  expect_answer(a, "breakdown_data_loader",
                static_cast<double>(a.breakdown[Category::data_loader] / devices));
  expect_answer(a, "breakdown_cpu", static_cast<double>(a.breakdown[Category::cpu] / devices));
  EXPECT_EQ(aggregate::source_rows(a, {"kernel_launches"}),
            base::format_count(a.kernel_launches) + " kernels");
  EXPECT_LT(a.kernel_launches, a.whole().kernel_launches);
}

TEST_P(Provenance, OtherFormatsAndRowlessMetricsHaveNoSql) {
  const Aggregation a = aggregate_range(CutKind::start, 1, 4);
  EXPECT_FALSE(aggregate::sql_of(*profile_, a, {"breakdown_io"}));
  profile::Profile other;
  other.source.format = "Nsight Systems";
  EXPECT_FALSE(aggregate::sql_of(other, a, {"wall_time"}));
}

}  // namespace
}  // namespace dlview
