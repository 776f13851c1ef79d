// Tooltips: plain text, and the definition of a metric as aggregate/metrics.h declares it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aggregate/metrics.h"
#include "ui/look.h"

namespace dlview::ui {

struct Box;

void show_tooltip(Frame& frame, std::string_view text);

// The tooltip shown next has its top there, on that side of the pointer where there is more room,
// and does not follow the pointer up and down.
void place_next_tooltip(const Frame& frame, float top);
// The tooltip shown next is beside what the keyboard is on, wherever the pointer is.
void place_next_tooltip(const Frame& frame, const Box& beside);

// A name that may be long: code face, broken at "/" and "::", eight lines at most.
void show_name_tooltip(Frame& frame, std::string_view name);

// Title, formula, how overlaps are counted, source. For a number on screen see widgets/number.h.
void show_metric_tooltip(Frame& frame, aggregate::MetricId id);

enum class TooltipStyle { heading, value, name, text, note };
struct TooltipText {
  TooltipStyle style = TooltipStyle::text;
  std::string text;  // empty ones are left out
};
void show_text_tooltip(Frame& frame, const std::vector<TooltipText>& lines);

// A heading and rows of swatch, label, value and share: what a bar consists of.
struct TooltipRow {
  std::string label, value, share;
  Color swatch = 0;  // 0 = none
};
void show_rows_tooltip(Frame& frame, std::string_view heading, const std::vector<TooltipRow>& rows,
                       std::string_view note = {});
void show_rows_tooltip(Frame& frame, const std::vector<TooltipText>& lines,
                       const std::vector<TooltipRow>& rows, std::string_view note = {});

}  // namespace dlview::ui
