// A LargeVector whose resize() leaves new values as they are in memory: large ones are then
// written, and so touched first, by several threads at once. Each must be written before it is
// read.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/large_memory.h"

namespace dlview::base {

template <typename T>
struct UntouchedAllocator : PageAllocator<T> {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>,
                "memory is a value of such types, whatever it holds");
  template <typename U>
  struct rebind {
    using other = UntouchedAllocator<U>;
  };

  template <typename U>
  void construct(U*) {}
  template <typename U, typename First, typename... Others>
  void construct(U* place, First&& first, Others&&... others) {
    std::construct_at(place, std::forward<First>(first), std::forward<Others>(others)...);
  }
};

template <typename T>
using UntouchedVector = std::vector<T, UntouchedAllocator<T>>;

}  // namespace dlview::base
