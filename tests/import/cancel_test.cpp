// How soon opening a large file ends once it is canceled.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>

#include "base/sanitizers.h"
#include "generate/nsys.h"
#include "generate/pytorch.h"
#include "import/open.h"
#include "import/test_database.h"

namespace dlview::import {
namespace {

using std::chrono::milliseconds;

constexpr int kCancels = 24;
constexpr int kMostRepeats = 3;  // of one cancel, while other programs keep the processors busy

// $DLVIEW_CANCEL_KERNELS for a test of one's own size.
int64_t kernels() {
  if (const char* wanted = std::getenv("DLVIEW_CANCEL_KERNELS")) return std::atoll(wanted);
  return base::kHasSanitizer ? 20'000 : 1'000'000;
}

// Of all processors.
milliseconds processor_time() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return milliseconds(time.tv_sec * 1000 + time.tv_nsec / 1'000'000);
}

// Cancels opening at moments that divide its time evenly.
void expect_soon(const std::filesystem::path& path, milliseconds longest_allowed) {
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_TRUE(testing::open_for_test(path).ok());
  const auto whole = std::chrono::steady_clock::now() - begin;
  milliseconds longest{0};
  int repeats = 0;
  for (int i = 0; i < kCancels; ++i) {
    base::Progress progress;
    bool has_opened = false;
    std::thread opening([&] { has_opened = open_profile(path, progress).ok(); });
    std::this_thread::sleep_for(whole * i / kCancels);
    progress.cancel();
    const std::string stage = progress.snapshot().stage;
    const auto canceled = std::chrono::steady_clock::now();
    const milliseconds processors = processor_time();
    opening.join();
    const auto passed =
        std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - canceled);
    // Other programs may take the processors meanwhile.
    const milliseconds took = std::min(passed, processor_time() - processors);
    if (took >= longest_allowed && repeats < kMostRepeats) {
      ++repeats;
      --i;
      continue;
    }
    repeats = 0;
    if (!base::kHasSanitizer) {
      EXPECT_LT(took.count(), longest_allowed.count()) << stage << ", cancel " << i;
    }
    EXPECT_TRUE(i > 0 || !has_opened);
    longest = std::max(longest, took);
  }
  ::testing::Test::RecordProperty("longest_ms", static_cast<int>(longest.count()));
}

TEST(OpenProfile, EndsSoonWhereverItIsCanceled) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "large.sqlite";
  base::Progress generating;
  generate::DemoOptions options;
  options.kernels = kernels();
  const auto schema = generate::NsysSchema::v2026;
  ASSERT_TRUE(generate::generate_nsys(path, options, schema, generating).ok());
  expect_soon(path, milliseconds(200));
}

TEST(OpenProfile, EndsSoonWhereverATraceIsCanceled) {
  const testing::TemporaryFolder folder;
  base::Progress generating;
  generate::PytorchOptions options;
  options.bytes = 300 * kernels();
  options.with_stack = true;
  for (const char* const name : {"large.json", "large.json.gz"}) {
    const auto path = folder.path() / name;
    ASSERT_TRUE(generate::generate_pytorch(path, options, generating).ok());
    expect_soon(path, milliseconds(100));
  }
}

}  // namespace
}  // namespace dlview::import
