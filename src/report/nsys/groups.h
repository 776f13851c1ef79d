// Rows of a table gathered under keys of integers.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "report/nsys/key_table.h"

namespace dlview::report::nsys {

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
  KeyTable<N> keys;
  std::vector<std::size_t> group_of_row, sizes;
  group_of_row.reserve(rows.size());
  for (const std::size_t row : rows) {
    const auto [group, is_new] = keys.insert(key_of(row));
    if (is_new) sizes.push_back(0);
    ++sizes[group];
    group_of_row.push_back(group);
  }
  Groups<N> groups;
  groups.keys = std::move(keys).keys();
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
