#include "workspace/filter_values.h"

#include <gtest/gtest.h>

namespace dlview::workspace {
namespace {

aggregate::TimeWindow window_of(std::string_view text) {
  const auto filter = parse_only(text);
  EXPECT_TRUE(filter.ok()) << text;
  return filter.ok() ? filter->window : aggregate::TimeWindow{};
}

TEST(ParseOnly, TakesTimesInAnyUnitToTheNanosecond) {
  EXPECT_EQ(window_of("time=1000:1005"), (aggregate::TimeWindow{1000, 1005}));
  EXPECT_EQ(window_of("time=5:5"), (aggregate::TimeWindow{5, 5}));
  EXPECT_EQ(window_of("time=1.2s:1.25s"), (aggregate::TimeWindow{1'200'000'000, 1'250'000'000}));
  EXPECT_EQ(window_of("time=17us:1ms"), (aggregate::TimeWindow{17'000, 1'000'000}));
}

TEST(ParseOnly, RefusesWhatIsNoStretchOfTime) {
  for (const char* text :
       {"time=5", "time=2s:1s", "time=-5us:1s", "time=1s:later", "time=:", "time=60.1:60.2"}) {
    EXPECT_FALSE(parse_only(text).ok()) << text;
  }
}

TEST(ParseOnly, LeavesTimesInOtherValuesAlone) {
  EXPECT_EQ(parse_only("kernel=1us:2us")->text, "1us:2us");
}

}  // namespace
}  // namespace dlview::workspace
