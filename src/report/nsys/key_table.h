// KeyTable: numbers keys of integers 0, 1, 2, ... in the order in which they come up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace dlview::report::nsys {

template <std::size_t N>
using Key = std::array<int64_t, N>;

// Open addressing with linear steps: a look-up costs one or two cache misses and no allocation.
template <std::size_t N>
class KeyTable {
 public:
  static constexpr std::size_t kNone = SIZE_MAX;

  std::size_t size() const { return keys_.size(); }
  const std::vector<Key<N>>& keys() const& { return keys_; }
  std::vector<Key<N>> keys() && { return std::move(keys_); }

  // The number of the key, and whether it is new.
  std::pair<std::size_t, bool> insert(const Key<N>& key) {
    if (2 * (keys_.size() + 1) > slots_.size()) grow();
    std::size_t& slot = slots_[slot_of(key)];
    if (slot != kNone) return {slot, false};
    slot = keys_.size();
    keys_.push_back(key);
    return {slot, true};
  }
  // Its number, or kNone.
  std::size_t find(const Key<N>& key) const {
    return slots_.empty() ? kNone : slots_[slot_of(key)];
  }

 private:
  // Where the key is or would be put.
  std::size_t slot_of(const Key<N>& key) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash(key) & mask;
    while (slots_[slot] != kNone && keys_[slots_[slot]] != key) slot = (slot + 1) & mask;
    return slot;
  }
  static std::size_t hash(const Key<N>& key) {
    uint64_t hash = 0;
    for (const int64_t part : key) {
      hash = (hash ^ static_cast<uint64_t>(part)) * 0x9E3779B97F4A7C15;
      hash ^= hash >> 32;
    }
    return static_cast<std::size_t>(hash);
  }
  void grow() {
    constexpr std::size_t kFirstSize = 64;
    slots_.assign(slots_.empty() ? kFirstSize : 2 * slots_.size(), kNone);
    for (std::size_t i = 0; i < keys_.size(); ++i) slots_[slot_of(keys_[i])] = i;
  }

  std::vector<std::size_t> slots_;  // numbers of keys, or kNone; a power of two
  std::vector<Key<N>> keys_;
};

}  // namespace dlview::report::nsys
