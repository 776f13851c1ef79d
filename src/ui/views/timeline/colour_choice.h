// What the colours of the timeline tell, as chosen in its bar, and the legend.
#pragma once

#include <memory>
#include <utility>

#include "ui/background.h"
#include "ui/timeline/command.h"
#include "ui/views/timeline/colours.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

class ColourChoice {
 public:
  timeline::ColourBy by() const { return by_; }
  void choose(timeline::ColourBy by) { by_ = by; }
  void choose_next();

  // In every frame, before what follows.
  void update(const std::shared_ptr<const timeline::Lanes>& lanes, Background& background);
  EventColours colours(const Frame& frame, const timeline::Lanes& lanes) const;
  // A menu that ends at `right`; returns its left edge.
  float draw_menu(Frame& frame, float right, float top);

 private:
  using Key = std::pair<std::shared_ptr<const timeline::Lanes>, timeline::ColourBy>;

  timeline::ColourBy by_ = timeline::ColourBy::category;
  Late<Key, timeline::OpColours> ops_;
};

// As many entries as there is room for, how many more there are, and that of all others; the
// tooltip has them all.
void draw_timeline_legend(Frame& frame, const Box& box, const EventColours::Legend& legend);

}  // namespace dlview::ui
