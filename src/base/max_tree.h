// MaxTree: finds the maximum of any range of values, and the next value above a limit, without
// reading each value. It stores the position of the maximum of each 16 neighbors, of 16 of these,
// and so on: half a byte per value. It does not store the values: each query takes a function that
// returns the value at a position, as an int64_t.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace dlview::base {

class MaxTree {
 public:
  MaxTree() = default;
  template <typename ValueOf>
  MaxTree(std::size_t count, const ValueOf& value_of);

  // The first place of [first, end) whose value is above the limit; `end` = none.
  template <typename ValueOf>
  std::size_t first_above(std::size_t first, std::size_t end, int64_t limit,
                          const ValueOf& value_of) const;
  // The maximum of positions [first, end), which is not empty, and the first position that has it.
  struct Greatest {
    int64_t value = 0;
    std::size_t place = 0;
  };
  template <typename ValueOf>
  Greatest greatest(std::size_t first, std::size_t end, const ValueOf& value_of) const;

 private:
  static constexpr std::size_t kFan = 16;

  // Returns a value (level 0) or the maximum of a block.
  template <typename ValueOf>
  int64_t value(std::size_t level, std::size_t i, const ValueOf& value_of) const {
    return level == 0 ? int64_t{value_of(i)} : levels_[level - 1][i];
  }

  // levels_[0][i]: the greatest value of places [16 i, 16 i + 16); one level up, of 16 of these.
  std::vector<std::vector<int64_t>> levels_;
};

template <typename ValueOf>
MaxTree::MaxTree(std::size_t count, const ValueOf& value_of) {
  const auto add_level = [this](std::size_t below, const auto& value_below) {
    std::vector<int64_t> level((below + kFan - 1) / kFan, std::numeric_limits<int64_t>::min());
    for (std::size_t i = 0; i < below; ++i) {
      level[i / kFan] = std::max<int64_t>(level[i / kFan], value_below(i));
    }
    levels_.push_back(std::move(level));
  };
  if (count <= kFan) return;
  add_level(count, value_of);
  while (levels_.back().size() > kFan) {
    const std::vector<int64_t>& below = levels_.back();
    add_level(below.size(), [&below](std::size_t i) { return below[i]; });
  }
}

template <typename ValueOf>
std::size_t MaxTree::first_above(std::size_t first, std::size_t end, int64_t limit,
                                 const ValueOf& value_of) const {
  // From left to right: up where a block begins, down into one that has something above the limit.
  std::size_t level = 0, at = first, width = 1;
  while (at * width < end) {
    if (value(level, at, value_of) > limit) {
      if (level == 0) return at;
      --level;
      width /= kFan;
      at *= kFan;
      continue;
    }
    ++at;
    while (at % kFan == 0 && level < levels_.size()) {
      ++level;
      width *= kFan;
      at /= kFan;
    }
  }
  return end;
}

template <typename ValueOf>
MaxTree::Greatest MaxTree::greatest(std::size_t first, std::size_t end,
                                    const ValueOf& value_of) const {
  int64_t most = value_of(first);
  std::size_t from = first, to = end;
  for (std::size_t level = 0; from < to; ++level, from /= kFan, to /= kFan) {
    const bool is_top = level == levels_.size();
    const auto take = [&](std::size_t i) { most = std::max(most, value(level, i, value_of)); };
    while (from < to && (is_top || from % kFan != 0)) take(from++);
    while (from < to && to % kFan != 0) take(--to);
  }
  if (most == std::numeric_limits<int64_t>::min()) return {most, first};
  return {most, first_above(first, end, most - 1, value_of)};
}

}  // namespace dlview::base
