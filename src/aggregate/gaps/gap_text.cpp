#include "aggregate/gaps/gap_text.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "aggregate/host/function_names.h"
#include "base/units.h"
#include "profile/display_name.h"

namespace dlview::aggregate {
namespace {

std::string_view op_of(const profile::Profile& profile, const HostTime& host) {
  if (host.instance == profile::kNoRow) return "";
  return profile.text(profile.ops.name[profile.instances.op[host.instance]]);
}

std::string_view range_of(const profile::Profile& profile, const HostTime& host) {
  return profile::bare_range_name(profile.text(host.range));
}

// " in save_checkpoint", or nothing.
std::string in_range(const profile::Profile& profile, const HostTime& host, std::string_view in) {
  return host.range == profile::kNoText ? "" : fmt::format("{}{}", in, range_of(profile, host));
}

// Other ops or calls that took a tenth and more of the cause's time are not passed over.
std::string_view unless_alone(const HostTime& host, std::string_view others) {
  constexpr int64_t kFewParts = 10;
  return kFewParts * host.others_ns >= host.cause_ns && host.others_ns > 0 ? others : "";
}

// At least half of the time that the cause takes.
bool is_most(const HostTime& host, int64_t ns) {
  return ns > 0 && 2 * ns >= host.cause_ns;
}

std::string place_of_thread(const profile::Profile& profile, const HostTime& host) {
  switch (host.cause) {
    case GapCause::wait:
    case GapCause::api_call:
      return fmt::format("in {}{}", profile::call_name(profile.text(host.call)),
                         unless_alone(host, " and other CUDA calls"));
    case GapCause::data_loader:
      if (host.waits_for_data()) {
        return is_most(host, host.asleep_ns) ? "asleep, waiting for data" : "waiting for data";
      }
      if (host.range != profile::kNoText) {
        return fmt::format("in {}{}", range_of(profile, host),
                           unless_alone(host, " and other data loading"));
      }
      return fmt::format("in {}", op_of(profile, host));
    case GapCause::op:
      return fmt::format("in {}{}", op_of(profile, host), unless_alone(host, " and adjacent ops"));
    case GapCause::host_range:
      return fmt::format("in {}{}", range_of(profile, host),
                         unless_alone(host, " and other host ranges"));
    case GapCause::os_call:
      if (host.call == 0) return "in an OS call" + in_range(profile, host, ", in ");
      return fmt::format("in the OS call {}{}{}", profile.text(host.call),
                         unless_alone(host, " and other OS calls"),
                         in_range(profile, host, ", in "));
    case GapCause::asleep:
      return host.instance == profile::kNoRow ? "asleep" + in_range(profile, host, " in ")
                                              : fmt::format("asleep in {}", op_of(profile, host));
    case GapCause::launch:
      return "launching the next GPU activity";
    case GapCause::queued:
      return "ahead of the GPU (launch already queued)";
    case GapCause::nothing:
      break;
  }
  return is_most(host, host.running_ns) ? "running on a CPU between ops"
                                        : "between ops (nothing recorded)";
}

// Where the host was in gaps, the thread that launched alone.
struct Place {
  HostTime host = {};  // times of all gaps
  struct WithOther {
    int64_t cause_ns = 0, gaps_ns = 0, busy_ns = 0;  // busy: the other thread
  };
  std::map<std::string, WithOther> full;  // in words, with the busy thread
};

// The places that took most of the time, most first.
std::vector<Place> places_in(const profile::Profile& profile, std::span<const FindingPlace> gaps) {
  std::map<std::string, Place> by_text;
  for (const FindingPlace& gap : gaps) {
    if (!gap.host) continue;
    HostTime alone = *gap.host;
    alone.others_ns = 0;
    Place& place = by_text[place_of_thread(profile, alone)];
    HostTime sum = *gap.host;
    sum.cause_ns += place.host.cause_ns;
    sum.others_ns += place.host.others_ns;
    sum.asleep_ns += place.host.asleep_ns;
    sum.running_ns += place.host.running_ns;
    place.host = sum;
    if (!gap.host->other) continue;
    Place::WithOther& full = place.full[place_of_host(profile, *gap.host)];
    full.cause_ns += gap.host->cause_ns;
    full.gaps_ns += gap.duration_ns;
    full.busy_ns += gap.host->other->busy_ns;
  }
  std::vector<Place> places;
  for (auto& [text, place] : by_text) places.push_back(std::move(place));
  std::ranges::stable_sort(places, std::ranges::greater{},
                           [](const Place& place) { return place.host.cause_ns; });
  return places;
}

// "pin-memory thread"; "thread" where it has a name of its own or nothing tells.
std::string_view role_of(const profile::Profile& profile, const BusyThread& thread) {
  const bool is_named = thread_text(profile, thread.id).ends_with(')');
  const profile::StringId name = thread.sampled.loads_data() ? thread.sampled.loader : thread.range;
  if (is_named || !thread.loads_data || name == profile::kNoText) return "thread";
  return thread_role(profile.text(name));
}

// What to do where the host mostly waited for data. `busy_percent`: of the thread that prepares it.
std::string data_advice(const profile::Profile& profile, const HostTime& host,
                        std::optional<double> busy_percent) {
  const std::string_view op = op_of(profile, host);
  if (op.find("MultiProcessing") != std::string_view::npos) {
    return "The DataLoader workers are too slow. Use more workers (num_workers), a larger "
           "prefetch_factor, or cheaper decoding and augmentation";
  }
  if (!host.waits_for_data()) {
    return "Load the next batch in the background: a DataLoader with num_workers > 0 and "
           "prefetch_factor";
  }
  if (!busy_percent || *busy_percent >= 50) {
    return "Make loading cheaper (decoding, augmentation, copies), or spread it over more "
           "workers (num_workers, prefetch_factor)";
  }
  return "That thread mostly waits, too. Speed up what feeds it: more DataLoader workers "
         "(num_workers, prefetch_factor), cheaper decoding and augmentation, faster storage";
}

// The place that has most of the time, and what to do about it.
std::string most_text(const profile::Profile& profile, const Place& place, int64_t total_ns) {
  std::string text = place_of_thread(profile, place.host);
  std::optional<double> busy_percent;
  // What varies from gap to gap is left out.
  for (const auto& [with_other, times] : place.full) {
    if (2 * times.cause_ns < total_ns) continue;
    text = with_other;
    if (!place.host.waits_for_data()) break;
    busy_percent = 100 * static_cast<double>(times.busy_ns) /
                   static_cast<double>(std::max<int64_t>(1, times.gaps_ns));
    text += fmt::format(" (busy for {} of the time)", base::format_percent(*busy_percent));
  }
  if (place.host.cause != GapCause::data_loader) return text;
  return fmt::format("{}. {}", text, data_advice(profile, place.host, busy_percent));
}

std::string shares_text(const profile::Profile& profile, std::span<const Place> places,
                        int64_t total_ns) {
  // What takes less than a twentieth explains nothing.
  while (places.size() > 1 && 20 * places.back().host.cause_ns < total_ns) {
    places = places.first(places.size() - 1);
  }
  std::string text;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double percent = 100 * static_cast<double>(places[i].host.cause_ns) /
                           static_cast<double>(std::max<int64_t>(1, total_ns));
    text += fmt::format("{}{}{} {}",
                        i == 0                  ? ""
                        : i + 1 < places.size() ? ", "
                                                : " and ",
                        base::format_percent(percent), i == 0 ? " of the time" : "",
                        place_of_thread(profile, places[i].host));
  }
  return text;
}

std::string gaps_text(int64_t count, int64_t total_ns, std::size_t gpus) {
  const std::string total = base::format_duration(total_ns);
  if (count == 1) return fmt::format("longest idle gap ({})", total);
  return fmt::format("{} longest idle gaps ({} in total{})", base::format_count(count), total,
                     gpus == 1 ? "" : fmt::format(" over {} GPUs", gpus));
}

int64_t number_of(const profile::Profile& profile, profile::ThreadId thread) {
  return profile.trace ? profile.trace->numbers_of(thread).thread_id : 0;
}

}  // namespace

std::string thread_text(const profile::Profile& profile, profile::ThreadId thread) {
  const int64_t number = number_of(profile, thread);
  const profile::TraceThread* const known = profile.trace ? profile.trace->thread(thread) : nullptr;
  return known == nullptr || known->name.empty() ? fmt::format("{}", number)
                                                 : fmt::format("{} ({})", known->name, number);
}

std::string busy_thread_text(const profile::Profile& profile, const BusyThread& thread) {
  return fmt::format("{} {}", role_of(profile, thread), thread_text(profile, thread.id));
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
  const std::string thread = busy_thread_text(profile, *host.other);
  const std::string busy_in = busy_in_text(profile, *host.other);
  if (host.waits_for_data()) {
    return fmt::format("{} that {} prepares{}", place, thread,
                       busy_in.empty() ? "" : " in " + busy_in);
  }
  return fmt::format("{}, while {} was {}", place, thread,
                     busy_in.empty() ? "busy" : "in " + busy_in);
}

std::string short_place_of_host(const profile::Profile& profile, const HostTime& host) {
  std::string place = place_of_thread(profile, host);
  if (!host.other) return place;
  const int64_t number = number_of(profile, host.other->id);
  if (!host.waits_for_data()) return fmt::format("{} · thread {} busy", place, number);
  const std::string_view waits = is_most(host, host.asleep_ns) ? "asleep" : "waiting";
  const std::string_view role = role_of(profile, *host.other);
  return role == "thread" ? fmt::format("{} · data loading in thread {}", waits, number)
                          : fmt::format("{} · waits for the {}", waits, role);
}

std::string host_in_gaps(const profile::Profile& profile, std::span<const FindingPlace> gaps) {
  constexpr std::size_t kMostPlaces = 3;
  int64_t total_ns = 0, count = 0;
  std::set<profile::DeviceIndex> gpus;
  for (const FindingPlace& gap : gaps) {
    if (!gap.host) continue;
    total_ns += gap.duration_ns;
    gpus.insert(gap.device);
    ++count;
  }
  if (count == 0) return "";
  std::vector<Place> places = places_in(profile, gaps);
  const bool is_mostly = 2 * places.front().host.cause_ns >= total_ns;
  places.resize(std::min(places.size(), kMostPlaces));
  return fmt::format("In the {}, the host {} {}", gaps_text(count, total_ns, gpus.size()),
                     is_mostly ? "was mostly" : "spent",
                     is_mostly ? most_text(profile, places.front(), total_ns)
                               : shares_text(profile, places, total_ns));
}

}  // namespace dlview::aggregate
