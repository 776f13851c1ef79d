// CUDA API calls of the whole run by name. A DLProf database does not store the names of calls that
// launched kernels: they share one row. A Trace has each recorded call.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "profile/profile.h"

namespace dlview::aggregate {

struct ApiTotals {
  // Text of the profile (in a Trace: of profile::call_name()), or "kernel launches".
  std::string_view name;
  int64_t calls = 0;
  int64_t total_ns = 0, longest_ns = 0;  // sum of the time on the CPU
  bool operator==(const ApiTotals&) const = default;
};

// Largest sum first; ties by name.
std::vector<ApiTotals> api_totals(const profile::Profile& profile);

}  // namespace dlview::aggregate
