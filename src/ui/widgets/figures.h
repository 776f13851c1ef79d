// Key figures and key-value lists: numbers first, with their name above and their context below;
// and long texts under their title.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "aggregate/metrics.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

struct KeyFigure {
  std::string id;              // inspector name below the list's name
  std::string label;           // "Average iteration"
  std::string value;           // "217 ms"
  std::string suffix;          // smaller, behind the value: "of 256"
  std::string note;            // "σ 11.4 ms · median 214 ms"
  aggregate::MetricId metric;  // its definition
  std::string full;            // the value as the tooltip tells it: "217,234,567 ns"
  std::string hint = {};       // what else is to be known of it
};

// Cards in rows of equal width, as many to a row as fit; returns the bottom.
float draw_key_figures(Frame& frame, std::string_view name, const Area& area,
                       const std::vector<KeyFigure>& figures);

// The same in two lines each, label and value, in columns without cards.
float draw_compact_figures(Frame& frame, std::string_view name, const Area& area,
                           const std::vector<KeyFigure>& figures);

struct KeyValue {
  std::string id, label;
  std::string value;  // empty = not recorded
};
void leave_out_unrecorded(std::vector<KeyValue>& values);
// One line each, separated by thin lines, in two columns where these hold all of them whole;
// returns the bottom.
float draw_key_values(Frame& frame, std::string_view name, const Area& area,
                      const std::vector<KeyValue>& values);

// A long text under its title: a command line, a stack trace.

// The first lines, and all of them once "See more" was clicked: `whole` remembers it. A right click
// copies the text. Recorded as "<name>/<title>". Returns the bottom.
float draw_text_block(Frame& frame, std::string_view name, const Area& area, std::string_view title,
                      std::string_view text, bool& whole);

}  // namespace dlview::ui
