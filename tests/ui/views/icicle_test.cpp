#include "ui/views/tables/icicle.h"

#include <random>

#include <gtest/gtest.h>

#include "ui/tree_of_paths.h"

namespace dlview::ui {
namespace {

TEST(Icicle, BoxesAreAsWideAsWhatTheyHold) {
  const RowTree tree = testing::tree_of_paths({"a/", "a/x", "a/y", "b"});
  const std::vector<int64_t> values{75, 50, 25, 25};
  const auto boxes = lay_out_icicle(tree, values, RowTree::kTop, 100);
  ASSERT_EQ(boxes.size(), 4u);
  EXPECT_EQ(boxes[0].row, 0u);
  EXPECT_EQ(boxes[0].right, 75);
  EXPECT_EQ(boxes[1].row, 3u);
  EXPECT_EQ(boxes[2].level, 1u);
  EXPECT_EQ(boxes[2].right, 50);
}

TEST(Icicle, ARootFillsTheWidth) {
  const RowTree tree = testing::tree_of_paths({"a/", "a/x", "a/y", "b"});
  const std::vector<int64_t> values{75, 50, 25, 25};
  const auto boxes = lay_out_icicle(tree, values, 0, 150);
  ASSERT_EQ(boxes.size(), 3u);
  EXPECT_EQ(boxes[0].right, 150);
  EXPECT_EQ(boxes[1].right, 100);
}

TEST(Icicle, WithoutTimeThereIsNothing) {
  const RowTree tree = testing::tree_of_paths({"a/", "a/x"});
  EXPECT_TRUE(lay_out_icicle(tree, std::vector<int64_t>{0, 0}, RowTree::kTop, 100).empty());
}

TEST(Icicle, LabelsAreWholeOrHaveSixLetters) {
  const auto label = [](std::string_view name, float room) {
    return icicle_label(name, room,
                        [](std::string_view part) { return static_cast<float>(part.size()); });
  };
  EXPECT_EQ(label("bn1", 3), "bn1");
  EXPECT_EQ(label("downsample", 9), "dow…ple");
  EXPECT_EQ(label("downsample", 8), "");
  EXPECT_EQ(label("relu", 3), "");
}

TEST(Icicle, EveryRowIsDrawnOrCountedInAFold) {
  std::mt19937 random(11);
  std::vector<std::string> paths{"all/"};
  std::vector<int64_t> values{0};
  for (int i = 0; i < 5000; ++i) {
    paths.push_back("all/op" + std::to_string(i));
    values.push_back(1 + random() % 1000);
    values[0] += values.back();
  }
  const auto boxes = lay_out_icicle(testing::tree_of_paths(paths), values, RowTree::kTop, 400);
  uint32_t rows = 0;
  for (const IcicleBox& box : boxes) {
    rows += box.folded;
    EXPECT_GE(box.right - box.left, 1);
    EXPECT_LE(box.right, 401);
  }
  EXPECT_EQ(rows, paths.size());
  EXPECT_LE(boxes.size(), 802u);
}

}  // namespace
}  // namespace dlview::ui
