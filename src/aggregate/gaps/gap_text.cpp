#include "aggregate/gaps/gap_text.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "aggregate/host/function_names.h"
#include "base/units.h"

namespace dlview::aggregate {
namespace {

std::string_view op_of(const profile::Profile& profile, const HostTime& host) {
  if (host.instance == profile::kNoRow) return "";
  return profile.text(profile.ops.name[profile.instances.op[host.instance]]);
}

std::string place_of_thread(const profile::Profile& profile, const HostTime& host) {
  switch (host.cause) {
    case GapCause::wait:
    case GapCause::api_call:
      return fmt::format("in {}", profile.text(host.call));
    case GapCause::data_loader:
      if (host.waits_for_data())
        return host.asleep_ns > 0 ? "asleep, waiting for data" : "waiting for data";
      return fmt::format("in {}", op_of(profile, host));
    case GapCause::op:
      return fmt::format("in {}", op_of(profile, host));
    case GapCause::os_call:
      if (host.call == 0) return "in an OS call";
      return fmt::format("in the OS call {}", profile.text(host.call));
    case GapCause::asleep:
      return host.instance == profile::kNoRow ? "asleep"
                                              : fmt::format("asleep in {}", op_of(profile, host));
    case GapCause::launch:
      return "launching the next GPU activity";
    case GapCause::queued:
      return "ahead of the GPU, which waited for other work";
    case GapCause::nothing:
      break;
  }
  return "between ops, where nothing was recorded";
}

}  // namespace

std::string thread_text(const profile::Profile& profile, profile::GlobalId thread) {
  const int64_t number = profile::thread_id_of(thread);
  const auto& named = profile.trace->threads;
  const auto found = std::ranges::find(named, thread, &profile::TraceThread::id);
  return found == named.end() || found->name.empty() ? fmt::format("{}", number)
                                                     : fmt::format("{} ({})", found->name, number);
}

std::string busy_in_text(const profile::Profile& profile, const BusyThread& thread) {
  if (thread.sampled.function != profile::kNoText) {
    return plain_function_name(profile.text(thread.sampled.function));
  }
  return thread.range == profile::kNoText ? "" : std::string(profile.text(thread.range));
}

std::string place_of_host(const profile::Profile& profile, const HostTime& host) {
  std::string place = place_of_thread(profile, host);
  if (!host.other) return place;
  const std::string thread = thread_text(profile, host.other->id);
  const std::string busy_in = busy_in_text(profile, *host.other);
  if (host.waits_for_data()) {
    return fmt::format("{} that thread {} prepares{}", place, thread,
                       busy_in.empty() ? "" : " in " + busy_in);
  }
  return fmt::format("{}, while thread {} was {}", place, thread,
                     busy_in.empty() ? "busy" : "in " + busy_in);
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
  return fmt::format("In the {}, the host was mostly {}",
                     count == 1 ? fmt::format("longest idle gap ({})", total)
                                : fmt::format("{} longest idle gaps ({} in total)",
                                              base::format_count(count), total),
                     most->first);
}

}  // namespace dlview::aggregate
