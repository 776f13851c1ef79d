// Ids of a table to small values. Ids that count up from 1, as SQLite hands them out, are
// addressed directly; stray ones, which a damaged or edited file may hold, are hashed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace dlview::import {

template <typename Value>
class IdMap {
 public:
  void set(int64_t id, Value value) {
    // The count bounds the memory, whatever the ids are.
    const int64_t limit = 4 * ++count_ + 1024;
    if (id < 0 || id >= limit) {
      stray_[id] = value;
      return;
    }
    const auto index = static_cast<std::size_t>(id);
    if (index >= dense_.size()) dense_.resize(index + 1);
    dense_[index] = value;
  }

  std::optional<Value> find(int64_t id) const {
    if (id >= 0 && static_cast<std::size_t>(id) < dense_.size()) {
      const std::optional<Value>& value = dense_[static_cast<std::size_t>(id)];
      if (value) return value;
    }
    if (stray_.empty()) return std::nullopt;
    const auto found = stray_.find(id);
    return found == stray_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  int64_t count_ = 0;
  std::vector<std::optional<Value>> dense_;
  std::unordered_map<int64_t, Value> stray_;
};

}  // namespace dlview::import
