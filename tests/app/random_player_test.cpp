#include "app/random_player.h"

#include <gtest/gtest.h>

#include "app/live_memory.h"
#include "app/program_support.h"
#include "app/sandbox.h"
#include "base/sanitizers.h"

namespace dlview::app {
namespace {

RandomInput::Options options(uint64_t seed, bool hurries) {
  return {.seed = seed, .files = {"/a.sqlite"}, .no_profiles = {}, .hurries = hurries};
}

// In a sandbox: screenshots and exports go into the working folder.
class RandomPlayerTest : public ProgramTest {
 protected:
  void SetUp() override {
    auto sandbox = Sandbox::create({});
    ASSERT_TRUE(sandbox.ok());
    sandbox_ = std::move(*sandbox);
    ProgramTest::SetUp();
    if (offscreen_) open(workspace::random_request());
  }
  void begin_again() {
    offscreen_.reset();
    ProgramTest::SetUp();
    open(workspace::random_request());
  }
  // What a round writes into the log.
  std::string log_of_round(uint64_t seed) {
    std::ostringstream log;
    RandomPlayer player(*offscreen_, options(seed, false), log);
    player.play_for(0);
    EXPECT_GT(player.lines(), 100);
    EXPECT_LT(player.failed_lines(), player.lines() / 2);
    return log.str();
  }

  std::unique_ptr<Sandbox> sandbox_;
};

TEST_F(RandomPlayerTest, SameSeedGivesReplayableScript) {
  const std::string log = log_of_round(3);
  const Json played = state();
  const std::size_t reading = log.find("# allocated ");
  ASSERT_NE(reading, std::string::npos);
  begin_again();
  EXPECT_EQ(log_of_round(3).substr(0, reading), log.substr(0, reading));
  begin_again();
  std::istringstream script(log);
  ASSERT_TRUE(Driver(*offscreen_, output_).run(script, BadLine::is_passed_over).ok());
  EXPECT_EQ(state(), played);
}

TEST(MemoryReadings, GrowBeyondALimit) {
  MemoryReadings readings;
  for (const int64_t bytes : {9, 9, 50, 50, 51, 51, 53}) readings.add(bytes);
  EXPECT_FALSE(readings.grow_beyond(0)) << "too few";
  readings.add(53);
  EXPECT_EQ(readings.early(), 50);
  EXPECT_EQ(readings.late(), 53);
  EXPECT_FALSE(readings.grow_beyond(3));
  EXPECT_TRUE(readings.grow_beyond(2));
}

TEST(MemoryReadings, CountWhatIsAllocated) {
  begin_counting_allocations();
  const AllocatedBytes before = allocated_bytes();
  const std::vector<std::string> small(1000, std::string(1000, 'x'));
  const std::vector<char> large(std::size_t{8} << 20);
  const AllocatedBytes after = allocated_bytes();
  EXPECT_GE(after.all - before.all, 9'000'000);
  if (!base::kHasSanitizer) return;  // only AddressSanitizer counts them
  EXPECT_NEAR(static_cast<double>(after.small - before.small), 1e6, 1e5);
}

}  // namespace
}  // namespace dlview::app
