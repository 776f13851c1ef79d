// SelectionHistory: the selections a user has been at, to go back and forth through. A gesture
// that runs through many selections, as a drag or the typing of both bounds does, counts as one
// step.
#pragma once

#include <cstdint>
#include <vector>

#include "aggregate/selection.h"

namespace dlview::workspace {

class SelectionHistory {
 public:
  void begin(const aggregate::Selection& first);

  // Adds a new selection after the current one, or replaces it if both belong to one gesture.
  // Forgets the selections after it.
  void visit(const aggregate::Selection& selection, int64_t gesture);

  // The next selection is a step of its own.
  void end_gesture() { gesture_ = -1; }

  // Null where there is none.
  const aggregate::Selection* back();
  const aggregate::Selection* forward();
  bool can_go_back() const { return present_ > 0; }
  bool can_go_forward() const { return present_ + 1 < visited_.size(); }

 private:
  std::vector<aggregate::Selection> visited_;
  std::size_t present_ = 0;
  int64_t gesture_ = -1;  // of the present one; -1 = of none
};

}  // namespace dlview::workspace
