// The colours of GPU times in tables of op types and of groups: those of ops that only copy are
// memory's.

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "support/sketch.h"
#include "ui/tree_of_paths.h"
#include "ui/views/tables/groups.h"
#include "ui/views/tables/kernel_times.h"
#include "ui/views/tables/looks.h"
#include "ui/views/tables/op_types.h"

namespace dlview::ui {
namespace {

std::shared_ptr<const profile::Profile> kernels_and_copies() {
  testing::Sketch sketch;
  sketch.kernel(sketch.instance(sketch.op("net/conv", "conv2d"), 0, 10), 0, 8);
  sketch.copy(sketch.instance(sketch.op("data/to", "to"), 10, 20), 10, 15);
  return sketch.finish();
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

TEST(RowTones, OfGroupsTellThoseWithKernelsBelowFromThoseWithCopiesAlone) {
  const auto profile = kernels_and_copies();
  TableData data = table_with_tones("group_ops", profile);
  add_tree(data, {});
  const TableLook look = groups_look(*profile);
  EXPECT_EQ(tone_of(data, look, "net/"), Tone::other_kernels);
  EXPECT_EQ(tone_of(data, look, "data/"), Tone::memory);
  EXPECT_EQ(tone_of(data, look, "OP_1"), Tone::other_kernels);
  EXPECT_EQ(tone_of(data, look, "OP_2"), Tone::memory);
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
  EXPECT_EQ(parts[2].ns, 20);
}

TEST(RowTones, KernelsThatOverlapShareTheTimeButAreToldInPlainSums) {
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
  EXPECT_EQ(parts[2].ns, 0) << "the overlap hides the copy";
  EXPECT_EQ(kernel_times_text(data.table, 0),
            "Kernels, plain sums: Tensor Cores 60\u202fns · others 40\u202fns");
}

TEST(RowTones, WithoutTimesOfKernelsNoneAreTold) {
  const TableData data = table_with_tones("op_type_summary", kernels_and_copies());
  EXPECT_EQ(gpu_time_parts(data.table, 0)[0].ns, 0);
  EXPECT_EQ(kernel_times_text(data.table, 0), "");
}

}  // namespace
}  // namespace dlview::ui
