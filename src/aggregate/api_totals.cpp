#include "aggregate/api_totals.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "profile/call_name.h"

namespace dlview::aggregate {
namespace {

void add(ApiTotals& totals, int64_t ns) {
  ++totals.calls;
  totals.total_ns += ns;
  totals.longest_ns = std::max(totals.longest_ns, ns);
}

using TotalsByName = std::map<profile::StringId, ApiTotals>;

std::vector<ApiTotals> of_trace(const profile::Profile& profile) {
  const profile::TraceApiCalls& calls = profile.trace->api_calls;
  TotalsByName by_name;
  for (std::size_t i = 0; i < calls.name.size(); ++i) {
    add(by_name[calls.name[i]], calls.end_ns[i] - calls.start_ns[i]);
  }
  std::vector<ApiTotals> totals;
  for (auto& [name, total] : by_name) {
    if (name != profile::kNoText) total.name = profile::call_name(profile.text(name));
    totals.push_back(total);
  }
  return totals;
}

std::vector<ApiTotals> of_database(const profile::Profile& profile) {
  TotalsByName by_name;
  const auto add_all = [&](const auto& events) {
    for (std::size_t i = 0; i < events.size(); ++i) {
      add(by_name[events.name[i]], events.api_stop_ns[i] - events.api_start_ns[i]);
    }
  };
  add_all(profile.memory_ops);
  add_all(profile.syncs);
  add_all(profile.api_calls);
  std::vector<ApiTotals> totals;
  for (auto& [name, total] : by_name) {
    total.name = profile.text(name);
    totals.push_back(total);
  }
  ApiTotals launches{"kernel launches"};
  for (std::size_t i = 0; i < profile.kernels.size(); ++i) {
    add(launches, profile.kernels.api_stop_ns[i] - profile.kernels.api_start_ns[i]);
  }
  if (launches.calls > 0) totals.push_back(launches);
  return totals;
}

}  // namespace

std::vector<ApiTotals> api_totals(const profile::Profile& profile) {
  std::vector<ApiTotals> totals = profile.trace ? of_trace(profile) : of_database(profile);
  std::ranges::sort(totals, [](const ApiTotals& a, const ApiTotals& b) {
    return std::tie(b.total_ns, a.name) < std::tie(a.total_ns, b.name);
  });
  return totals;
}

}  // namespace dlview::aggregate
