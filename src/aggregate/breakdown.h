// The seven-way resource breakdown: each instant of an iteration belongs to the first category of
// this list that is active on the device (spec.md 6-9).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string_view>

#include "profile/data_loading.h"

namespace dlview::aggregate {

enum class Category : uint8_t {
  tensor_core_kernels,
  other_kernels,
  memory,
  data_loader,
  io,
  cpu,
  other,
};
inline constexpr std::size_t kCategoryCount = 7;
inline constexpr std::array<Category, kCategoryCount> kCategories{Category::tensor_core_kernels,
                                                                  Category::other_kernels,
                                                                  Category::memory,
                                                                  Category::data_loader,
                                                                  Category::io,
                                                                  Category::cpu,
                                                                  Category::other};

// Returns whether filters change the category. GPU categories count only what matches the filters.
// Data loader, I/O and CPU are those of the whole run. Other is the rest, including what the
// filters exclude (spec.md 25).
constexpr bool obeys_filters(Category category) {
  return category == Category::tensor_core_kernels || category == Category::other_kernels ||
         category == Category::memory;
}

// Instances of this op type are the data loader's time (formats.md 5).
using profile::kDataLoaderOpType;

// ns for each category.
struct Breakdown {
  std::array<int64_t, kCategoryCount> ns{};

  int64_t& operator[](Category category) { return ns[static_cast<std::size_t>(category)]; }
  int64_t operator[](Category category) const { return ns[static_cast<std::size_t>(category)]; }
  int64_t total() const { return std::accumulate(ns.begin(), ns.end(), int64_t{0}); }
  Breakdown& operator+=(const Breakdown& more) {
    for (std::size_t i = 0; i < kCategoryCount; ++i) ns[i] += more.ns[i];
    return *this;
  }
  bool operator==(const Breakdown&) const = default;
};

}  // namespace dlview::aggregate
