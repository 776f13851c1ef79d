// ValueTree: a tree whose nodes have values, and which of its nodes can be seen in a picture of
// given width. Pure; knows nothing of drawing (ui/chart/tree_chart.h does).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace dlview::ui {

// Immutable. Children are in order of their values, the largest first, equal ones in that of their
// numbers, so that those too small to be seen stand together at the end.
class ValueTree {
 public:
  static constexpr uint32_t kTop = UINT32_MAX;  // what contains the outermost nodes

  ValueTree() = default;
  // `parents` are earlier nodes, or kTop. No value is negative. O(n log n).
  ValueTree(std::vector<uint32_t> parents, std::vector<int64_t> values);

  uint32_t size() const { return static_cast<uint32_t>(parents_.size()); }
  uint32_t parent(uint32_t node) const { return parents_[node]; }
  // Of kTop: that of its children together.
  int64_t value(uint32_t node) const { return node == kTop ? below_.back() : values_[node]; }
  // That of the children together, which may be above value(): clocks differ.
  int64_t value_below(uint32_t node) const { return below_[place(node)]; }
  std::span<const uint32_t> children(uint32_t node) const;
  // The nodes around it, the outermost first, and the node itself. Nothing for kTop.
  std::vector<uint32_t> path(uint32_t node) const;

 private:
  std::size_t place(uint32_t node) const { return node == kTop ? parents_.size() : node; }

  std::vector<uint32_t> parents_;
  std::vector<int64_t> values_;
  std::vector<int64_t> below_{0};            // by place()
  std::vector<uint32_t> first_child_{0, 0};  // in children_, by place(), and the end
  std::vector<uint32_t> children_;
};

// A node that can be seen, or the siblings that are too small to be: a fold.
struct TreePart {
  uint32_t node = 0;           // the largest one of a fold
  uint32_t level = 0;          // below the root, which has 0
  double first = 0, last = 0;  // of the width of the root, 0..1
  uint32_t folded = 0;         // siblings that stand here; 0 = the node is no fold
  int64_t value = 0;           // of the node, or of all that are folded
  bool operator==(const TreePart&) const = default;
};

struct TreeLimits {
  uint32_t levels = 0;                            // the root's included; 0 = all
  double least_share = 0;                         // of the root's value; smaller ones are folded
  std::function<double(uint32_t level)> width{};  // pixels of all of a level
};

// The root and what can be seen below it: nodes with a pixel of width and more. A node is as wide
// as its part of its parent, or of all children where these are more; nodes of value 0 are left
// out. Level by level, and each level in order of `first`. The cost grows with the parts, not with
// the nodes. Nothing where the root has the value 0.
std::vector<TreePart> lay_out_tree(const ValueTree& tree, uint32_t root, const TreeLimits& limits);

// The part of the level that covers the place, 0..1; null = none.
const TreePart* part_at(std::span<const TreePart> parts, uint32_t level, double place);

}  // namespace dlview::ui
