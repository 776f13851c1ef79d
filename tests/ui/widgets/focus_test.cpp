#include "ui/widgets/focus.h"

#include <gmock/gmock.h>

namespace dlview::ui {
namespace {

using Control = KeyboardFocus::Control;
using Direction = KeyboardFocus::Direction;
using ::testing::ElementsAre;

std::vector<ImGuiID> ids(const std::vector<Control>& controls) {
  std::vector<ImGuiID> ids;
  for (const Control& control : controls) ids.push_back(control.id);
  return ids;
}

TEST(KeyboardFocusOrder, ReadsALineFromLeftToRight) {
  // A bar whose menus are drawn from the right.
  std::vector<Control> bar{{1, {90, 0, 100, 20}}, {2, {60, 2, 80, 18}}, {3, {0, 0, 50, 20}}};
  sort_by_reading(bar);
  EXPECT_THAT(ids(bar), ElementsAre(3, 2, 1));
}

TEST(KeyboardFocusOrder, KeepsColumnsInDrawingOrder) {
  // The left column, then the right one, whose first button is as high as the first of the left.
  std::vector<Control> columns{
      {1, {0, 0, 10, 10}}, {2, {0, 20, 10, 30}}, {3, {50, 0, 60, 10}}, {4, {50, 20, 60, 30}}};
  sort_by_reading(columns);
  EXPECT_THAT(ids(columns), ElementsAre(1, 2, 3, 4));
}

TEST(KeyboardFocusOrder, SeparatesATallListFromItsNeighbor) {
  std::vector<Control> controls{{1, {50, 0, 100, 300}}, {2, {0, 10, 40, 30}}};
  sort_by_reading(controls);
  EXPECT_THAT(ids(controls), ElementsAre(1, 2));
}

TEST(NearestControl, PrefersWhatLiesStraightAhead) {
  const std::vector<Control> controls{
      {1, {0, 0, 10, 10}}, {2, {16, 8, 26, 18}}, {3, {30, 40, 40, 50}}, {4, {0, 60, 10, 70}}};
  EXPECT_EQ(nearest_control(controls, 0, Direction::right), 1u);
  EXPECT_EQ(nearest_control(controls, 0, Direction::down), 3u)
      << "below, although the others are nearer";
  EXPECT_EQ(nearest_control(controls, 3, Direction::up), 0u);
  EXPECT_EQ(nearest_control(controls, 2, Direction::left), 3u);
}

TEST(NearestControl, FindsNothingBeyondTheEdge) {
  const std::vector<Control> controls{{1, {0, 0, 10, 10}}, {2, {20, 0, 30, 10}}};
  EXPECT_FALSE(nearest_control(controls, 1, Direction::right));
  EXPECT_FALSE(nearest_control(controls, 0, Direction::up));
}

TEST(KeyboardFocusRing, HasThreeToOneContrast) {
  for (const ThemeKind theme : {ThemeKind::dark, ThemeKind::light}) {
    const Palette& colors = palette(theme);
    for (const Color surface : {colors.background, colors.panel, colors.raised}) {
      EXPECT_GE(contrast(colors.accent, surface), 3);
    }
  }
}

}  // namespace
}  // namespace dlview::ui
