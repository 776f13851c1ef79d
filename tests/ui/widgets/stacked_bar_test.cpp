#include "ui/widgets/stacked_bar.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace dlview::ui {
namespace {

std::vector<BarPart> parts_of(const std::vector<double>& fractions) {
  std::vector<BarPart> parts;
  for (const double fraction : fractions) {
    BarPart part;
    part.fraction = fraction;
    parts.push_back(part);
  }
  return parts;
}

TEST(StackedBar, PartsTileTheBarInWholePixels) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> fractions(7);
    double total = 0;
    for (double& fraction : fractions) total += fraction = random() % 1000;
    for (double& fraction : fractions) fraction /= total;
    const auto edges = part_edges(parts_of(fractions), 613);
    EXPECT_EQ(edges.front(), 0);
    EXPECT_EQ(edges.back(), 613);
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
      EXPECT_EQ(edges[i], std::floor(edges[i]));
      EXPECT_LE(edges[i], edges[i + 1]);
    }
  }
}

TEST(StackedBar, ATinyPartKeepsAPixelAndAnEmptyOneNone) {
  const auto edges = part_edges(parts_of({1e-9, 0, 1}), 100);
  EXPECT_EQ(edges[1] - edges[0], 1);
  EXPECT_EQ(edges[2] - edges[1], 0);
  EXPECT_EQ(edges[3] - edges[2], 99);
}

TEST(StackedBar, WithoutAnyPartTheBarIsEmpty) {
  EXPECT_EQ(part_edges(parts_of({0, 0}), 100).back(), 0);
}

}  // namespace
}  // namespace dlview::ui
