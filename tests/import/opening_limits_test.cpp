#include "import/opening_limits.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sanitizers.h"
#include "import/test_database.h"
#include "import/variable.h"

namespace dlview::import {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

constexpr int64_t kGigabyte = 1'000'000'000;
constexpr int64_t kMebibyte = int64_t{1} << 20;
constexpr milliseconds kLong = std::chrono::hours(1);

TEST(OpeningLimits, GrowWithTheFile) {
  const int slower = base::kHasSanitizer ? 10 : 1;
  const testing::Variable none("DLVIEW_LIMITS", "");
  EXPECT_EQ(OpeningLimits::of_file(0)->time, slower * milliseconds(5'000));
  EXPECT_EQ(OpeningLimits::of_file(2 * kGigabyte)->time, slower * milliseconds(65'000));
  if (base::kHasSanitizer) return;
  EXPECT_EQ(OpeningLimits::of_file(0)->memory_bytes, 512 * kMebibyte);
  EXPECT_EQ(OpeningLimits::of_file(kGigabyte)->memory_bytes, 512 * kMebibyte + 4 * kGigabyte);
}

TEST(OpeningLimits, AreRaisedByTheEnvironment) {
  const testing::Variable none("DLVIEW_LIMITS", "");
  const milliseconds usual = OpeningLimits::of_file(0)->time;
  {
    const testing::Variable tenfold("DLVIEW_LIMITS", "10");
    EXPECT_EQ(OpeningLimits::of_file(0)->time, 10 * usual);
  }
  {
    const testing::Variable off("DLVIEW_LIMITS", "off");
    EXPECT_FALSE(OpeningLimits::of_file(0).has_value());
  }
  const testing::Variable unusable("DLVIEW_LIMITS", "-3");
  EXPECT_EQ(OpeningLimits::of_file(0)->time, usual);
}

// Works until the job is canceled, for at most 20 s.
void work(const base::Progress& progress) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!progress.canceled() && std::chrono::steady_clock::now() < end) {
  }
}

TEST(LimitsWatch, StopsAJobThatWorksTooLong) {
  base::Progress progress;
  const LimitsWatch watch("run.sqlite", 12'000, OpeningLimits{milliseconds(100), INT64_MAX},
                          progress);
  work(progress);
  ASSERT_TRUE(progress.stop_reason());
  EXPECT_EQ(progress.stop_reason()->title, "The file takes too long to open");
  EXPECT_THAT(progress.stop_reason()->detail, HasSubstr("\"run.sqlite\""));
  EXPECT_THAT(progress.stop_reason()->advice, HasSubstr("DLVIEW_LIMITS"));
}

TEST(LimitsWatch, RaisesLimitsAsAFileUnpacks) {
  base::Progress progress;
  const auto unpacked = std::make_shared<std::atomic<int64_t>>(0);
  LimitsWatch watch("run.json.gz", 12'000, OpeningLimits{milliseconds(200), INT64_MAX}, progress);
  watch.follow(unpacked);
  *unpacked = kGigabyte;
  const auto end = std::chrono::steady_clock::now() + milliseconds(600);
  while (std::chrono::steady_clock::now() < end) {
  }
  EXPECT_FALSE(progress.canceled());
}

TEST(LimitsWatch, DoesNotCountTimeInWhichAJobWaits) {
  base::Progress progress;
  const LimitsWatch watch("run.sqlite", 0, OpeningLimits{milliseconds(200), INT64_MAX}, progress);
  std::this_thread::sleep_for(milliseconds(500));
  EXPECT_FALSE(progress.canceled());
}

TEST(LimitsWatch, DoesNotCountWhatTheMainThreadDraws) {
  base::Progress progress;
  std::thread opening([&progress] {
    const LimitsWatch watch("run.sqlite", 0, OpeningLimits{milliseconds(200), INT64_MAX}, progress);
    std::this_thread::sleep_for(milliseconds(600));
  });
  const auto end = std::chrono::steady_clock::now() + milliseconds(500);
  while (std::chrono::steady_clock::now() < end) {
  }
  opening.join();
  EXPECT_FALSE(progress.canceled());
}

TEST(LimitsWatch, StopsAJobThatTakesTooMuchMemory) {
  base::Progress progress;
  const LimitsWatch watch("run.sqlite", 0, OpeningLimits{kLong, 32 * kMebibyte}, progress);
  const std::size_t bytes = 256 * kMebibyte;
  const std::unique_ptr<char[]> memory(new char[bytes]);
  std::memset(memory.get(), 1, bytes);
  asm volatile("" : : "r"(memory.get()) : "memory");  // or a compiler leaves the array out
  work(progress);
  ASSERT_TRUE(progress.stop_reason());
  EXPECT_EQ(progress.stop_reason()->title, "The file takes too much memory");
}

TEST(LimitsWatch, LeavesAJobWithinItsLimitsAlone) {
  base::Progress progress;
  {
    const LimitsWatch watch("run.sqlite", 0, OpeningLimits{kLong, INT64_MAX}, progress);
    const LimitsWatch unlimited("run.sqlite", 0, std::nullopt, progress);
    std::this_thread::sleep_for(milliseconds(120));
  }
  EXPECT_FALSE(progress.canceled());
}

TEST(OpenProfile, EndsWithTheReasonOfAStop) {
  const testing::TemporaryFolder folder;
  const auto path = testing::write_dlprof_database(folder.path() / "profile.sqlite");
  base::Progress progress;
  progress.stop({"Too much", "of it", "Take less."});
  const base::Result<profile::Profile> result = open_profile(path, progress);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().title, "Too much");
}

}  // namespace
}  // namespace dlview::import
