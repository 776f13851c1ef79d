// Events of iterations: which are those of one, which of another one does the same, and where those
// of one op or kernel lie. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "aggregate/iterations.h"
#include "base/intervals.h"
#include "base/progress.h"
#include "timeline/lanes.h"

namespace dlview::timeline {

class IterationEvents {
 public:
  IterationEvents() = default;
  // Costs a look at all that its op instances did.
  IterationEvents(const profile::Profile& profile, const aggregate::Iteration& iteration);

  const aggregate::Iteration& iteration() const { return iteration_; }
  // From its start to its stop, or to the stop of the last work of its own where that lies behind.
  const base::Interval& time() const { return time_; }
  // In which all of its own begin: of wrong clocks some may do so before it.
  const base::Interval& reach() const { return reach_; }
  bool contains(const Events& source, EventRef event) const;
  // When its own GPU activity runs on the device, overlaps counted once.
  const base::IntervalSet& busy(profile::DeviceIndex device) const;

 private:
  void find_busy(const profile::Profile& profile);

  // Of a table: those of its op instances.
  struct Rows {
    profile::Row first = 0, behind = 0;
  };

  aggregate::Iteration iteration_;
  base::Interval time_, reach_;
  std::array<std::optional<Rows>, kEventKindCount> rows_;  // by kind; nullopt = of no op
  std::vector<base::IntervalSet> busy_;                    // by device
};

// Of each lane of each group how many of its lines, from the top, show anything in one of the
// times; 0 = the lane shows nothing. Busy times count 1 where any stream of their GPU does.
using LineCounts = std::vector<std::vector<std::size_t>>;
LineCounts count_lines(const Lanes& lanes, const std::vector<base::Interval>& times);

// The lane of steps of torch.profiler if it shows the same as a row of the iterations: the steps
// mark them, and begin and end where these do, give or take 1% of an iteration. Costs a look at all
// iterations.
std::optional<Place> lane_of_iterations(const Lanes& lanes,
                                        const aggregate::Iterations& iterations);

// EventPairs: which event of one iteration does what an event of another one does. Pure; immutable.

// The sides are 0 and 1.
class EventPairs {
 public:
  // Costs a sort of the op instances of both.
  EventPairs(std::shared_ptr<const Lanes> lanes, const aggregate::Iteration& one,
             const aggregate::Iteration& other);

  // Of an event of one side's iteration that of the other (docs/dev/spec.md 84); nothing where it
  // has none.
  std::optional<Place> partner(const Place& place, std::size_t side) const;
  // How many events, or rows of them, that takes a look at.
  std::size_t looks_for_partner(const Place& place, std::size_t side) const;

 private:
  struct Occurrence {
    profile::OpIndex op{0};
    int64_t process = 0;
    profile::InstanceIndex instance{0};
    auto operator<=>(const Occurrence&) const = default;
  };
  // Of the same op and process, in order of time.
  std::span<const Occurrence> occurrences(std::size_t side, const Occurrence& like) const;
  Occurrence occurrence_of(profile::InstanceIndex instance) const;
  // kNoRow = it has none.
  profile::InstanceIndex partner_of_instance(profile::InstanceIndex instance,
                                             std::size_t side) const;
  std::vector<profile::Row> rows_like(EventRef event, profile::InstanceIndex instance) const;
  std::optional<EventRef> in_instance(EventRef event, profile::InstanceIndex own,
                                      profile::InstanceIndex other) const;
  // Of what belongs to no op.
  std::optional<Place> in_lane(const Place& place, std::size_t side) const;

  std::shared_ptr<const Lanes> lanes_;
  std::array<aggregate::Iteration, 2> iterations_;
  std::array<std::vector<Occurrence>, 2> sorted_;
};

// What a row of a table of differences stands for.
struct Subject {
  enum class Kind : uint8_t { op, kernel };
  Kind kind = Kind::op;
  uint32_t id = 0;  // a row of Profile::ops, or a Kernels::name
  bool operator==(const Subject&) const = default;
};

// Where the events of one op, or the kernels of one name, lie in some iterations. A list of places
// for each line, so that what a pixel holds is known by a search. Pure; immutable.
class SubjectEvents {
 public:
  // Looks at every event in the time of the iterations. Where the progress is canceled meanwhile,
  // what comes of it is not to be used.
  SubjectEvents(const Lanes& lanes, const std::vector<IterationEvents>& iterations,
                const Subject& subject, const base::Progress& progress);

  // Whether any place [first, behind) of the line is one of them.
  bool any_in(const Place& line, std::size_t first, std::size_t behind) const;

 private:
  std::vector<std::vector<std::vector<std::vector<uint32_t>>>> places_;  // by group, lane, line
};

}  // namespace dlview::timeline
