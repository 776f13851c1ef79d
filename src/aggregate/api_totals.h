// CUDA API calls of the whole run by name: what DLProf stores and never shows. Calls that launched
// kernels are stored without their names and stand under one.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "profile/profile.h"

namespace dlview::aggregate {

struct ApiTotals {
  std::string_view name;  // into the profile, or "kernel launches"
  int64_t calls = 0;
  int64_t total_ns = 0, longest_ns = 0;  // plain sum of the time on the CPU
  bool operator==(const ApiTotals&) const = default;
};

// Largest sum first; ties by name.
std::vector<ApiTotals> api_totals(const profile::Profile& profile);

}  // namespace dlview::aggregate
