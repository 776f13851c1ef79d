// The values of a column while several threads write them, each at places of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "base/large_memory.h"
#include "profile/column.h"

namespace dlview::profile {

template <typename T>
class ColumnSlots {
 public:
  // Writes to no value: new memory is touched by who first writes to a page of it.
  explicit ColumnSlots(std::size_t room) : values_(take(room)), room_(room) {}

  T* at(std::size_t offset) const { return values_.get() + offset; }

  // To a place before it.
  void move_down(std::size_t from, std::size_t to, std::size_t count) {
    std::copy_n(at(from), count, at(to));
  }

  // Returns the first `count` values; frees the remaining room if it is large.
  Column<T> finish(std::size_t count) && {
    if (count >= room_ / 2) return {values_, std::span<const T>(values_.get(), count)};
    const std::shared_ptr<T> kept = take(count);
    std::copy_n(values_.get(), count, kept.get());
    return {kept, std::span<const T>(kept.get(), count)};
  }

 private:
  // Not new T[room], which writes to each value that has a default.
  static std::shared_ptr<T> take(std::size_t room) {
    return {base::PageAllocator<T>().allocate(room),
            [room](T* values) { base::PageAllocator<T>().deallocate(values, room); }};
  }

  std::shared_ptr<T> values_;
  std::size_t room_;
};

}  // namespace dlview::profile
