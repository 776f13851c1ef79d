// A number on screen with all that stands behind it: hovering tells the value in full, how it is
// computed and from which rows; a right click copies value, definition, or SQL that gives the same,
// and filters everything to the part of the run whose number it is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "aggregate/filter.h"
#include "aggregate/metrics.h"
#include "aggregate/provenance.h"
#include "ui/widgets/canvas.h"
#include "ui/widgets/menu.h"

namespace dlview::ui {

struct Number {
  std::string title;  // "Memory"; empty = the metric's
  std::string full;   // "662,034,112 ns · 5.021734%": nothing rounded away that was known
  aggregate::MetricId metric;
  profile::OpIndex op = {};  // whose number it is, for the metrics of ops
  bool sql = true;  // false: of a part of the range, for which there is neither SQL nor a count
  std::optional<aggregate::Filter> filter = {};  // the part of the run whose number it is
  std::string hint = {};                         // what a click does
};

// "43.142857%": as precise as DLProf stores percentages.
std::string full_percent(double percent);

// `name` is unique in the window.
void explain_number(Frame& frame, std::string_view name, const Box& box, const Number& number);
// The same in two steps, for a box with a tooltip or menu of its own.
void show_number_tooltip(Frame& frame, const Number& number);
void number_menu(Frame& frame, std::string_view name, const Box& box, const Number& number);
// The definition and the SQL, as entries of a menu that is open.
void offer_provenance(Frame& frame, CopyMenu& menu, const Number& number);

}  // namespace dlview::ui
