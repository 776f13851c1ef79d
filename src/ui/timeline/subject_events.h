// SubjectEvents: where the events of one op, or the kernels of one name, lie in some iterations. A
// list of places for each line, so that what a pixel holds is known by a search. Pure; immutable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/progress.h"
#include "ui/timeline/iteration_events.h"

namespace dlview::ui::timeline {

// What a row of a table of differences stands for.
struct Subject {
  enum class Kind : uint8_t { op, kernel };
  Kind kind = Kind::op;
  uint32_t id = 0;  // a row of Profile::ops, or a Kernels::name
  bool operator==(const Subject&) const = default;
};

class SubjectEvents {
 public:
  // Looks at every event in the time of the iterations. Where the progress is cancelled meanwhile,
  // what comes of it is not to be used.
  SubjectEvents(const Lanes& lanes, const std::vector<IterationEvents>& iterations,
                const Subject& subject, const base::Progress& progress);

  // Whether any place [first, behind) of the line is one of them.
  bool any_in(const Place& line, std::size_t first, std::size_t behind) const;

 private:
  std::vector<std::vector<std::vector<std::vector<uint32_t>>>> places_;  // by group, lane, line
};

}  // namespace dlview::ui::timeline
