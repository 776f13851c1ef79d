// The waterfall of a comparison: from the mean iteration before to that after, a bar for each part,
// or within a part for each op, or within an op for each kernel. Shown values add up.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ui/look.h"
#include "ui/theme.h"
#include "ui/views/compare/compare_data.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

struct ChangeRow {
  enum class Kind : uint8_t { before, change, unchanged, after };
  Kind kind = Kind::change;
  std::string id;     // inspector name below "compare/waterfall"
  std::string label;  // "Other kernels", "12 others, only after"
  Tone tone = Tone::other;
  int64_t start_ns = 0, stop_ns = 0;         // of the bar: a change from start to stop
  std::string value, share;                  // "+1.13 ms", "+3.7%" of the iteration before
  std::string before, after, calls, judged;  // of the tooltip; may be empty
  bool is_certain = true;                    // no verdict says that it may be noise
  std::optional<aggregate::StackPart> part;  // that a click opens
  std::optional<ChangedOp> op;               // that a click opens, or that is lit
  std::vector<aggregate::StackPart> parts;   // without a change; a click on one opens it
};

struct ChangeChart {
  std::vector<ChangeRow> rows;  // before, changes, unchanged, after
  std::string title;            // "Other kernels › conv2d"; empty for the whole
  // The running sums: where the bars of changes lie.
  int64_t low_ns = 0, high_ns = 0;
  std::string why_none;  // set if there are no rows
  // Changes are too small beside the whole to be seen from 0.
  bool needs_zoom() const;
};

// `waterfall` of the ranges on screen; `judged` may be older, and null at first.
ChangeChart prepare_change_chart(const aggregate::RunPair& runs,
                                 const aggregate::Waterfall& waterfall, const ChangePlace& place,
                                 const aggregate::Comparison* judged);

struct ChangeChartResult {
  std::optional<ChangePlace> opened;
  std::optional<ChangedOp> hovered;
};
// `from_zero`: the axis begins at 0, else bars of changes fill it. `lit` is selected elsewhere.
// Returns what was clicked; scrolls where the rows need more height.
ChangeChartResult draw_change_chart(Frame& frame, const Box& box, const ChangeChart& chart,
                                    const ChangePlace& place, bool from_zero,
                                    const std::optional<ChangedOp>& lit);

}  // namespace dlview::ui
