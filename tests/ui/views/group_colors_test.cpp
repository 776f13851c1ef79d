#include "ui/views/tables/group_colors.h"

#include <gtest/gtest.h>

namespace dlview::ui {
namespace {

GroupColors colors_of(GroupColoring coloring, std::vector<double> ns) {
  GroupColors colors;
  colors.coloring = coloring;
  colors.classes = {{"Uses"}, {"Missed", true}};
  colors.ns = std::move(ns);
  return colors;
}

TEST(GroupColors, StateWordsReadBack) {
  for (std::size_t i = 0; i < kGroupColorings; ++i) {
    const auto coloring = static_cast<GroupColoring>(i);
    EXPECT_EQ(parse_group_coloring(to_text(coloring)), coloring);
  }
  EXPECT_EQ(parse_group_coloring("plaid"), GroupColoring::category);
}

TEST(GroupColors, MainClassHasMostTime) {
  const GroupColors colors = colors_of(GroupColoring::tensor_cores, {1, 3, 2, 2, 0, 0});
  EXPECT_EQ(colors.main_class(0), 1u);
  EXPECT_EQ(colors.main_class(1), 0u);
  EXPECT_EQ(colors.main_class(2), GroupColors::kNone);
}

TEST(GroupColors, TextListsLargestFirst) {
  const GroupColors colors = colors_of(GroupColoring::tensor_cores, {1, 3, 0, 2, 0, 0});
  EXPECT_EQ(colors.text(0), "Tensor Cores: Missed 75.0% · Uses 25.0%");
  EXPECT_TRUE(colors.text(1).starts_with("Tensor Cores: Missed 100"));
  EXPECT_EQ(colors.text(1).find("Uses"), std::string::npos);
  EXPECT_EQ(colors.text(2), "");
}

TEST(GroupColors, EveryClassHasItsOwnLook) {
  for (const PaletteKind kind : {PaletteKind::standard, PaletteKind::colorblind}) {
    const Palette& colors = palette(ThemeKind::dark, kind);
    EXPECT_NE(class_color(colors, GroupColoring::tensor_cores, 0),
              class_color(colors, GroupColoring::tensor_cores, 1));
    EXPECT_NE(class_color(colors, GroupColoring::tensor_cores, 1),
              class_color(colors, GroupColoring::tensor_cores, 3));
    for (std::size_t step = 1; step < 5; ++step) {
      EXPECT_GT(contrast(class_color(colors, GroupColoring::time, step), colors.panel),
                contrast(class_color(colors, GroupColoring::time, step - 1), colors.panel));
    }
  }
}

}  // namespace
}  // namespace dlview::ui
