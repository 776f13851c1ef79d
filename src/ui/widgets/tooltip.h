// Tooltips: plain text, and the definition of a metric as aggregate/metrics.h declares it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ui/look.h"

namespace dlview::ui {

void show_tooltip(Frame& frame, std::string_view text);

// Title, formula, how overlaps are counted, source; `value` stands first when it is not empty.
void show_metric_tooltip(Frame& frame, std::string_view metric_id, std::string_view value = {});

// A heading and rows of swatch, label, value and share: what a bar consists of.
struct TooltipRow {
  std::string label, value, share;
  Colour swatch = 0;  // 0 = none
};
void show_rows_tooltip(Frame& frame, std::string_view heading, const std::vector<TooltipRow>& rows,
                       std::string_view note = {});

}  // namespace dlview::ui
