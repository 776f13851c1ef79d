#include "ui/timeline/subject_events.h"

#include <algorithm>

namespace dlview::ui::timeline {
namespace {

constexpr std::size_t kBetweenLooks = 4096;  // at the progress

bool is_of(const profile::Profile& profile, EventRef event, const Subject& subject) {
  if (subject.kind == Subject::Kind::kernel) {
    const EventKind kind = work_of(event).kind;
    return kind == EventKind::kernel && profile.kernels.name[event.row] == subject.id;
  }
  const profile::Row instance = instance_of(profile, event);
  return instance != profile::kNoRow && profile.instances.op[instance] == subject.id;
}

void add_places(const Line& line, const Events& source, const IterationEvents& iteration,
                const Subject& subject, const base::Progress& progress,
                std::vector<uint32_t>& places) {
  std::size_t at = line.first_from(iteration.reach().start_ns, source);
  for (; at < line.size(); ++at) {
    if (at % kBetweenLooks == 0 && progress.cancelled()) return;
    const EventRef event = line[at];
    if (source.start_ns(event) > iteration.reach().stop_ns) return;
    if (is_of(source.profile(), event, subject) && iteration.contains(source, event)) {
      places.push_back(static_cast<uint32_t>(at));
    }
  }
}

}  // namespace

SubjectEvents::SubjectEvents(const Lanes& lanes, const std::vector<IterationEvents>& iterations,
                             const Subject& subject, const base::Progress& progress) {
  for (const LaneGroup& group : lanes.groups) {
    auto& of_group = places_.emplace_back();
    for (const Lane& lane : group.lanes) {
      auto& of_lane = of_group.emplace_back();
      for (const Line& line : lane.lines) {
        std::vector<uint32_t>& places = of_lane.emplace_back();
        for (const IterationEvents& iteration : iterations) {
          add_places(line, lanes.events, iteration, subject, progress, places);
        }
        std::ranges::sort(places);
      }
    }
  }
}

bool SubjectEvents::any_in(const Place& line, std::size_t first, std::size_t behind) const {
  const std::vector<uint32_t>& places = places_[line.group][line.lane][line.line];
  const auto at = std::ranges::lower_bound(places, first);
  return at != places.end() && *at < behind;
}

}  // namespace dlview::ui::timeline
