// Rows of a table gathered under keys of integers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace dlview::report::nsys {

template <std::size_t N>
using Key = std::array<int64_t, N>;

template <std::size_t N>
struct KeyHash {
  std::size_t operator()(const Key<N>& key) const {
    uint64_t hash = 0;
    for (const int64_t part : key) {
      hash = (hash ^ static_cast<uint64_t>(part)) * 0x9E3779B97F4A7C15;
      hash ^= hash >> 32;
    }
    return static_cast<std::size_t>(hash);
  }
};

template <std::size_t N>
struct Groups {
  std::vector<Key<N>> keys;          // in the order of their first rows
  std::vector<std::size_t> first;    // group g has members [first[g], first[g + 1])
  std::vector<std::size_t> members;  // rows, inside a group in the order they were given

  std::size_t size() const { return keys.size(); }
  std::span<const std::size_t> rows(std::size_t group) const {
    return std::span(members).subspan(first[group], first[group + 1] - first[group]);
  }
};

template <std::size_t N, typename KeyOf>
Groups<N> group_by(std::span<const std::size_t> rows, const KeyOf& key_of) {
  Groups<N> groups;
  std::unordered_map<Key<N>, std::size_t, KeyHash<N>> group_of_key;
  std::vector<std::size_t> group_of_row;
  group_of_row.reserve(rows.size());
  std::vector<std::size_t> sizes;
  for (const std::size_t row : rows) {
    const Key<N> key = key_of(row);
    const auto [at, is_new] = group_of_key.try_emplace(key, groups.keys.size());
    if (is_new) {
      groups.keys.push_back(key);
      sizes.push_back(0);
    }
    group_of_row.push_back(at->second);
    ++sizes[at->second];
  }
  groups.first.push_back(0);
  for (const std::size_t size : sizes) groups.first.push_back(groups.first.back() + size);
  groups.members.resize(rows.size());
  std::vector<std::size_t> next(groups.first.begin(), groups.first.end() - 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    groups.members[next[group_of_row[i]]++] = rows[i];
  }
  return groups;
}

}  // namespace dlview::report::nsys
