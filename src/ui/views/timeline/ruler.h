// The ruler above the lanes: round times, and iterations as boxes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "ui/chart/bars.h"
#include "ui/model.h"
#include "ui/views/timeline/rows.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

// The menu of an iteration in the ruler of the timeline: which other one is to stand beside it.
class IterationMenu {
 public:
  // In every frame; a right click into the box opens it for the iteration at the pointer. Returns
  // what was chosen.
  std::optional<workspace::IterationPair> draw(Frame& frame, const Box& box,
                                               std::optional<int64_t> pointed);

 private:
  std::optional<int64_t> of_;
  bool is_open_ = false;
};

inline constexpr float kRulerHeight = 24;
inline constexpr float kIterationsHeight = 24;

// Into [top, top + kRulerHeight) above the plot; where its labels count from stands left of it.
void draw_time_ruler(Frame& frame, const TimelinePlot& plot, float top);
// Its lines, down through the plot.
void draw_time_grid(const Frame& frame, const TimelinePlot& plot);

struct IterationChoice {
  std::optional<int64_t> shown;                    // alone, by a click
  std::optional<workspace::IterationPair> beside;  // by the context menu
  bool held = false;                               // a hand is on it, and may drag it
};

// Where the label of an iteration stands, in pixels.
struct LabelPlace {
  int64_t iteration = 0;
  float left = 0, right = 0;
  bool is_outlier = false;
};
// Places of the labels that are drawn, `gap` apart: of outliers as many as fit, then of the others
// those at the stride that touch none of them. They are in order of iteration.
std::vector<std::size_t> labels_to_draw(std::span<const LabelPlace> labels, float gap);
// Without outliers, returns the least of 1, 2, 5, 10, 20, … for which labels of its multiples are
// `gap` apart, if at most a tenth of them is left out: those of short iterations. They are in order
// of iteration.
int64_t label_stride(std::span<const LabelPlace> labels, float gap);

// The iterations of a run as boxes, those of its range in color, with numbers at a regular stride.
class IterationBoxes {
 public:
  struct Drawn {
    const timeline::LinePicture& picture;
    int labels = 0;
  };
  // The run has its aggregation. The plot has the times of that run.
  Drawn draw(Frame& frame, const workspace::RunModel& run, const TimelinePlot& plot, const Box& box,
             BarLayer& bars);

 private:
  std::shared_ptr<const aggregate::IterationTable> table_;
  timeline::IterationLine line_;  // of the table
  timeline::LinePicture picture_;
};

class IterationRuler {
 public:
  // Into [top, top + kIterationsHeight); returns what was chosen, as far as it
  // takes clicks.
  IterationChoice draw(Frame& frame, const TimelinePlot& plot, float names_left, float top,
                       bool takes_clicks, BarLayer& bars);

 private:
  IterationMenu menu_;
  IterationBoxes boxes_;
};

}  // namespace dlview::ui
