// Numbers distinct keys in the order in which they first occur, on all cores, as one thread would.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "base/untouched_vector.h"

namespace dlview::base {

// The numbers of keys that one thread meets.
template <typename Key, typename Hash>
class KeyNumbers {
 public:
  uint32_t find(const Key& key) {
    // Neighbors are often the same.
    if (!keys_.empty() && keys_[last_] == key) return last_;
    if (2 * keys_.size() >= slots_.size()) grow();
    std::size_t slot = slot_of(key);
    for (; slots_[slot] != kFree; slot = next(slot)) {
      if (keys_[slots_[slot]] == key) return last_ = slots_[slot];
    }
    last_ = slots_[slot] = static_cast<uint32_t>(keys_.size());
    keys_.push_back(key);
    return last_;
  }
  // By number.
  const std::vector<Key>& keys() const { return keys_; }

 private:
  static constexpr uint32_t kFree = UINT32_MAX;
  static constexpr std::size_t kFewestSlots = 64;  // a power of two, as all numbers of slots

  // By the upper bits of a product: the hash of a number is often that number.
  std::size_t slot_of(const Key& key) const {
    const uint64_t mixed = uint64_t{Hash()(key)} * 0x9e3779b97f4a7c15U;
    return mixed >> (64 - std::countr_zero(slots_.size()));
  }
  std::size_t next(std::size_t slot) const { return (slot + 1) & (slots_.size() - 1); }
  void grow() {
    slots_.assign(std::max(kFewestSlots, 2 * slots_.size()), kFree);
    for (uint32_t number = 0; number < keys_.size(); ++number) {
      std::size_t slot = slot_of(keys_[number]);
      while (slots_[slot] != kFree) slot = next(slot);
      slots_[slot] = number;
    }
  }

  // Open addressing, at most half full: a number, or kFree.
  std::vector<uint32_t> slots_;
  std::vector<Key> keys_;
  uint32_t last_ = 0;
};

template <typename Key>
struct NumberedKeys {
  UntouchedVector<uint32_t> of_item;
  std::vector<Key> keys;  // by number
};

// `key(i)` is called once for each item, on several threads at once.
template <typename Hash, typename KeyOf>
auto number_distinct(std::size_t items, const KeyOf& key) {
  using Key = std::remove_cvref_t<std::invoke_result_t<KeyOf, std::size_t>>;
  constexpr std::size_t kItemsOfPart = std::size_t{1} << 18;
  const std::size_t parts = (items + kItemsOfPart - 1) / kItemsOfPart;
  NumberedKeys<Key> result;
  result.of_item.resize(items);
  const auto for_each_item = [&](const auto& use) {
    parallel_for(parts, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t part = begin; part < end; ++part) {
        const std::size_t stop = std::min(items, (part + 1) * kItemsOfPart);
        for (std::size_t i = part * kItemsOfPart; i < stop; ++i) use(part, i);
      }
    });
  };
  std::vector<KeyNumbers<Key, Hash>> of_part(parts);
  for_each_item(
      [&](std::size_t part, std::size_t i) { result.of_item[i] = of_part[part].find(key(i)); });
  KeyNumbers<Key, Hash> all;
  std::vector<std::vector<uint32_t>> numbers(parts);
  for (std::size_t part = 0; part < parts; ++part) {
    for (const Key& each : of_part[part].keys()) numbers[part].push_back(all.find(each));
  }
  for_each_item([&](std::size_t part, std::size_t i) {
    result.of_item[i] = numbers[part][result.of_item[i]];
  });
  result.keys = all.keys();
  return result;
}

}  // namespace dlview::base
