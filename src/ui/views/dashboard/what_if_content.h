// What the What-if pane shows: the mean iteration before and after, its bounds, and a row for each
// change. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aggregate/exclusive/what_if.h"
#include "ui/theme.h"

namespace dlview::ui {

// A part of the mean iteration, before or after.
struct WhatIfPart {
  std::string id, label;
  std::string full;  // "12,300 ns − 4,100 ns = 8,200 ns"
  Tone tone = Tone::other;
  int64_t ns = 0;
};

struct WhatIfRow {
  aggregate::WhatIfChange change;  // kGone for a switch; a row with a factor has the current one
  std::string id;                  // of the inspector: "data_loader", "op/CONV2D_1"
  std::string label;               // "Data loader time", the op's name; with its id if shared
  std::string about;               // what it counts, in one sentence
  std::optional<Tone> tone;
  bool has_factor = false, is_name = false;
  bool is_on = false;
  bool is_recorded = true;  // false: cannot be changed
  std::string share;        // exclusive, of the mean iteration
  std::string full_share;   // "662,034 ns of 13,183,673 ns per iteration · 5.021734%"
  std::string gain;         // alone, "−4.1%"; empty if off
  std::string full_gain;    // with the formula, numbers put in
};

struct WhatIfContent {
  std::string gain;       // "−4.1%"; empty: no change is on, or nothing to gain
  std::string new_time;   // "66.4 ms to 69.2 ms per iteration, now 69.2 ms"
  std::string full_gain;  // formula with numbers put in
  std::string full_bounds;
  int64_t mean_ns = 0, least_ns = 0, most_ns = 0;  // of an iteration
  std::vector<WhatIfPart> before, after;           // add up to mean_ns and least_ns
  std::vector<WhatIfRow> waits, gaps, tensor_cores, faster;
  std::string why_none;  // set if there is nothing to change
};

// Rows for what has time in the range, and for the changes that are on. Whatever the filters.
WhatIfContent prepare_what_if(const profile::Profile& profile, const aggregate::PartSums& sums,
                              const std::vector<aggregate::WhatIfChange>& on,
                              const std::vector<aggregate::OpHeadroom>& headroom);

// Whether both change the same, with any factor.
bool is_same_target(const aggregate::WhatIfChange& a, const aggregate::WhatIfChange& b);

}  // namespace dlview::ui
