// EventPairs: which event of one iteration does what an event of another one does. Pure; immutable.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ui/timeline/iteration_events.h"

namespace dlview::ui::timeline {

// The sides are 0 and 1.
class EventPairs {
 public:
  // Costs a sort of the op instances of both.
  EventPairs(std::shared_ptr<const Lanes> lanes, const aggregate::Iteration& one,
             const aggregate::Iteration& other);

  // Of an event of one side's iteration that of the other (docs/decisions.md 84); nothing where it
  // has none.
  std::optional<Place> partner(const Place& place, std::size_t side) const;
  // How many events, or rows of them, that takes a look at.
  std::size_t looks_for_partner(const Place& place, std::size_t side) const;

 private:
  struct Occurrence {
    profile::Row op = 0;
    int64_t process = 0;
    profile::Row instance = 0;
    auto operator<=>(const Occurrence&) const = default;
  };
  // Of the same op and process, in order of time.
  std::span<const Occurrence> occurrences(std::size_t side, const Occurrence& like) const;
  Occurrence occurrence_of(profile::Row instance) const;
  std::optional<profile::Row> partner_of_instance(profile::Row instance, std::size_t side) const;
  std::vector<profile::Row> rows_like(EventRef event, profile::Row instance) const;
  std::optional<EventRef> in_instance(EventRef event, profile::Row own, profile::Row other) const;
  // Of what belongs to no op.
  std::optional<Place> in_lane(const Place& place, std::size_t side) const;

  std::shared_ptr<const Lanes> lanes_;
  std::array<aggregate::Iteration, 2> iterations_;
  std::array<std::vector<Occurrence>, 2> sorted_;
};

}  // namespace dlview::ui::timeline
