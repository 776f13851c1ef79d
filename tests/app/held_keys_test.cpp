#include "app/held_keys.h"

#include <gtest/gtest.h>

namespace dlview::app {
namespace {

class HeldKeysTest : public ::testing::Test {
 protected:
  void pass(double seconds, int times = 1) {
    for (int i = 0; i < times; ++i) {
      keys_.pass(
          seconds, [this](int) { return is_down_; },
          [this](const KeyPress&, double steps) {
            steps_ += steps;
            return goes_on_;
          });
    }
  }

  HeldKeys keys_;
  bool is_down_ = true, goes_on_ = true;
  double steps_ = 0;
};

TEST_F(HeldKeysTest, GoOnByTheTimeThatPassesHoweverManyFrames) {
  keys_.press({{.key = 'W'}, 'W'});
  pass(0.0625, 4);
  EXPECT_EQ(steps_, 0);
  pass(0.0625, 16);
  EXPECT_DOUBLE_EQ(steps_, 6);
  HeldKeys slow;
  double slow_steps = 0;
  slow.press({{.key = 'W'}, 'W'});
  for (int i = 0; i < 160; ++i) {
    slow.pass(
        1.0 / 128, [](int) { return true; },
        [&slow_steps](const KeyPress&, double steps) {
          slow_steps += steps;
          return true;
        });
  }
  EXPECT_DOUBLE_EQ(slow_steps, 6);
}

TEST_F(HeldKeysTest, StopWhenTheyAreReleased) {
  keys_.press({{.key = 'W'}, 'W'});
  pass(0.1, 4);
  EXPECT_GT(steps_, 0);
  is_down_ = false;
  const double before = steps_;
  pass(0.1, 4);
  EXPECT_EQ(steps_, before);
  EXPECT_TRUE(keys_.empty());
}

TEST_F(HeldKeysTest, AreLetGoWhereTheyCannotGoOn) {
  keys_.press({{.key = 'N'}, 'N'});
  goes_on_ = false;
  pass(0.1, 4);
  EXPECT_TRUE(keys_.empty());
}

TEST_F(HeldKeysTest, DoNotJumpAfterALongFrame) {
  keys_.press({{.key = 'W'}, 'W'});
  pass(0.1, 3);
  steps_ = 0;
  pass(60);
  EXPECT_LT(steps_, 1);
}

}  // namespace
}  // namespace dlview::app
