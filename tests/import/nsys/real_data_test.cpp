// The public exports of all years, against what plain SQL counts in them.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/nsys/test_export.h"
#include "import/sqlite/database.h"
#include "profile/nesting.h"

namespace dlview::import::nsys {
namespace {

using profile::Profile;
using profile::Trace;

class RealExport : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    DLVIEW_REQUIRE_TEST_DATA();
    const std::filesystem::path path = *testing::test_data_folder() / GetParam();
    base::Result<Profile> result = testing::open_for_test(path);
    ASSERT_TRUE(result.ok()) << testing::error_of(result);
    profile_ = std::move(*result);
    base::Result<sqlite::Database> database = sqlite::open_read_only(path, progress_);
    ASSERT_TRUE(database.ok());
    database_.emplace(std::move(*database));
  }

  // The one number that a query gives; 0 when the file has no such table.
  int64_t sql(const std::string& select, const std::string& table, const std::string& rest = "") {
    if (!database_->has_table(table)) return 0;
    base::Result<sqlite::Statement> rows =
        database_->prepare("SELECT " + select + " FROM " + table + " " + rest);
    EXPECT_TRUE(rows.ok()) << select;
    return rows && rows->next() ? rows->integer(0) : -1;
  }

  // Rows, durations and names agree with the table.
  template <typename Events>
  void expect_same(const Events& events, const std::string& table, const std::string& rest = "") {
    EXPECT_EQ(std::ssize(events.start_ns), sql("count(*)", table, rest)) << table;
    int64_t duration_ns = 0;
    for (std::size_t row = 0; row < events.size(); ++row) {
      if (events.end_ns[row] == profile::kNoValue) continue;
      duration_ns += events.end_ns[row] - events.start_ns[row];
    }
    EXPECT_EQ(duration_ns, sql("ifnull(sum(\"end\" - start), 0)", table, rest)) << table;
  }

  int64_t distinct(const profile::Column<profile::StringId>& texts) const {
    return std::ssize(std::set<profile::StringId>(texts.begin(), texts.end()));
  }

  Profile profile_;
  base::Progress progress_;
  std::optional<sqlite::Database> database_;
};

TEST_P(RealExport, HasRowsAndTimesOfTables) {
  const Trace& trace = *profile_.trace;
  expect_same(trace.kernels, "CUPTI_ACTIVITY_KIND_KERNEL");
  expect_same(trace.memcpys, "CUPTI_ACTIVITY_KIND_MEMCPY");
  expect_same(trace.memsets, "CUPTI_ACTIVITY_KIND_MEMSET");
  expect_same(trace.syncs, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION");
  expect_same(trace.graph_launches, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE");
  expect_same(trace.api_calls, "CUPTI_ACTIVITY_KIND_RUNTIME");
  expect_same(trace.nvtx, "NVTX_EVENTS", "WHERE eventType IN (34, 59, 60)");
  expect_same(trace.os_calls, "OSRT_API");
}

TEST_P(RealExport, HasTheirNames) {
  const Trace& trace = *profile_.trace;
  if (trace.kernels.size() > 0) {
    EXPECT_EQ(distinct(trace.kernels.short_name),
              sql("count(DISTINCT value)", "CUPTI_ACTIVITY_KIND_KERNEL",
                  "JOIN StringIds ON id = shortName"));
  }
  if (trace.api_calls.size() > 0) {
    EXPECT_EQ(distinct(trace.api_calls.name),
              sql("count(DISTINCT value)", "CUPTI_ACTIVITY_KIND_RUNTIME",
                  "JOIN StringIds ON id = nameId"));
  }
  EXPECT_EQ(distinct(trace.nvtx.text),
            sql("count(DISTINCT coalesce(text, value))", "NVTX_EVENTS",
                "LEFT JOIN StringIds ON id = textId WHERE eventType IN (34, 59, 60)"));
}

TEST_P(RealExport, HasTheBytesOfItsCopies) {
  const profile::TraceMemcpys& copies = profile_.trace->memcpys;
  int64_t bytes = 0, to_device = 0;
  for (std::size_t row = 0; row < copies.size(); ++row) {
    bytes += copies.bytes[row];
    to_device += copies.copy_kind[row] == profile::CopyKind::host_to_device ? 1 : 0;
  }
  EXPECT_EQ(bytes, sql("ifnull(sum(bytes), 0)", "CUPTI_ACTIVITY_KIND_MEMCPY"));
  EXPECT_EQ(to_device, sql("count(*)", "CUPTI_ACTIVITY_KIND_MEMCPY", "WHERE copyKind = 1"));
}

TEST_P(RealExport, KnowsTheGpuOfAllWork) {
  const Trace& trace = *profile_.trace;
  EXPECT_EQ(profile_.kernels.size(), trace.kernels.size() + trace.graph_launches.size());
  EXPECT_EQ(profile_.memory_ops.size(), trace.memcpys.size() + trace.memsets.size());
  for (const profile::Row device : profile_.launches.device) {
    EXPECT_EQ(profile_.devices[device].name.empty(), trace.gpus.empty()) << device;
  }
}

constexpr const char* kReal[] = {"nsys/2021.2_raw_cuda.sqlite",
                                 "nsys/2022.2_mpi_rank0_empty_tables.sqlite",
                                 "nsys/2022.4_nvtx_only_304_frames.sqlite",
                                 "nsys/2022.4_raw_cuda_8190_kernels.sqlite",
                                 "nsys/2024.6_cuda_graphs_only.sqlite",
                                 "nsys/2024.6_nvfuser_8xh100.sqlite",
                                 "nsys/2024.6_pytorch_attention_nvtx.sqlite",
                                 "nsys/2025.1_pytorch_transformer_warmup_steps.sqlite",
                                 "nsys/2025.3_cupy_44_steps.sqlite",
                                 "nsys/2026.2_ddp_2xh100_after.sqlite",
                                 "nsys/2026.2_ddp_2xh100_before.sqlite",
                                 "nsys/2026.2_pytorch_2xh100_emit_nvtx.sqlite",
                                 "nsys/2026.2_windows_attention.sqlite",
                                 "nsys/edge_minimal_schema.sqlite",
                                 "nsys/edge_two_kernels.sqlite",
                                 "dlprof/with_relu/nsys_profile.sqlite"};
INSTANTIATE_TEST_SUITE_P(All, RealExport, ::testing::ValuesIn(kReal));

Profile open_real(const std::string& name) {
  base::Result<Profile> result =
      testing::open_for_test(*testing::test_data_folder() / "nsys" / name);
  EXPECT_TRUE(result.ok()) << testing::error_of(result);
  return result ? std::move(*result) : Profile();
}

std::vector<std::string> device_names(const Profile& profile) {
  std::vector<std::string> names;
  for (const profile::Device& device : profile.devices) names.push_back(device.name);
  return names;
}

TEST(RealExports, IgnoresAdaptersOfOtherMakers) {
  DLVIEW_REQUIRE_TEST_DATA();
  const Profile profile = open_real("2026.2_windows_attention.sqlite");
  EXPECT_THAT(device_names(profile),
              ::testing::ElementsAre("NVIDIA RTX 5000 Ada Generation Laptop GPU"));
  ASSERT_EQ(profile.quality.size(), 1U);
  EXPECT_EQ(profile.quality[0].rows, 2);
}

TEST(RealExports, UsesActiveGpusWithoutAList) {
  DLVIEW_REQUIRE_TEST_DATA();
  const Profile profile = open_real("2026.2_ddp_2xh100_before.sqlite");
  EXPECT_THAT(device_names(profile), ::testing::ElementsAre("", ""));
  EXPECT_EQ(profile.devices[1].device_id, 1);
}

TEST(RealExports, BeginsLatePartsWithTheirWork) {
  DLVIEW_REQUIRE_TEST_DATA();
  const Profile slice = open_real("2026.2_ddp_2xh100_before.sqlite");
  EXPECT_EQ(slice.first_ns, slice.instances.cpu_start_ns[0]);
  EXPECT_EQ(open_real("2025.3_cupy_44_steps.sqlite").first_ns, 0);
}

TEST(RealExports, WholeGraphsHoldNearlyAllWork) {
  DLVIEW_REQUIRE_TEST_DATA();
  const Profile profile = open_real("2024.6_cuda_graphs_only.sqlite");
  const profile::TraceGraphLaunches& graphs = profile.trace->graph_launches;
  int64_t sum_ns = 0;
  for (std::size_t row = 0; row < graphs.size(); ++row) {
    sum_ns += graphs.end_ns[row] - graphs.start_ns[row];
  }
  EXPECT_EQ(sum_ns / 10'000'000, 781);
}

// Its layers have names such as "{ForeignNode[/ConstantOfShape_3_output_0.../ScatterND_23]}".
TEST(RealExports, NestOnlyInsideRanges) {
  DLVIEW_REQUIRE_TEST_DATA();
  const Profile profile = open_real("2022.4_tensorrt_nvtx_layers.sqlite");
  std::set<std::string_view> range_names;
  for (const profile::StringId text : profile.trace->nvtx.text) {
    range_names.insert(profile.text(text));
  }
  EXPECT_GT(profile.names_with_slashes.size(), 0U);
  for (const profile::StringId name : profile.ops.name) {
    std::string_view last = profile::last_name(profile, profile.text(name));
    if (last.ends_with(" (self time)")) last.remove_suffix(std::string_view(" (self time)").size());
    EXPECT_TRUE(range_names.contains(last)) << last;
  }
}

// By plain SQL over the names. Of the time that names alone would give to Tensor Cores, 8.5% is in
// kernels that classify pixels for a strided dgrad or add up the parts of a wgrad.
TEST(RealExports, GemmHelpersUseNoTensorCores) {
  DLVIEW_REQUIRE_TEST_DATA();
  const std::filesystem::path path =
      *testing::test_data_folder() / "nsys/2023.4_ddp_rank0_of_4xa100_59_steps.sqlite";
  const base::Result<Profile> result = testing::open_for_test(path);
  ASSERT_TRUE(result.ok()) << testing::error_of(result);
  const profile::Kernels& kernels = result->kernels;
  int64_t counted_ns = 0;
  for (profile::Row row = 0; row < kernels.size(); ++row) {
    if (kernels.uses_tensor_cores[row] == 0) continue;
    counted_ns += kernels.gpu_stop_ns[row] - kernels.gpu_start_ns[row];
  }
  base::Progress progress;
  const auto database = sqlite::open_read_only(path, progress);
  ASSERT_TRUE(database.ok());
  auto rows = database->prepare(
      "SELECT sum(\"end\" - start), sum((\"end\" - start) * (s.value LIKE 'kernel_helper%' OR "
      "s.value LIKE '%split_k_kernel%')) FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds s ON s.id "
      "= "
      "shortName JOIN StringIds d ON d.id = demangledName WHERE d.value LIKE '%xmma%'");
  ASSERT_TRUE(rows.ok());
  ASSERT_TRUE(rows->next());
  EXPECT_EQ(counted_ns, rows->integer(0) - rows->integer(1));
  EXPECT_NEAR(100.0 * rows->integer(1) / rows->integer(0), 8.5, 0.1);
}

// Its autograd thread has ranges of nvFuser and NCCL, threads of DALI have theirs.
TEST(RealExports, HaveOpsForTheBackwardPass) {
  DLVIEW_REQUIRE_TEST_DATA();
  const Profile profile = open_real("2023.4_ddp_rank0_of_4xa100_59_steps.sqlite");
  int64_t all_ns = 0, unassociated_ns = 0;
  const auto add = [&](const auto& work) {
    for (std::size_t row = 0; row < work.size(); ++row) {
      const int64_t ns = work.gpu_stop_ns[row] - work.gpu_start_ns[row];
      const profile::Row op = profile.instances.op[work.instance[row]];
      all_ns += ns;
      if (profile.text(profile.ops.name[op]).starts_with("unassociated_")) unassociated_ns += ns;
    }
  };
  add(profile.kernels);
  add(profile.memory_ops);
  EXPECT_GT(unassociated_ns, 0);  // copies between steps
  EXPECT_LT(unassociated_ns * 20, all_ns);
}

TEST(RealExports, NameEachKernelByItself) {
  DLVIEW_REQUIRE_TEST_DATA();
  for (const auto& [file, functions] :
       {std::pair("2023.4_dataloader_bound_59_steps.sqlite", 51U),
        std::pair("2023.4_ddp_rank0_of_4xa100_59_steps.sqlite", 62U)}) {
    const Profile profile = open_real(file);
    std::map<profile::StringId, profile::StringId> names;  // by the demangled one
    std::set<profile::StringId> distinct;
    std::size_t longest = 0;
    for (profile::Row kernel = 0; kernel < profile.kernels.size(); ++kernel) {
      const profile::StringId name = profile.kernels.name[kernel];
      const auto [entry, is_new] = names.emplace(profile.kernels.long_name[kernel], name);
      EXPECT_EQ(entry->second, name);
      distinct.insert(name);
      longest = std::max(longest, profile.text(name).size());
    }
    EXPECT_EQ(names.size(), functions) << file;
    EXPECT_EQ(distinct.size(), functions) << file;
    EXPECT_LT(longest, 100U) << file;
    EXPECT_TRUE(profile.strings.find("vectorized_elementwise<leaky_relu_backward>")) << file;
  }
  EXPECT_TRUE(open_real("2023.4_dataloader_bound_59_steps.sqlite")
                  .strings.find("strided_dgrad_indexed 128x256x32 tf32"));
}

TEST(RealExports, WithoutEventsTellWhatToRecord) {
  DLVIEW_REQUIRE_TEST_DATA();
  for (const char* name : {"edge_no_events", "edge_no_cuda_no_nvtx", "edge_invalid_utf8_no_cuda"}) {
    const auto result = testing::open_for_test(*testing::test_data_folder() / "nsys" /
                                               (std::string(name) + ".sqlite"));
    ASSERT_FALSE(result.ok()) << name;
    EXPECT_EQ(result.error().title, "The export has neither GPU activity nor NVTX ranges");
  }
}

}  // namespace
}  // namespace dlview::import::nsys
