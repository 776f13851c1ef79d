// The What-if pane next to the breakdown: the upper bound of what a range could gain without some
// costs, or with faster ops (spec.md, what_if.*). Changes are not saved.
#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "aggregate/exclusive/exclusive_index.h"
#include "aggregate/exclusive/what_if.h"
#include "ui/background.h"
#include "ui/look.h"
#include "ui/model.h"
#include "ui/views/dashboard/what_if_content.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

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
