// PyTorch traces open from the cache as from their files: counters, synchronization, memory events
// and call stacks too, and Python frames are those of the file.

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "generate/nsys.h"
#include "generate/pytorch_settings.h"
#include "import/column_cache/contents.h"
#include "import/column_cache/folder.h"
#include "import/column_cache/identity.h"
#include "import/column_cache/restore.h"
#include "import/column_cache/store.h"
#include "import/open.h"
#include "import/pytorch/python_frames.h"
#include "import/test_database.h"
#include "profile/python_frames.h"
#include "support/test_data.h"

namespace dlview::import::column_cache {
namespace {

namespace fs = std::filesystem;

profile::Profile open(const fs::path& file) {
  base::Progress progress;
  auto opened = open_profile(file, progress);
  EXPECT_TRUE(opened) << base::to_text(opened.error());
  return opened ? *std::move(opened) : profile::Profile();
}

// Through the files of the cache, in `folder`.
profile::Profile reopened(const profile::Profile& profile, const fs::path& file,
                          const fs::path& folder) {
  constexpr Limits kNoLimits{.most_bytes = int64_t{1} << 40, .spare_share = 0};
  const std::optional<Identity> identity = identity_of(file);
  if (!identity || !store(profile, *identity, folder, kNoLimits, {}).ok()) return {};
  std::optional<Restored> restored = restore(*identity, folder);
  EXPECT_TRUE(restored && restored->columns.are_sound({}));
  return restored ? std::move(restored->profile) : profile::Profile();
}

void expect_same_frames(const profile::Profile& cached, const profile::Profile& opened) {
  if (profile::python_frame_count(opened) == 0) return;
  base::Progress progress;
  const auto of_cached = pytorch::read_python_frames(cached, progress);
  const auto of_opened = pytorch::read_python_frames(opened, progress);
  ASSERT_TRUE(of_cached) << base::to_text(of_cached.error());
  ASSERT_TRUE(of_opened) << base::to_text(of_opened.error());
  EXPECT_GT(of_opened->size(), 0U);
  EXPECT_TRUE(contents_of(*of_cached) == contents_of(*of_opened));
}

class CachedTraces : public ::testing::TestWithParam<const char*> {
 protected:
  testing::TemporaryFolder folder_;
};

TEST_P(CachedTraces, HoldWhatTheFileHolds) {
  DLVIEW_REQUIRE_TEST_DATA();
  const fs::path file = *testing::test_data_folder() / "pytorch" / GetParam();
  const profile::Profile opened = open(file), cached = reopened(opened, file, folder_.path());
  EXPECT_TRUE(contents_of(cached) == contents_of(opened));
  expect_same_frames(cached, opened);
}

INSTANTIATE_TEST_SUITE_P(, CachedTraces,
                         ::testing::Values("hta_simple_add.json.gz",
                                           "kineto_resnet50_workers0_2021-06.pt.trace.json.gz",
                                           "kineto_test_cuda_sync_2026.pt.trace.json",
                                           "param_dlrm_rank0.pt.trace.json.gz",
                                           "tracelens_mi300_qwen1.5-0.5b.json.gz"),
                         [](const auto& trace) {
                           std::string name = trace.param;
                           std::ranges::replace_if(
                               name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

TEST(CachedSyntheticTraces, HoldWhatTheFileHolds) {
  const testing::TemporaryFolder folder;
  const fs::path file = folder.path() / "trace.json";
  generate::PytorchOptions options;
  options.kernels = 800;
  options.gpus = 2;
  options.record_shapes = options.with_stack = options.profile_memory = true;
  options.sync_events = options.counters = true;
  base::Progress progress;
  ASSERT_TRUE(generate::generate_pytorch(file, options, progress).ok());
  const profile::Profile opened = open(file);
  const profile::Trace& trace = *opened.trace;
  for (const std::size_t rows :
       {trace.counters.size(), trace.sync_events.size(), trace.overheads.size(),
        trace.allocations.size(), trace.collectives.size()}) {
    EXPECT_GT(rows, 0U);
  }
  const profile::Profile cached = reopened(opened, file, folder.path());
  EXPECT_TRUE(contents_of(cached) == contents_of(opened));
  expect_same_frames(cached, opened);
  ASSERT_FALSE(cached.trace->counters.series.empty());
  EXPECT_EQ(cached.trace->counters.series[0].value, trace.counters.series[0].value);
}

// With GPU metrics and memory usage.
TEST(CachedExports, HoldWhatTheFileHolds) {
  const testing::TemporaryFolder folder;
  const fs::path file = folder.path() / "run.sqlite";
  generate::DemoOptions options;
  options.iterations = 3;
  options.kernels = 300;
  base::Progress progress;
  ASSERT_TRUE(generate::generate_nsys(file, options, generate::NsysSchema::v2026, progress,
                                      generate::IfExists::fail,
                                      {.metric_period_ns = 100'000, .memory_usage = true})
                  .ok());
  const profile::Profile opened = open(file);
  ASSERT_GT(opened.trace->counters.size(), 0U);
  ASSERT_GT(opened.trace->memory_usage.size(), 0U);
  const profile::Profile cached = reopened(opened, file, folder.path());
  EXPECT_TRUE(contents_of(cached) == contents_of(opened));
  const profile::TraceCounters::Series& series = cached.trace->counters.series.back();
  EXPECT_EQ(series.kind, profile::CounterKind::sample);
  EXPECT_EQ(series.counter, "Kernels per Sample");
  EXPECT_EQ(cached.trace->counters.series[0].unit, "Hz");
}

}  // namespace
}  // namespace dlview::import::column_cache
