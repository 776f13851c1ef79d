// The What-if pane next to the breakdown: the upper bound of what a range could gain without some
// costs, or with faster ops (spec.md, what_if.*). Changes are not saved.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aggregate/exclusive/exclusive_index.h"
#include "aggregate/exclusive/what_if.h"
#include "ui/background.h"
#include "ui/look.h"
#include "ui/model.h"
#include "ui/theme.h"
#include "ui/widgets/canvas.h"

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

// The exclusive times of the range on screen, from an index that is made in the background once for
// each split. One per profile.
class ExclusiveTimes {
 public:
  // Null until they are computed.
  std::shared_ptr<const aggregate::PartSums> get(const Model& model, Background& background);

 private:
  using Key = std::pair<std::shared_ptr<const aggregate::RuleIndex>, aggregate::Cut>;
  struct Made {
    std::shared_ptr<const profile::Profile> profile;  // outlives the index
    aggregate::ExclusiveIndex index;
  };

  Late<Key, Made> index_;
  std::shared_ptr<const Made> summed_by_;
  std::shared_ptr<const aggregate::IterationTable> summed_for_;
  aggregate::IterationRange range_;
  std::shared_ptr<const aggregate::PartSums> sums_;
};

// One per profile.
class WhatIfPane {
 public:
  // Kernel time that Tensor Cores would save in the range; null = unknown. In every frame.
  void set_headroom(std::shared_ptr<const std::vector<aggregate::OpHeadroom>> headroom);
  // Fills the box; returns false when its X was clicked.
  bool draw(Frame& frame, const Box& box, Background& background);

 private:
  void prepare(const Model& model, Background& background);
  float draw_contents(Frame& frame, const Area& area);
  float draw_result(Frame& frame, const Area& area);
  float draw_switches(Frame& frame, const Area& area, std::string_view title,
                      const std::vector<WhatIfRow>& rows);
  float draw_factors(Frame& frame, const Area& area);
  void set(const aggregate::WhatIfChange& change, bool is_on);

  ExclusiveTimes times_;
  std::vector<aggregate::WhatIfChange> on_;
  std::shared_ptr<const std::vector<aggregate::OpHeadroom>> headroom_;
  std::shared_ptr<const aggregate::PartSums> prepared_for_;
  bool is_stale_ = true;
  WhatIfContent content_;
};

}  // namespace dlview::ui
