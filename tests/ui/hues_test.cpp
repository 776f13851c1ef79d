#include <set>

#include <gtest/gtest.h>

#include "ui/theme.h"

namespace dlview::ui {
namespace {

TEST(Hues, AreChosenByNameWhateverTheOrder) {
  const std::vector<std::string_view> names{"conv2d", "relu", "linear", "layer_norm"};
  const std::vector<std::string_view> others{"linear", "layer_norm", "relu", "conv2d"};
  const std::vector<uint8_t> chosen = choose_hues(names), again = choose_hues(others);
  EXPECT_EQ(chosen[0], again[3]);
  EXPECT_EQ(chosen[1], again[2]);
  EXPECT_EQ(chosen[2], again[0]);
  EXPECT_EQ(chosen[3], again[1]);
}

TEST(Hues, AreNeverGivenTwice) {
  const std::vector<std::string_view> names{"a", "b", "c", "d", "e", "f",
                                            "g", "h", "i", "j", "k", "l"};
  const std::vector<uint8_t> chosen = choose_hues(names);
  EXPECT_EQ(std::set<uint8_t>(chosen.begin(), chosen.end()).size(), kHueCount);
  EXPECT_TRUE(choose_hues({}).empty());
}

}  // namespace
}  // namespace dlview::ui
