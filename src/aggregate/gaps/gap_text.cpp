#include "aggregate/gaps/gap_text.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "base/units.h"

namespace dlview::aggregate {
namespace {

std::string_view op_of(const profile::Profile& profile, const HostTime& host) {
  if (host.instance == profile::kNoRow) return "";
  return profile.text(profile.ops.name[profile.instances.op[host.instance]]);
}

}  // namespace

std::string place_of_host(const profile::Profile& profile, const HostTime& host) {
  switch (host.cause) {
    case GapCause::wait:
    case GapCause::api_call:
      return fmt::format("in {}", profile.text(host.call));
    case GapCause::data_loader:
    case GapCause::op:
      return fmt::format("in {}", op_of(profile, host));
    case GapCause::launch:
      return "launching the next work";
    case GapCause::queued:
      return "ahead of the GPU, which waited for other work";
    case GapCause::nothing:
      break;
  }
  return "between ops, where nothing was recorded";
}

std::string host_in_gaps(const profile::Profile& profile, std::span<const FindingPlace> gaps) {
  // What a cause took of a gap may be several ops' or calls' time, of which one is named.
  std::map<std::string, int64_t> by_place;
  int64_t total_ns = 0, count = 0;
  for (const FindingPlace& gap : gaps) {
    if (!gap.host) continue;
    by_place[place_of_host(profile, *gap.host)] += gap.host->cause_ns;
    total_ns += gap.duration_ns;
    ++count;
  }
  if (count == 0) return "";
  const auto most =
      std::ranges::max_element(by_place, {}, [](const auto& entry) { return entry.second; });
  const std::string total = base::format_duration(total_ns);
  return fmt::format(
      "In the {} the host was mostly {}",
      count == 1 ? fmt::format("longest, {},", total)
                 : fmt::format("{} longest, {} together,", base::format_count(count), total),
      most->first);
}

}  // namespace dlview::aggregate
