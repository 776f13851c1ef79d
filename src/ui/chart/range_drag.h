// Dragging the bounds of a range, or the span between them, by the mouse: one behaviour for the
// chart, the slider and the strip. Pure.
#pragma once

#include <optional>

#include "aggregate/selection.h"

namespace dlview::ui {

// What a press of the mouse took hold of.
enum class Grip { none, first, last, whole };

// A drag, kept by the owner between frames. Positions are in iterations, as Plot::iteration_at
// gives them.
class RangeDrag {
 public:
  // Where both bounds lie under the mouse, `grip` may be either one: the first move decides.
  void begin(Grip grip, bool either, aggregate::IterationRange range, double at);
  void end() { grip_ = Grip::none; }
  Grip grip() const { return grip_; }

  // The range when the mouse is at `at`; a bound stops at the other one and at the run's ends.
  aggregate::IterationRange moved_to(double at, int64_t count);

 private:
  Grip grip_ = Grip::none;
  bool either_ = false;
  aggregate::IterationRange from_;
  double begun_at_ = 0;
};

}  // namespace dlview::ui
