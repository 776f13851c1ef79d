#include "aggregate/api_totals.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "profile/display_name.h"

namespace dlview::aggregate {
namespace {

void add(ApiTotals& totals, int64_t ns) {
  ++totals.calls;
  totals.total_ns += ns;
  totals.longest_ns = std::max(totals.longest_ns, ns);
}

using TotalsById = std::map<profile::StringId, ApiTotals>;

bool is_call_stack(const profile::TraceApiCalls& calls, std::size_t row) {
  return row < calls.layer.size() && calls.layer[row] == profile::ApiLayer::call_stack;
}

// One for each name without its version.
std::vector<ApiTotals> by_name(const profile::Profile& profile, const TotalsById& by_id) {
  std::map<std::string_view, ApiTotals> by_name;
  for (const auto& [id, total] : by_id) {
    ApiTotals& all = by_name[id == profile::kNoText ? "" : profile::call_name(profile.text(id))];
    all.calls += total.calls;
    all.total_ns += total.total_ns;
    all.longest_ns = std::max(all.longest_ns, total.longest_ns);
  }
  std::vector<ApiTotals> totals;
  for (auto& [name, total] : by_name) {
    total.name = name;
    totals.push_back(total);
  }
  return totals;
}

std::vector<ApiTotals> of_trace(const profile::Profile& profile) {
  const profile::TraceApiCalls& calls = profile.trace->api_calls;
  TotalsById by_id;
  for (std::size_t i = 0; i < calls.name.size(); ++i) {
    if (!is_call_stack(calls, i)) add(by_id[calls.name[i]], calls.end_ns[i] - calls.start_ns[i]);
  }
  return by_name(profile, by_id);
}

std::vector<ApiTotals> of_database(const profile::Profile& profile) {
  TotalsById by_id;
  const auto add_all = [&](const auto& events) {
    for (std::size_t i = 0; i < events.size(); ++i) {
      add(by_id[events.name[i]], events.api_stop_ns[i] - events.api_start_ns[i]);
    }
  };
  add_all(profile.memory_ops);
  add_all(profile.syncs);
  add_all(profile.api_calls);
  std::vector<ApiTotals> totals = by_name(profile, by_id);
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
