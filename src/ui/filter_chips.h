// The filters that everything on screen obeys, as chips below the strip: what each keeps, a cross
// to take it off, and how much of the range they leave.
#pragma once

#include <string>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/filter.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

struct FilterChips {
  struct Chip {
    std::string kind, value;  // "Op type", "conv2d"
  };
  std::vector<Chip> chips;  // in the order of Selection::filters
  std::string rest;         // "8.76 s of 25.2 s kernel time · 7 960 of 37 026 calls"
};

// `whole` is the unfiltered aggregation of the same range; null = it is not there yet.
FilterChips prepare_filter_chips(const profile::Profile& profile,
                                 const aggregate::Aggregation& aggregation,
                                 const aggregate::Aggregation* whole,
                                 const std::vector<aggregate::Filter>& filters);

// As many lines as they need; returns the bottom.
float draw_filter_chips(Frame& frame, const Area& area);

}  // namespace dlview::ui
