#include "ui/views/tables/time_columns.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/table/sparklines.h"
#include "ui/view_fixture.h"
#include "ui/views/tables/drill_down.h"
#include "ui/views/tables/groups.h"
#include "ui/views/tables/looks.h"
#include "ui/views/tables/ops.h"

namespace dlview::ui {
namespace {

// Three steps: "a" takes 10, 10 and 40 ns on each of two GPUs, "b" takes 20 ns in each step, and a
// copy 5 ns.
std::shared_ptr<const profile::Profile> three_steps() {
  testing::Sketch sketch(2);
  const auto step = sketch.op("step");
  const auto a = sketch.op("net/a", "conv2d");
  const auto b = sketch.op("net/b", "relu");
  const auto to = sketch.op("data/to", "to");
  for (int64_t i = 0; i < 3; ++i) {
    const int64_t at = i * 100, a_ns = i == 2 ? 40 : 10;
    sketch.instance(step, at, at + 1);
    const auto of_a = sketch.instance(a, at + 2, at + 10);
    sketch.kernel(of_a, at + 2, at + 2 + a_ns, 0, "k1");
    sketch.kernel(of_a, at + 2, at + 2 + a_ns, 1, "k2");
    sketch.kernel(sketch.instance(b, at + 12, at + 20), at + 60, at + 80, 0, "k1");
    sketch.copy(sketch.instance(to, at + 22, at + 30), at + 90, at + 95);
  }
  return sketch.finish();
}

// As the importer names the self time of a range that contains others.
std::shared_ptr<const profile::Profile> nested_ranges() {
  testing::Sketch sketch;
  const auto self = sketch.op("step/step (self time)");
  const auto conv = sketch.op("step/net/conv");
  const auto last = sketch.op("step/net/net (self time)");
  sketch.kernel(sketch.instance(self, 0, 10), 0, 7);
  sketch.kernel(sketch.instance(conv, 10, 20), 10, 40);
  sketch.kernel(sketch.instance(last, 20, 30), 40, 43);
  return sketch.finish();
}

TableData table_of(std::string_view view, const std::shared_ptr<const profile::Profile>& profile,
                   const aggregate::Selection& selection,
                   const report::ViewArguments& arguments = {}) {
  const auto engine = aggregate::make_cpu_aggregator(profile);
  TableData data{
      profile, std::make_shared<const aggregate::Aggregation>(engine->aggregate(selection)), {}};
  data.table = *report::make_view(view, *profile, *data.aggregation, arguments);
  return data;
}

aggregate::Selection steps(int64_t last, std::vector<aggregate::Filter> filters = {}) {
  return {{aggregate::CutKind::start, "step", 0}, {0, last}, std::move(filters)};
}

// The numbers of a column, by row.
std::vector<double> numbers(const TableData& data, report::ColumnId column) {
  std::vector<double> all;
  for (std::size_t row = 0; row < data.table.row_count; ++row) {
    all.push_back(number_of(cell_in(data.table, row, column)));
  }
  return all;
}

double sum_of(const std::vector<double>& numbers) {
  double sum = 0;
  for (const double number : numbers) sum += number;
  return sum;
}

void expect_sparklines(const TableData& data, const std::vector<int64_t>& maxima) {
  ASSERT_NE(data.sparklines, nullptr);
  base::Scheduler scheduler;
  Background background(scheduler);
  data.sparklines->update(background);
  background.wait_until_idle();
  data.sparklines->update(background);
  const aggregate::TimesOverIterations* times = data.sparklines->get();
  ASSERT_NE(times, nullptr);
  std::vector<int64_t> found;
  for (std::size_t row = 0; row < times->row_count(); ++row) {
    found.push_back(times->extremes_of(row).max_ns);
  }
  EXPECT_EQ(found, maxima);
}

TEST(TimeColumns, StandInTablesWhoseViewsHaveThem) {
  const auto profile = three_steps();
  for (const auto& [view, look] : {std::pair("kernel_names", kernel_names_look(*profile)),
                                   std::pair("kernel_launches", launches_look(*profile)),
                                   std::pair("op_shapes", op_shapes_look(*profile))}) {
    const TableData data = table_of(view, profile, steps(2));
    for (const char* column : {"gpu_time_share", "gpu_time_per_iteration"}) {
      EXPECT_NE(find_column(data.table, report::ColumnName(std::string_view(column))), kNoColumn)
          << view;
      const auto shown = std::ranges::find(look.columns, column, &ColumnLook::id);
      ASSERT_NE(shown, look.columns.end()) << view << " " << column;
      EXPECT_TRUE(shown->shown) << view << " " << column;
    }
  }
}

TEST(TimeColumns, DivideOpsByTotalAndIterations) {
  TableData data = table_of("op_nodes", three_steps(), steps(2));
  add_times_of_ops(data, {});
  // step, a, b, to
  EXPECT_EQ(numbers(data, "op_nodes.gpu_time"), (std::vector<double>{0, 120, 60, 15}));
  EXPECT_EQ(numbers(data, "gpu_time_per_iteration"), (std::vector<double>{0, 40, 20, 5}));
  const std::vector<double> shares = numbers(data, "gpu_time_share");
  EXPECT_DOUBLE_EQ(shares[1], 100 * 120.0 / 195);
  EXPECT_DOUBLE_EQ(sum_of(shares), 100);
  expect_sparklines(data, {0, 80, 20, 5});
}

TEST(TimeColumns, SumTypesTo100Percent) {
  TableData data = table_of("op_type_summary", three_steps(), steps(2));
  add_times_of_types(data, {});
  EXPECT_DOUBLE_EQ(sum_of(numbers(data, "gpu_time_share")), 100);
  expect_sparklines(data, {80, 20, 5});  // conv2d, relu, to
}

TEST(TimeColumns, KeepTheTotalUnderFilters) {
  TableData data = table_of("op_nodes", three_steps(),
                            steps(2, {{.kind = aggregate::FilterKind::op, .text = "net/b"}}));
  add_times_of_ops(data, {});
  ASSERT_EQ(data.table.row_count, 1u);
  EXPECT_DOUBLE_EQ(numbers(data, "gpu_time_share")[0], 100 * 60.0 / 195);
  expect_sparklines(data, {20});
}

TEST(TimeColumns, DivideKernelsByThoseOfTheOp) {
  const report::ViewArguments of_a{{}, {profile::OpIndex{1}}};
  TableData data = table_of("kernel_summaries", three_steps(), steps(2), of_a);
  add_times_of_kernels(data, of_a);
  EXPECT_EQ(numbers(data, "gpu_time_share"), (std::vector<double>{50, 50}));
  EXPECT_EQ(numbers(data, "gpu_time_per_iteration"), (std::vector<double>{20, 20}));
  expect_sparklines(data, {40, 40});
}

TEST(TimeColumns, FollowRowsOfChosenOps) {
  const report::ViewArguments of_b{{}, {profile::OpIndex{2}}};
  TableData data = table_of("op_nodes", three_steps(), steps(2), of_b);
  add_times_of_ops(data, of_b);
  EXPECT_DOUBLE_EQ(numbers(data, "gpu_time_share")[0], 100 * 60.0 / 195);
  expect_sparklines(data, {20});
}

TEST(TimeColumns, HaveNoSparklineForOneIteration) {
  TableData data = table_of("op_nodes", three_steps(), steps(0));
  add_times_of_ops(data, {});
  EXPECT_EQ(data.sparklines, nullptr);
  for (const ColumnLook& look : time_column_looks()) {
    EXPECT_EQ(!look.applies || look.applies(data), look.id == "gpu_time_share") << look.id;
  }
}

TEST(TimeColumns, GiveRangesSelfAndTotalTime) {
  const auto profile = nested_ranges();
  TableData ops = table_of("op_nodes", profile, {{}, {0, 0}});
  add_times_of_ops(ops, {});
  EXPECT_EQ(numbers(ops, "op_nodes.gpu_time"), (std::vector<double>{7, 30, 3}));
  EXPECT_EQ(numbers(ops, "op_nodes.gpu_time_total"), (std::vector<double>{40, 30, 33}));

  TableData groups = table_of("group_ops", profile, {{}, {0, 0}});
  add_tree(groups, {});
  // step/, step/net/, then the ops
  EXPECT_EQ(numbers(groups, "gpu_time_sum"), (std::vector<double>{40, 33, 7, 30, 3}));
  EXPECT_EQ(numbers(groups, "group_ops.gpu_time_self"), (std::vector<double>{7, 3, 7, 30, 3}));
  EXPECT_EQ(numbers(groups, "group_ops.cpu_time_self"), (std::vector<double>{10, 10, 10, 10, 10}));
}

TEST(TimeColumns, OmitSelfTimesOfFlatOps) {
  const auto profile = three_steps();
  for (const TableLook& look : {ops_look(*profile), groups_look(*profile)}) {
    for (const ColumnLook& column : look.columns) {
      EXPECT_FALSE(column.title.starts_with("Self") || column.title.starts_with("Total"))
          << column.title;
    }
  }
}

TEST(TimeColumns, CountGroupsWithTheirOps) {
  TableData data = table_of("group_ops", three_steps(), steps(2));
  add_tree(data, {});
  // data/, net/, then the ops
  expect_sparklines(data, {5, 100, 0, 80, 20, 5});
}

// The name, then times, and files do not get the sparkline.
TEST(TimeColumns, FollowTheName) {
  const auto profile = three_steps();
  for (const TableLook& look : {op_types_look(*profile), ops_look(*profile), kernels_look(*profile),
                                groups_look(*profile)}) {
    SCOPED_TRACE(look.id);
    std::vector<std::string> first;
    for (std::size_t i = 1; i < 5; ++i) first.push_back(look.columns[i].title);
    EXPECT_EQ(first,
              (std::vector<std::string>{"GPU time", "Share", "Per iteration", "Over iterations"}));
    EXPECT_FALSE(look.columns[0].bar) << "the name";
    EXPECT_TRUE(ColumnLayout(look.columns).is_exported(3));
    EXPECT_FALSE(ColumnLayout(look.columns).is_exported(4));
  }
}

class TimeColumnsTest : public testing::ViewFixture {
 protected:
  void show(std::shared_ptr<const profile::Profile> profile) {
    view_.emplace(*profile);
    open(std::move(profile), "step");
    draw = [this](Frame& frame, const Box& box, BarLayer& bars) {
      view_->draw(frame, box, {bars, tables_});
    };
    settle();
  }
  void settle() {
    frames(2);
    tables_.background.wait_until_idle();
    frames(2);
  }

  base::Scheduler scheduler_;
  Tables tables_{scheduler_};
  std::optional<OpsView> view_;
};

TEST_F(TimeColumnsTest, NameTheLongestIteration) {
  show(three_steps());
  EXPECT_EQ(value("ops/rows/0/gpu_time_over_iterations"), "Maximum 80\u202fns in iteration 2");
  EXPECT_EQ(value("ops/rows/0/gpu_time_per_iteration"), "40\u202fns");
  EXPECT_EQ(value("ops/rows/0/gpu_time_share"), "61.5%");
}

TEST_F(TimeColumnsTest, LeaveWhenTheRangeIsOneIteration) {
  show(three_steps());
  EXPECT_TRUE(has_item("ops/head/gpu_time_over_iterations"));
  host.select(model.selection.with_range({1, 1}));
  settle();
  EXPECT_FALSE(has_item("ops/head/gpu_time_over_iterations"));
  EXPECT_FALSE(has_item("ops/head/gpu_time_per_iteration"));
  EXPECT_TRUE(has_item("ops/head/gpu_time_share"));
  host.select(model.selection.with_range({0, 2}));
  settle();
  EXPECT_TRUE(has_item("ops/head/gpu_time_over_iterations"));
}

}  // namespace
}  // namespace dlview::ui
