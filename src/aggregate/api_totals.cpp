#include "aggregate/api_totals.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace dlview::aggregate {
namespace {

void add(ApiTotals& totals, int64_t ns) {
  ++totals.calls;
  totals.total_ns += ns;
  totals.longest_ns = std::max(totals.longest_ns, ns);
}

}  // namespace

std::vector<ApiTotals> api_totals(const profile::Profile& profile) {
  std::map<profile::StringId, ApiTotals> by_name;
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
  std::ranges::sort(totals, [](const ApiTotals& a, const ApiTotals& b) {
    return std::tie(b.total_ns, a.name) < std::tie(a.total_ns, b.name);
  });
  return totals;
}

}  // namespace dlview::aggregate
