// FreeLines: which line of a lane is free when an event begins. Grows as needed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace dlview::timeline {

// Lines by the time until which they are taken, in a tree whose nodes know the earliest below them.
class FreeLines {
 public:
  // Takes the uppermost line, from line `from` on, that is free from start_ns on.
  uint32_t take(int64_t start_ns, int64_t stop_ns, std::size_t from = 0) {
    const std::size_t node = find(start_ns, from);
    set(node, stop_ns);
    return static_cast<uint32_t>(node - leaves_);
  }
  // Until when a line is taken; INT64_MIN = it never was.
  int64_t until_ns(std::size_t line) const {
    return line < leaves_ ? until_[leaves_ + line] : INT64_MIN;
  }
  // Of a line that was taken.
  void take_until(std::size_t line, int64_t stop_ns) { set(leaves_ + line, stop_ns); }

 private:
  std::size_t find(int64_t start_ns, std::size_t from) {
    while (from >= leaves_ || until_[1] > start_ns) grow();
    std::size_t node = leaves_ + from;
    while (until_[node] > start_ns) {
      while (node % 2 == 1) node /= 2;  // what lies right of it is right of its parent
      if (node == 0) {
        grow();
        node = leaves_ + from;
      } else {
        ++node;
      }
    }
    while (node < leaves_) {
      node *= 2;
      if (until_[node] > start_ns) ++node;
    }
    return node;
  }
  void set(std::size_t node, int64_t stop_ns) {
    until_[node] = stop_ns;
    while (node > 1) {
      node /= 2;
      until_[node] = std::min(until_[2 * node], until_[2 * node + 1]);
    }
  }
  void grow() {
    std::vector<int64_t> larger(4 * leaves_, INT64_MIN);
    leaves_ *= 2;
    std::copy_n(until_.end() - static_cast<std::ptrdiff_t>(leaves_ / 2), leaves_ / 2,
                larger.begin() + static_cast<std::ptrdiff_t>(leaves_));
    for (std::size_t node = leaves_ - 1; node > 0; --node) {
      larger[node] = std::min(larger[2 * node], larger[2 * node + 1]);
    }
    until_ = std::move(larger);
  }

  std::size_t leaves_ = 1;
  std::vector<int64_t> until_ = std::vector<int64_t>(2, INT64_MIN);  // the root is node 1
};

}  // namespace dlview::timeline
