// The colors of GPU times in tables of ops, op types and groups: Tensor Cores, other kernels,
// communication, memory.

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "import/open.h"
#include "report/not_recorded.h"
#include "report/nsys/reports.h"
#include "support/sketch.h"
#include "support/test_data.h"
#include "ui/tree_of_paths.h"
#include "ui/views/tables/drill_down.h"
#include "ui/views/tables/groups.h"
#include "ui/views/tables/kernel_columns.h"
#include "ui/views/tables/looks.h"
#include "ui/views/tables/report_looks.h"
#include "ui/views/tables/time_columns.h"

namespace dlview::ui {
namespace {

std::shared_ptr<const profile::Profile> kernels_and_copies() {
  testing::Sketch sketch;
  sketch.kernel(sketch.instance(sketch.op("net/conv", "conv2d"), 0, 10), 0, 8);
  sketch.copy(sketch.instance(sketch.op("data/to", "to"), 10, 20), 10, 15);
  return sketch.finish();
}

// A report of the CUDA summary, with its look.
struct ShownReport {
  report::Table table;
  TableLook look;
};
ShownReport shown_report(const profile::Profile& profile, std::string_view name) {
  const report::nsys::ReportInfo& info =
      *std::ranges::find(report::nsys::reports(), name, &report::nsys::ReportInfo::name);
  report::Table table = *report::nsys::make_report(info, {profile});
  TableLook look = report_look(info, table, std::make_shared<const ReportNames>(profile));
  return {std::move(table), std::move(look)};
}

TableData table_with_tones(std::string_view view,
                           const std::shared_ptr<const profile::Profile>& profile) {
  const auto engine = aggregate::make_cpu_aggregator(profile);
  TableData data{
      profile, std::make_shared<const aggregate::Aggregation>(engine->aggregate({{}, {0, 0}})), {}};
  data.table = *report::make_view(view, *profile, *data.aggregation);
  return data;
}

// Of the GPU time in the row whose `key` has this text.
Tone tone_of(const TableData& data, const TableLook& look, std::string_view text) {
  const auto column = std::ranges::find(look.columns, "gpu_time_sum", &ColumnLook::id);
  const std::size_t key = find_column(data.table, look.key);
  for (std::size_t row = 0; row < data.table.row_count; ++row) {
    if (report::to_text(data.table.cell(row, key)) == text) return column->bar(data.table, row);
  }
  ADD_FAILURE() << text << " is not there";
  return Tone::idle;
}

TEST(RowTones, OfOpTypesTellKernelsFromCopies) {
  const auto profile = kernels_and_copies();
  TableData data = table_with_tones("op_type_summary", profile);
  add_parts_of_types(data, {});
  const TableLook look = op_types_look(*profile);
  EXPECT_EQ(tone_of(data, look, "conv2d"), Tone::other_kernels);
  EXPECT_EQ(tone_of(data, look, "to"), Tone::memory);
}

TEST(RowTones, DistinguishGroupsWithKernelsFromCopies) {
  const auto profile = kernels_and_copies();
  TableData data = table_with_tones("group_ops", profile);
  add_tree(data, {});
  const TableLook look = groups_look(*profile);
  EXPECT_EQ(tone_of(data, look, "net/"), Tone::other_kernels);
  EXPECT_EQ(tone_of(data, look, "data/"), Tone::memory);
  EXPECT_EQ(tone_of(data, look, "OP_1"), Tone::other_kernels);
  EXPECT_EQ(tone_of(data, look, "OP_2"), Tone::memory);
}

TEST(RowTones, OfOpsByShapeAreThoseOfOps) {
  testing::Sketch sketch;
  sketch.kernel(sketch.instance(sketch.op("net/conv", "conv2d"), 0, 10), 0, 8);
  sketch.kernel(sketch.instance(sketch.op("net/linear", "linear"), 10, 20), 10, 18, 0, "xmma",
                true);
  sketch.copy(sketch.instance(sketch.op("data/to", "to"), 20, 30), 20, 25);
  const auto profile = sketch.finish();
  const TableData data = table_with_tones("op_shapes", profile);
  TableLook look = op_shapes_look(*profile);
  look.key = "op_node_name";
  EXPECT_EQ(tone_of(data, look, "net/conv"), Tone::other_kernels);
  EXPECT_EQ(tone_of(data, look, "net/linear"), Tone::tensor_core_kernels);
  EXPECT_EQ(tone_of(data, look, "data/to"), Tone::memory);
}

// Their bars had one color, and their names were cut where they agree.
TEST(RowTones, OfTheCudaSummaryTellKernelsApartAndTensorCores) {
  DLVIEW_REQUIRE_TEST_DATA();
  base::Progress progress;
  auto opened = import::open_profile(
      *testing::test_data_folder() / "nsys/2023.4_dataloader_bound_59_steps.sqlite", progress);
  ASSERT_TRUE(opened);
  const profile::Profile& profile = *opened;
  std::map<std::string, profile::Row> kernels;  // by demangled name
  for (profile::Row row = 0; row < profile.kernels.size(); ++row) {
    kernels.emplace(profile.text(profile.kernels.long_name[row]), row);
  }
  for (const auto& [report, names] :
       {std::pair("cuda_gpu_kern_sum", "name"), std::pair("cuda_gpu_sum", "operation"),
        std::pair("cuda_kern_exec_sum", "kernel_name")}) {
    SCOPED_TRACE(report);
    const auto [table, look] = shown_report(profile, report);
    const auto name = std::ranges::find(look.columns, names, &ColumnLook::id);
    const auto bar =
        std::ranges::find_if(look.columns, [](const ColumnLook& column) { return !!column.bar; });
    std::map<Tone, int> tones;
    std::set<std::string> on_screen, in_table;
    for (std::size_t row = 0; row < table.row_count; ++row) {
      const std::string demangled = report::to_text(
          table.cell(row, find_column(table, report::ColumnName(std::string_view(names)))));
      const Tone tone = bar->bar(table, row);
      ++tones[tone];
      in_table.insert(demangled);
      on_screen.insert(name->screen_text(table, row));
      const auto kernel = kernels.find(demangled);
      if (kernel == kernels.end()) {
        EXPECT_EQ(tone, Tone::memory) << demangled;
        EXPECT_EQ(name->screen_text(table, row), demangled);
        continue;
      }
      const bool uses = profile.kernels.uses_tensor_cores[kernel->second] != 0;
      EXPECT_EQ(tone, uses ? Tone::tensor_core_kernels : Tone::other_kernels) << demangled;
      EXPECT_EQ(name->screen_text(table, row), profile.text(profile.kernels.name[kernel->second]));
    }
    EXPECT_GT(tones[Tone::tensor_core_kernels], 5);
    EXPECT_GT(tones[Tone::other_kernels], 5);
    EXPECT_EQ(on_screen.size(), in_table.size());
  }
}

TEST(RowTones, OfTheCudaSummaryShowCommunication) {
  DLVIEW_REQUIRE_TEST_DATA();
  base::Progress progress;
  auto opened = import::open_profile(
      *testing::test_data_folder() / "nsys/2026.2_ddp_2xh100_before.sqlite", progress);
  ASSERT_TRUE(opened);
  const auto [table, look] = shown_report(*opened, "cuda_gpu_kern_sum");
  const auto bar =
      std::ranges::find_if(look.columns, [](const ColumnLook& column) { return !!column.bar; });
  int collectives = 0;
  for (std::size_t row = 0; row < table.row_count; ++row) {
    const std::string name = report::to_text(
        table.cell(row, find_column(table, report::ColumnName(std::string_view("name")))));
    const bool is_collective = name.find("ncclDevKernel") != std::string::npos;
    EXPECT_EQ(bar->bar(table, row) == Tone::communication, is_collective) << name;
    collectives += is_collective ? 1 : 0;
  }
  EXPECT_GT(collectives, 0);
}

TEST(RowTones, OfOpsOfAnIterationShowUnknownUse) {
  testing::Sketch sketch;
  sketch.kernel(sketch.instance(sketch.op("own", "linear", true), 0, 10), 0, 8, 0, "my_own_kernel");
  auto profile = std::make_shared<profile::Profile>(*sketch.finish());
  profile->source.by_tensor_core_rules = true;
  TableData data = table_with_tones("iteration_ops", profile);
  const TableLook look = iteration_ops_look(*profile);
  const auto time =
      std::ranges::find_if(look.columns, [](const ColumnLook& column) { return !!column.bar; });
  ASSERT_EQ(data.table.row_count, 1U);
  EXPECT_EQ(time->bar(data.table, 0), Tone::other_kernels);
  report::empty_unknown_use(data.table, *profile, aggregate::UnknownTensorCoreUse(*profile));
  EXPECT_EQ(time->bar(data.table, 0), Tone::unknown);
}

// In processes with DLProf's markers several kernels have one short name everywhere else.
TEST(RowTones, OfTheCudaSummaryNameKernelsThatShareAShortName) {
  DLVIEW_REQUIRE_TEST_DATA();
  base::Progress progress;
  auto opened = import::open_profile(
      *testing::test_data_folder() / "dlprof/with_relu/nsys_profile.sqlite", progress);
  ASSERT_TRUE(opened);
  const auto [table, look] = shown_report(*opened, "cuda_gpu_kern_sum");
  const auto name = std::ranges::find(look.columns, "name", &ColumnLook::id);
  std::set<std::string> on_screen;
  for (std::size_t row = 0; row < table.row_count; ++row) {
    on_screen.insert(name->screen_text(table, row));
  }
  const std::set<profile::StringId> names(opened->kernels.name.begin(), opened->kernels.name.end());
  EXPECT_EQ(on_screen.size(), table.row_count);
  EXPECT_LT(names.size(), table.row_count);
}

// The names alone say the same.
TEST(Groups, LieInEachOtherAsTheirNamesSay) {
  testing::Sketch sketch;
  int64_t start = 0;
  for (const char* name : {"net/a/conv", "net/a/relu", "top", "/lead/x", "/y", "net/b",
                           "data/net/a", "net/a/deep/er/op"}) {
    sketch.kernel(sketch.instance(sketch.op(name), start, start + 5), start, start + 7);
    start += 10;
  }
  const auto profile = sketch.finish();
  TableData data = table_with_tones("group_ops", profile);
  add_tree(data, {});
  std::vector<std::string> names;
  for (std::size_t row = 0; row < data.table.row_count; ++row) {
    names.push_back(report::to_text(cell_in(data.table, row, "row_full_name")));
  }
  const RowTree expected = testing::tree_of_paths(names);
  EXPECT_EQ(data.tree->parent, expected.parent);
  EXPECT_EQ(data.tree->has_children, expected.has_children);
}

TEST(RowTones, OfGroupsTellWhatTakesMostOfTheirTime) {
  testing::Sketch sketch;
  const auto conv = sketch.instance(sketch.op("net/conv", "conv2d", true), 0, 10);
  sketch.kernel(conv, 0, 30, 0, "xmma", true);
  sketch.kernel(sketch.instance(sketch.op("net/relu"), 10, 20), 30, 70);
  sketch.copy(sketch.instance(sketch.op("net/to"), 20, 30), 70, 90);
  const auto profile = sketch.finish();
  TableData data = table_with_tones("group_ops", profile);
  add_tree(data, {});
  EXPECT_EQ(tone_of(data, groups_look(*profile), "net/"), Tone::other_kernels);
  const auto parts = gpu_time_parts(data.table, 0);
  EXPECT_EQ(parts[0].ns, 30);
  EXPECT_EQ(parts[1].ns, 40);
  EXPECT_EQ(parts[2].ns, 0);
  EXPECT_EQ(parts[3].ns, 20);
}

// Two communicating ops, one of which also computes for less than half of its time; a third
// communicates for less than half of it; a fourth uses Tensor Cores too.
std::shared_ptr<const profile::Profile> communicating_ops() {
  constexpr const char* kAllReduce = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";
  testing::Sketch sketch;
  const auto reduce = sketch.instance(sketch.op("ddp/reduce", "allreduce"), 0, 100);
  sketch.kernel(reduce, 0, 60, 0, kAllReduce);
  sketch.kernel(reduce, 60, 100, 0, "scale");
  const auto gather = sketch.instance(sketch.op("ddp/gather", "allgather"), 100, 130);
  sketch.kernel(gather, 100, 130, 0, "ncclDevKernel_AllGather_RING_LL");
  const auto relu = sketch.instance(sketch.op("net/relu", "relu"), 200, 290);
  sketch.kernel(relu, 200, 240, 0, kAllReduce);
  sketch.kernel(relu, 240, 290, 0, "elementwise");
  const auto linear = sketch.instance(sketch.op("net/linear", "linear"), 300, 400);
  sketch.kernel(linear, 300, 390, 0, kAllReduce);
  sketch.kernel(linear, 390, 400, 0, "xmma", true);
  return sketch.finish();
}

// By the names of the ops.
std::map<std::string, Tone> tones_of_ops(const TableData& data, const TableLook& look) {
  const auto bar =
      std::ranges::find_if(look.columns, [](const ColumnLook& column) { return !!column.bar; });
  std::map<std::string, Tone> tones;
  for (std::size_t row = 0; row < data.table.row_count; ++row) {
    tones[text_of_cell(data.table, row, "op_node_name")] = bar->bar(data.table, row);
  }
  return tones;
}

TEST(RowTones, ShowCommunicationInAllTablesOfOps) {
  const auto profile = communicating_ops();
  const std::map<std::string, Tone> expected{{"ddp/reduce", Tone::communication},
                                             {"ddp/gather", Tone::communication},
                                             {"net/relu", Tone::other_kernels},
                                             {"net/linear", Tone::tensor_core_kernels}};
  TableData ops = table_with_tones("op_nodes", profile);
  add_times_of_ops(ops, {});
  EXPECT_EQ(tones_of_ops(ops, ops_look(*profile)), expected);
  TableData shapes = table_with_tones("op_shapes", profile);
  add_communication(shapes, {});
  EXPECT_EQ(tones_of_ops(shapes, op_shapes_look(*profile)), expected);
  TableData iteration = table_with_tones("iteration_ops", profile);
  add_communication(iteration, {});
  EXPECT_EQ(tones_of_ops(iteration, iteration_ops_look(*profile)), expected);
}

TEST(RowTones, ShowCommunicationOfOpTypesAndGroups) {
  const auto profile = communicating_ops();
  TableData types = table_with_tones("op_type_summary", profile);
  add_parts_of_types(types, {});
  const TableLook types_look = op_types_look(*profile);
  EXPECT_EQ(tone_of(types, types_look, "allreduce"), Tone::communication);
  EXPECT_EQ(tone_of(types, types_look, "relu"), Tone::other_kernels);
  TableData groups = table_with_tones("group_ops", profile);
  add_tree(groups, {});
  EXPECT_EQ(tone_of(groups, groups_look(*profile), "ddp/"), Tone::communication);
  std::map<Tone, double> parts;
  for (const TonePart& part : gpu_time_parts(groups.table, 0)) parts[part.tone] = part.ns;
  EXPECT_EQ(text_of_cell(groups.table, 0, "row_full_name"), "ddp/");
  EXPECT_EQ(parts[Tone::communication], 90);
  EXPECT_EQ(parts[Tone::other_kernels], 40);
  EXPECT_EQ(parts[Tone::memory], 0);
  EXPECT_EQ(kernel_times_text(groups.table, 0),
            "Kernels (sum): Tensor Cores 0 · others 40\u202fns · communication 90\u202fns");
}

TEST(RowTones, ListsOverlappingKernelsAsSums) {
  testing::Sketch sketch;
  const auto conv = sketch.instance(sketch.op("net/conv", "conv2d", true), 0, 10);
  sketch.kernel(conv, 0, 60, 0, "xmma", true);
  sketch.kernel(conv, 20, 60, 0, "relu");
  sketch.copy(conv, 60, 70);
  const auto profile = sketch.finish();
  TableData data = table_with_tones("op_type_summary", profile);
  add_parts_of_types(data, {});
  const auto parts = gpu_time_parts(data.table, 0);
  EXPECT_EQ(parts[0].ns, 42);
  EXPECT_EQ(parts[1].ns, 28);
  EXPECT_EQ(parts[3].ns, 0) << "the overlap hides the copy";
  EXPECT_EQ(kernel_times_text(data.table, 0),
            "Kernels (sum): Tensor Cores 60\u202fns · others 40\u202fns");
}

TEST(RowTones, WithoutTimesOfKernelsNoneAreTold) {
  const TableData data = table_with_tones("op_type_summary", kernels_and_copies());
  EXPECT_EQ(gpu_time_parts(data.table, 0)[0].ns, 0);
  EXPECT_EQ(kernel_times_text(data.table, 0), "");
}

}  // namespace
}  // namespace dlview::ui
