#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "report/not_recorded.h"
#include "report/table.h"
#include "support/sketch.h"
#include "ui/text_in.h"
#include "ui/views/tables/kernel_columns.h"

namespace dlview::ui {
namespace {

using testing::text_in;

using aggregate::Filter;
using profile::Profile;
using profile::StringId;

TableData plain_table_of(const std::string& view, const std::shared_ptr<const Profile>& profile,
                         std::vector<Filter> filters = {},
                         const report::ViewArguments& arguments = {}) {
  const auto engine = aggregate::make_cpu_aggregator(profile);
  TableData data{profile,
                 std::make_shared<const aggregate::Aggregation>(
                     engine->aggregate({{}, {0, 0}, std::move(filters)})),
                 {}};
  data.table = *report::make_view(view, *profile, *data.aggregation, arguments);
  return data;
}

TableData table_of(const std::string& view, const std::shared_ptr<const Profile>& profile,
                   std::vector<Filter> filters = {}) {
  TableData data = plain_table_of(view, profile, std::move(filters));
  add_tensor_core_rules(data, {});
  return data;
}

// One op whose first instance runs one kernel and whose second another.
std::shared_ptr<const Profile> conv_of_two_kernels() {
  testing::Sketch sketch;
  const auto conv = sketch.op("conv", "conv2d", true);
  sketch.kernel(sketch.instance(conv, 0, 10), 0, 5, 0, "ampere_sgemm_128x64_tn");
  sketch.kernel(sketch.instance(conv, 10, 20), 10, 15, 0, "sm80_xmma_fprop", true);
  return sketch.finish();
}

// The demangled names say what both short names do not.
std::shared_ptr<const Profile> two_kernels_of_one_name() {
  testing::Sketch sketch;
  const auto gemm = sketch.op("cutlass_tensorop_kernel", "linear", true);
  const auto other = sketch.op("cutlass_simt_kernel");
  for (int64_t i = 0; i < 2; ++i) {
    sketch.kernel(sketch.instance(gemm, 10 * i, 10 * i + 5), 10 * i, 10 * i + 4, 0, "Kernel2");
  }
  sketch.instance(other, 30, 40);
  auto profile = std::make_shared<Profile>(*sketch.finish());
  profile->kernels.long_name =
      std::vector<StringId>{profile->ops.name[gemm], profile->ops.name[other]};
  return profile;
}

TEST(KernelRules, TellWhatTheRulesSayOfEachName) {
  const TableData data = table_of("kernel_summaries", conv_of_two_kernels());
  ASSERT_EQ(data.table.row_count, 2U);
  for (std::size_t row = 0; row < 2; ++row) {
    const bool is_sgemm = text_in(data, row, "kernel_name") == "ampere_sgemm_128x64_tn";
    EXPECT_EQ(text_in(data, row, "tc_by_rules"), is_sgemm ? "no" : "yes");
    EXPECT_EQ(text_in(data, row, "tc_rule"), is_sgemm ? "CUDA cores" : "library kernel");
  }
}

TEST(KernelRules, SayThatNoneMatchesAName) {
  testing::Sketch sketch;
  sketch.kernel(sketch.instance(sketch.op("own", "linear", true), 0, 10), 0, 5, 0, "my_own_kernel");
  const auto profile = sketch.finish();
  const TableData data = table_of("kernel_summaries", profile);
  ASSERT_EQ(data.table.row_count, 1U);
  EXPECT_EQ(text_in(data, 0, "tc_rule"), "no match");
  EXPECT_EQ(reason_of_use(data.table, 0), "Unknown: no rule matches its name");
  EXPECT_EQ(text_in(plain_table_of("tc_kernels", profile), 0, "tc_rule"), "no match");
}

TEST(KernelRules, OfAFilteredTableAreThoseOfTheKernelsInIt) {
  const TableData data = table_of("kernel_summaries", conv_of_two_kernels(),
                                  {*aggregate::parse_filter("kernel", "sm80_xmma_fprop")});
  ASSERT_EQ(data.table.row_count, 1U);
  EXPECT_EQ(text_in(data, 0, "tc_by_rules"), "yes");
  EXPECT_EQ(text_in(data, 0, "tc_rule"), "library kernel");
}

TEST(KernelRules, ByLaunchAreThoseOfTheKernelItself) {
  const TableData data = table_of("iteration_op_kernels", two_kernels_of_one_name());
  ASSERT_EQ(data.table.row_count, 2U);
  EXPECT_EQ(text_in(data, 0, "tc_rule"), "MMA instruction");
  EXPECT_EQ(text_in(data, 1, "tc_by_rules"), "no");
  EXPECT_EQ(text_in(data, 1, "tc_rule"), "CUDA cores");
}

TEST(KernelRules, ByNameAreUnknownWhereKernelsOfThatNameDiffer) {
  const TableData data = table_of("kernel_summaries", two_kernels_of_one_name());
  ASSERT_EQ(data.table.row_count, 1U);
  EXPECT_EQ(text_in(data, 0, "tc_by_rules"), "unknown");
  EXPECT_EQ(text_in(data, 0, "uses_tc"), "");
  EXPECT_EQ(reason_of_use(data.table, 0), "Unknown: its kernels match different rules");
}

TEST(KernelRules, ByNameDifferByGpuToo) {
  testing::Sketch sketch(2);
  const auto conv = sketch.op("conv", "conv2d", true);
  for (profile::Row device = 0; device < 2; ++device) {
    sketch.kernel(sketch.instance(conv, 10 * device, 10 * device + 5), 10 * device, 10 * device + 4,
                  device, "sm80_xmma_fprop", true);
  }
  auto profile = std::make_shared<Profile>(*sketch.finish());
  profile->devices[1].compute_capability_major = 6;
  const TableData data = table_of("kernel_summaries", profile);
  ASSERT_EQ(data.table.row_count, 1U);
  EXPECT_EQ(text_in(data, 0, "tc_by_rules"), "unknown");
  EXPECT_EQ(text_in(data, 0, "uses_tc"), "yes") << "as the numbers have it";
}

TEST(KernelRules, OfAnOpAreUnknownWhereAnyKernelIs) {
  testing::Sketch sketch;
  const auto own = sketch.op("own", "linear", true), known = sketch.op("known");
  const auto mixed = sketch.op("mixed", "linear", true), idle = sketch.op("idle");
  sketch.kernel(sketch.instance(own, 0, 10), 0, 5, 0, "my_own_kernel");
  sketch.kernel(sketch.instance(known, 10, 20), 10, 15, 0, "ampere_sgemm_128x64_tn");
  const auto both = sketch.instance(mixed, 20, 30);
  sketch.kernel(both, 20, 22, 0, "my_own_kernel");
  sketch.kernel(both, 23, 25, 0, "ampere_sgemm_128x64_tn");
  sketch.instance(idle, 30, 40);
  auto profile = std::make_shared<Profile>(*sketch.finish());
  const auto uses = [&] {
    TableData data = plain_table_of("op_nodes", profile);
    report::empty_unknown_use(data.table, *profile, aggregate::UnknownTensorCoreUse(*profile));
    std::vector<std::string> texts;
    for (std::size_t row = 0; row < data.table.row_count; ++row) {
      texts.push_back(text_in(data, row, "using_tc"));
    }
    return texts;
  };
  EXPECT_EQ(uses(), (std::vector<std::string>{"no", "no", "no", "no"})) << "as the database has it";
  profile->source.by_tensor_core_rules = true;
  EXPECT_EQ(uses(), (std::vector<std::string>{"", "no", "", "no"}));
}

TEST(KernelRules, SayTheSameOfAnOpInEachTable) {
  testing::Sketch sketch;
  const auto known = sketch.op("known", "gemm"), own = sketch.op("own", "conv2d", true);
  sketch.kernel(sketch.instance(known, 0, 10), 0, 5, 0, "ampere_sgemm_128x64_tn");
  sketch.kernel(sketch.instance(own, 10, 20), 10, 15, 0, "my_own_kernel");
  auto profile = std::make_shared<Profile>(*sketch.finish());
  profile->source.by_tensor_core_rules = true;
  TableData data = plain_table_of("op_nodes", profile, {}, {{}, {profile::OpIndex(own)}});
  ASSERT_EQ(data.table.row_count, 1U);
  report::empty_unknown_use(data.table, *profile, aggregate::UnknownTensorCoreUse(*profile));
  EXPECT_EQ(text_in(data, 0, "using_tc"), "") << "the row number is not that among all ops";
}

// An op with a kernel of its own beside one that the rules know, and one that uses Tensor Cores
// too.
std::shared_ptr<Profile> ops_of_unknown_use() {
  testing::Sketch sketch;
  const auto own = sketch.op("own", "linear", true), both = sketch.op("both", "linear", true);
  const auto of_own = sketch.instance(own, 0, 10), of_both = sketch.instance(both, 10, 20);
  sketch.kernel(of_own, 0, 5, 0, "my_own_kernel");
  sketch.kernel(of_own, 5, 7, 0, "ampere_sgemm_128x64_tn");
  sketch.kernel(of_both, 10, 15, 0, "my_own_kernel");
  sketch.kernel(of_both, 15, 19, 0, "sm80_xmma_fprop", true);
  auto profile = std::make_shared<Profile>(*sketch.finish());
  profile->source.by_tensor_core_rules = true;
  return profile;
}

std::vector<std::string> marked_texts(const std::string& view,
                                      const std::shared_ptr<const Profile>& profile,
                                      std::string_view column) {
  TableData data = plain_table_of(view, profile);
  report::empty_unknown_use(data.table, *profile, aggregate::UnknownTensorCoreUse(*profile));
  std::vector<std::string> texts;
  for (std::size_t row = 0; row < data.table.row_count; ++row) {
    texts.push_back(text_in(data, row, column));
  }
  return texts;
}

TEST(KernelRules, EmptyUnknownUseInEveryView) {
  using Texts = std::vector<std::string>;
  const auto profile = ops_of_unknown_use();
  EXPECT_EQ(marked_texts("op_nodes", profile, "using_tc"), (Texts{"", "yes"}));
  EXPECT_EQ(marked_texts("op_shapes", profile, "using_tc"), (Texts{"", "yes"}));
  EXPECT_EQ(marked_texts("iteration_ops", profile, "tc_gpu_time"), (Texts{"", "4"}));
  EXPECT_EQ(marked_texts("iteration_ops", profile, "tc_count"), (Texts{"", "1"}));
  for (const char* view : {"kernel_summaries", "iteration_kernels", "iteration_op_kernels"}) {
    Texts uses = marked_texts(view, profile, "uses_tc");
    std::ranges::sort(uses);
    EXPECT_EQ(uses, (Texts{"", "", "no", "yes"})) << view;
  }
  for (const char* view : {"kernel_names", "kernel_launches"}) {
    Texts uses = marked_texts(view, profile, "uses_tc");
    std::ranges::sort(uses);
    EXPECT_EQ(uses, (Texts{"", "no", "yes"})) << view;
  }
  profile->source.by_tensor_core_rules = false;
  EXPECT_EQ(marked_texts("iteration_ops", profile, "tc_gpu_time"), (Texts{"0", "4"}))
      << "as the database has it";
  EXPECT_EQ(marked_texts("op_nodes", profile, "using_tc"), (Texts{"no", "yes"}));
}

TEST(KernelRules, MarkATableThatStandsOnceTheyAreKnown) {
  testing::Sketch sketch;
  sketch.kernel(sketch.instance(sketch.op("own", "linear", true), 0, 10), 0, 5, 0, "my_own_kernel");
  auto profile = std::make_shared<Profile>(*sketch.finish());
  profile->source.by_tensor_core_rules = true;
  const auto data = std::make_shared<const TableData>(plain_table_of("kernel_names", profile));
  MarkedTable marked;
  EXPECT_EQ(marked.of(nullptr, nullptr), nullptr);
  EXPECT_EQ(marked.of(data, nullptr), data);
  const auto unknown = std::make_shared<const aggregate::UnknownTensorCoreUse>(*profile);
  const auto shown = marked.of(data, unknown);
  ASSERT_NE(shown, nullptr);
  EXPECT_EQ(text_in(*shown, 0, "uses_tc"), "");
  EXPECT_EQ(text_in(*data, 0, "uses_tc"), "no");
  EXPECT_EQ(marked.of(data, unknown), shown) << "made once";
}

}  // namespace
}  // namespace dlview::ui
