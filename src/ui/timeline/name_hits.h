// NameHits: the events of all lanes whose names hold a text, whatever the case of ASCII letters. A
// name is looked at once, however many events bear it; then each event has its bit, so that what is
// drawn, counted and stepped through costs nothing beside the search itself. Pure; immutable.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "ui/timeline/iteration_events.h"
#include "ui/timeline/name_matcher.h"
#include "ui/timeline/place_set.h"

namespace dlview::ui::timeline {

// What hits are counted by, in the order in which they are told.
enum class EventClass : uint8_t {
  kernels,
  launches,  // API calls that bear the names of their kernels
  memory_ops,
  api_calls,
  ops,
  groups,
  ranges,
  os_calls,
  states,  // times on a CPU
};
inline constexpr std::size_t kEventClassCount = 9;
EventClass class_of(EventKind kind);

class NameHits {
 public:
  // On all cores. Where the progress is cancelled meanwhile, what comes of it is not to be used.
  NameHits(std::shared_ptr<const Lanes> lanes, std::string text, const base::Progress& progress);

  const std::shared_ptr<const Lanes>& lanes() const { return lanes_; }
  const std::string& text() const { return text_; }
  int64_t count(EventClass which) const { return counts_[static_cast<std::size_t>(which)]; }
  int64_t count() const;
  const PlaceSet& of_line(std::size_t group, std::size_t lane, std::size_t line) const {
    return sets_[group][lane][line];
  }
  bool contains(const Place& place) const {
    return of_line(place.group, place.lane, place.line).contains(place.at);
  }

  // Events follow each other by their start; of equal starts from top to bottom. The hit behind an
  // event, or with `step` -1 the one before it; behind the last one comes the first. Of all, or of
  // those of one iteration.
  std::optional<Place> next(const Place& from, int step,
                            const IterationEvents* own = nullptr) const;
  // The first hit that starts at this time or later, or else of all; with `step` -1 the last
  // before.
  std::optional<Place> next(int64_t time_ns, int step, const IterationEvents* own = nullptr) const;
  // From 1 on, of a hit.
  int64_t number_of(const Place& hit) const;

 private:
  void search_line(const Line& line, PlaceSet& set, NameMatcher& names,
                   const base::Progress& progress);
  using UseLine = std::function<void(const Place& line, const PlaceSet& set)>;
  void for_each_line(const UseLine& use) const;
  // Of the line that a place names: how many of its places come before something.
  using Part = std::function<std::size_t(const Place& line)>;
  std::size_t pass_others(const Place& hit, int step, const IterationEvents& own) const;
  std::optional<Place> nearest(const Part& part, int step, const IterationEvents* own) const;
  std::optional<Place> nearest_or_around(const Part& part, int step,
                                         const IterationEvents* own) const;

  std::shared_ptr<const Lanes> lanes_;
  std::string text_;
  std::array<int64_t, kEventClassCount> counts_ = {};
  std::vector<std::vector<std::vector<PlaceSet>>> sets_;  // by group, lane, line
};

}  // namespace dlview::ui::timeline
