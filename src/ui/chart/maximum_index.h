// Where the largest of many values lies in any run of them, in O(log n): what lets a chart of
// 100 000 bars keep every spike while its cost follows the pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dlview::ui {

class MaximumIndex {
 public:
  MaximumIndex() = default;
  explicit MaximumIndex(std::vector<int64_t> values);

  // Index of the largest value in [first, last), the first of equals. Needs first < last <= size().
  std::size_t largest(std::size_t first, std::size_t last) const;

  std::size_t size() const { return values_.size(); }
  int64_t value(std::size_t index) const { return values_[index]; }
  const std::vector<int64_t>& values() const { return values_; }

 private:
  std::size_t better(std::size_t a, std::size_t b) const;

  std::vector<int64_t> values_;
  // levels_[k][b] = index of the largest value of block b of 2^(k+1) values.
  std::vector<std::vector<uint32_t>> levels_;
};

}  // namespace dlview::ui
