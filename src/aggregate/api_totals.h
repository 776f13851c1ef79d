// CUDA API calls of the whole run by name. A DLProf database stores those that launched kernels
// without their names, so that they stand under one; a Trace has each call that was recorded.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "profile/profile.h"

namespace dlview::aggregate {

struct ApiTotals {
  // Into the profile, or "kernel launches". Of a Trace as profile::call_name() has it.
  std::string_view name;
  int64_t calls = 0;
  int64_t total_ns = 0, longest_ns = 0;  // plain sum of the time on the CPU
  bool operator==(const ApiTotals&) const = default;
};

// Largest sum first; ties by name.
std::vector<ApiTotals> api_totals(const profile::Profile& profile);

}  // namespace dlview::aggregate
