#include "ui/chart/value_tree.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace dlview::ui {

ValueTree::ValueTree(std::vector<uint32_t> parents, std::vector<int64_t> values)
    : parents_(std::move(parents)),
      values_(std::move(values)),
      below_(parents_.size() + 1),
      first_child_(parents_.size() + 2),
      children_(parents_.size()) {
  for (uint32_t node = 0; node < size(); ++node) {
    below_[place(parents_[node])] += values_[node];
    ++first_child_[place(parents_[node]) + 1];
  }
  std::partial_sum(first_child_.begin(), first_child_.end(), first_child_.begin());
  std::vector<uint32_t> next(first_child_.begin(), first_child_.end() - 1);
  for (uint32_t node = 0; node < size(); ++node) children_[next[place(parents_[node])]++] = node;
  for (std::size_t of = 0; of + 1 < first_child_.size(); ++of) {
    std::stable_sort(children_.begin() + first_child_[of], children_.begin() + first_child_[of + 1],
                     [this](uint32_t a, uint32_t b) { return values_[a] > values_[b]; });
  }
}

std::span<const uint32_t> ValueTree::children(uint32_t node) const {
  const uint32_t first = first_child_[place(node)];
  return std::span(children_).subspan(first, first_child_[place(node) + 1] - first);
}

std::vector<uint32_t> ValueTree::path(uint32_t node) const {
  std::vector<uint32_t> around;
  for (uint32_t each = node; each != kTop; each = parents_[each]) around.push_back(each);
  std::ranges::reverse(around);
  return around;
}

std::vector<TreePart> lay_out_tree(const ValueTree& tree, uint32_t root, const TreeLimits& limits) {
  std::vector<TreePart> parts;
  const int64_t whole = tree.value(root);
  if (whole <= 0) return parts;
  parts.push_back({root, 0, 0, 1, 0, whole});
  for (std::size_t next = 0; next < parts.size(); ++next) {
    const TreePart around = parts[next];
    const uint32_t level = around.level + 1;
    if (around.folded > 0 || level == limits.levels) continue;
    const int64_t below = tree.value_below(around.node);
    const double per_value =
        (around.last - around.first) / static_cast<double>(std::max(around.value, below));
    const double least_width = 1 / limits.width(level);
    const auto is_seen = [&](uint32_t child) {
      const auto value = static_cast<double>(tree.value(child));
      return value * per_value >= least_width &&
             value >= limits.least_share * static_cast<double>(whole);
    };
    const std::span<const uint32_t> children = tree.children(around.node);
    int64_t before = 0;
    std::size_t child = 0;
    const auto place_of = [&](int64_t value) {
      return around.first + static_cast<double>(value) * per_value;
    };
    for (; child < children.size() && is_seen(children[child]); ++child) {
      const int64_t value = tree.value(children[child]);
      parts.push_back(
          {children[child], level, place_of(before), place_of(before + value), 0, value});
      before += value;
    }
    if (before == below) continue;
    const auto rest = children.subspan(child);
    const auto end =
        std::ranges::partition_point(rest, [&](uint32_t each) { return tree.value(each) > 0; });
    parts.push_back({rest.front(), level, place_of(before), place_of(below),
                     static_cast<uint32_t>(end - rest.begin()), below - before});
  }
  return parts;
}

const TreePart* part_at(std::span<const TreePart> parts, uint32_t level, double place) {
  const auto first = std::ranges::lower_bound(parts, level, {}, &TreePart::level);
  const auto end = std::ranges::upper_bound(parts, level, {}, &TreePart::level);
  const auto after = std::upper_bound(
      first, end, place, [](double at, const TreePart& part) { return at < part.first; });
  if (after == first || std::prev(after)->last < place) return nullptr;
  return &*std::prev(after);
}

}  // namespace dlview::ui
