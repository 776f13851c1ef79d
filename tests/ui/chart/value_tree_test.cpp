// ValueTree and which of its nodes a picture shows.
#include "ui/chart/value_tree.h"

#include <algorithm>
#include <random>
#include <utility>

#include <gmock/gmock.h>

namespace dlview::ui {
namespace {

using ::testing::ElementsAre;

TreeLimits pixels(double width) {
  return {.width = [width](uint32_t) { return width; }};
}

// Looks at every node, one after the other, and folds afterwards.
class SlowLayout {
 public:
  SlowLayout(const ValueTree& tree, uint32_t root, const TreeLimits& limits)
      : tree_(tree), limits_(limits), whole_(tree.value(root)) {
    if (whole_ > 0) add({root, 0, 0, 1, 0, whole_});
    std::ranges::stable_sort(
        parts, {}, [](const TreePart& part) { return std::pair(part.level, part.first); });
  }
  std::vector<TreePart> parts;

 private:
  void add(const TreePart& part) {
    parts.push_back(part);
    const uint32_t level = part.level + 1;
    if (limits_.levels != 0 && level >= limits_.levels) return;
    std::vector<uint32_t> children;
    int64_t all = 0;
    for (uint32_t node = 0; node < tree_.size(); ++node) {
      if (tree_.parent(node) != part.node || tree_.value(node) == 0) continue;
      children.push_back(node);
      all += tree_.value(node);
    }
    std::ranges::stable_sort(children, std::ranges::greater(),
                             [&](uint32_t node) { return tree_.value(node); });
    const double scale = (part.last - part.first) / static_cast<double>(std::max(all, part.value));
    int64_t before = 0;
    TreePart fold{0, level, 0, 0, 0, 0};
    for (const uint32_t child : children) {
      const int64_t value = tree_.value(child);
      const double first = part.first + static_cast<double>(before) * scale;
      const double last = part.first + static_cast<double>(before + value) * scale;
      const double share = static_cast<double>(value) / static_cast<double>(whole_);
      before += value;
      if (static_cast<double>(value) * scale * limits_.width(level) >= 1 &&
          share >= limits_.least_share) {
        add({child, level, first, last, 0, value});
        continue;
      }
      if (fold.folded == 0) fold = {child, level, first, 0, 0, 0};
      fold.last = last;
      ++fold.folded;
      fold.value += value;
    }
    if (fold.folded > 0) parts.push_back(fold);
  }

  const ValueTree& tree_;
  const TreeLimits& limits_;
  int64_t whole_;
};

// A parent's value is that of its children and some of its own.
ValueTree random_tree(uint32_t nodes, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<uint32_t> parents;
  std::vector<int64_t> values;
  for (uint32_t node = 0; node < nodes; ++node) {
    parents.push_back(node == 0 || random() % 50 == 0 ? ValueTree::kTop : random() % node);
    values.push_back(random() % 3 == 0 ? 0 : static_cast<int64_t>(random() % 1000));
  }
  for (uint32_t node = nodes; node-- > 0;) {
    if (parents[node] != ValueTree::kTop) values[parents[node]] += values[node];
  }
  return {parents, values};
}

TEST(ValueTree, OrdersChildrenByValue) {
  const ValueTree tree({ValueTree::kTop, 0, 0, 0, 1}, {10, 2, 5, 2, 2});
  EXPECT_THAT(tree.children(0), ElementsAre(2, 1, 3));
  EXPECT_THAT(tree.children(ValueTree::kTop), ElementsAre(0));
  EXPECT_TRUE(tree.children(4).empty());
  EXPECT_EQ(tree.value(ValueTree::kTop), 10);
  EXPECT_EQ(tree.value_below(0), 9);
  EXPECT_THAT(tree.path(4), ElementsAre(0, 1, 4));
  EXPECT_TRUE(tree.path(ValueTree::kTop).empty());
}

TEST(ValueTree, EmptyTreeHasNoParts) {
  EXPECT_EQ(ValueTree().value(ValueTree::kTop), 0);
  EXPECT_TRUE(ValueTree().children(ValueTree::kTop).empty());
  EXPECT_TRUE(lay_out_tree(ValueTree(), ValueTree::kTop, pixels(100)).empty());
}

TEST(TreeLayout, NodesAreAsWideAsTheirPart) {
  const ValueTree tree({ValueTree::kTop, 0, 0}, {100, 30, 60});
  EXPECT_THAT(lay_out_tree(tree, ValueTree::kTop, pixels(100)),
              ElementsAre(TreePart{ValueTree::kTop, 0, 0, 1, 0, 100}, TreePart{0, 1, 0, 1, 0, 100},
                          TreePart{2, 2, 0, 0.6, 0, 60}, TreePart{1, 2, 0.6, 0.9, 0, 30}));
  EXPECT_THAT(lay_out_tree(tree, 1, pixels(100)), ElementsAre(TreePart{1, 0, 0, 1, 0, 30}));
}

TEST(TreeLayout, ChildrenOfMoreStayInTheirParent) {
  const ValueTree tree({ValueTree::kTop, 0, 0}, {100, 150, 50});
  EXPECT_THAT(lay_out_tree(tree, 0, pixels(100)),
              ElementsAre(TreePart{0, 0, 0, 1, 0, 100}, TreePart{1, 1, 0, 0.75, 0, 150},
                          TreePart{2, 1, 0.75, 1, 0, 50}));
}

TEST(TreeLayout, FoldsWhatIsBelowAPixelOrTheCutoff) {
  const ValueTree tree({ValueTree::kTop, 0, 0, 0, 1}, {1000, 900, 9, 1, 900});
  TreeLimits limits = pixels(100);
  EXPECT_THAT(lay_out_tree(tree, 0, limits),
              ElementsAre(TreePart{0, 0, 0, 1, 0, 1000}, TreePart{1, 1, 0, 0.9, 0, 900},
                          TreePart{2, 1, 0.9, 0.91, 2, 10}, TreePart{4, 2, 0, 0.9, 0, 900}));
  limits = {.levels = 2, .least_share = 0.95, .width = pixels(1e6).width};
  EXPECT_THAT(lay_out_tree(tree, 0, limits),
              ElementsAre(TreePart{0, 0, 0, 1, 0, 1000}, TreePart{1, 1, 0, 0.91, 3, 910}));
}

TEST(TreeLayout, EqualsTheLayoutThatLooksAtEveryNode) {
  for (uint32_t seed = 0; seed < 40; ++seed) {
    const ValueTree tree = random_tree(1 + seed * 8, seed);
    for (const uint32_t root : {ValueTree::kTop, uint32_t{0}, tree.size() / 2}) {
      // A ring of a sunburst is wider than the one inside.
      for (const TreeLimits& limits :
           {pixels(50), pixels(1e9), TreeLimits{.levels = 3, .width = pixels(200).width},
            TreeLimits{.least_share = 0.02, .width = pixels(1e9).width},
            TreeLimits{.width = [](uint32_t level) { return 20.0 + 30 * level; }}}) {
        EXPECT_EQ(lay_out_tree(tree, root, limits), SlowLayout(tree, root, limits).parts)
            << "seed " << seed << " root " << root;
      }
    }
  }
}

TEST(TreeLayout, FindsThePartAtAPlace) {
  const ValueTree tree({ValueTree::kTop, 0, 0}, {100, 30, 60});
  const auto parts = lay_out_tree(tree, 0, pixels(100));
  EXPECT_EQ(part_at(parts, 0, 0.5)->node, 0u);
  EXPECT_EQ(part_at(parts, 1, 0.0)->node, 2u);
  EXPECT_EQ(part_at(parts, 1, 0.7)->node, 1u);
  EXPECT_EQ(part_at(parts, 1, 0.95), nullptr);
  EXPECT_EQ(part_at(parts, 2, 0.5), nullptr);
  EXPECT_EQ(part_at(parts, 0, -0.1), nullptr);
}

TEST(TreeLayout, CostFollowsThePixels) {
  // A million nodes in one parent, all below a pixel: the layout looks at one of them.
  std::vector<uint32_t> parents(1'000'001, 0);
  std::vector<int64_t> values(1'000'001, 1);
  parents[0] = ValueTree::kTop;
  values[0] = 1'000'000;
  const ValueTree tree(std::move(parents), std::move(values));
  int looks = 0;
  const TreeLimits limits{.width = [&looks](uint32_t) { return ++looks, 1000.0; }};
  const auto parts = lay_out_tree(tree, 0, limits);
  EXPECT_THAT(parts, ElementsAre(TreePart{0, 0, 0, 1, 0, 1'000'000},
                                 TreePart{1, 1, 0, 1, 1'000'000, 1'000'000}));
  EXPECT_EQ(looks, 1);
}

}  // namespace
}  // namespace dlview::ui
