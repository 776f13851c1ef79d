// Which color an event of the timeline has: that of its category, as everywhere, with the host's
// own time, which has none, in quiet shades; or that of its op's type, name or direction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "timeline/lanes.h"
#include "timeline/picture.h"
#include "timeline/request.h"
#include "ui/background.h"
#include "ui/look.h"
#include "ui/theme.h"
#include "ui/views/timeline/op_colors.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

class EventColors {
 public:
  // By category without `ops`, which are of these lanes. All outlive it.
  EventColors(const Frame& frame, const timeline::Lanes& lanes, const OpColors* ops);

  static constexpr std::size_t kHues = timeline::FoldHues::kHues;
  timeline::LineHues hues_of(const timeline::Line& line) const {
    if (ops_ == nullptr) return timeline::LineHues(line);
    const OpColors::OfLine& hues = ops_->of_line(line);
    return {line, hues.of_place, hues.of_folds};
  }
  Color color(uint8_t hue) const { return colors_[hue]; }
  Color of(const timeline::Line& line, std::size_t place) const {
    return color(hues_of(line)[place]);
  }

  struct Entry {
    std::string label;
    Color color = 0;
    int64_t time_ns = 0;  // in the whole run; 0 = is not told
  };
  struct Legend {
    std::vector<Entry> entries;  // what is most in the run first
    bool has_others = false;     // the last one stands for all the rest
    std::string_view note = {};  // what the times are
  };
  Legend legend() const;

 private:
  Color of(timeline::Category category) const {
    return colors_[static_cast<std::size_t>(category)];
  }
  Legend legend_of_categories() const;

  const timeline::Lanes& lanes_;
  const OpColors* ops_;
  std::array<Color, kHues> colors_ = {};
};

// A fold whose events take `share` (0..1) of its time, on a background.
Color color_of_fold(Color color, Color background, float share);

// What the colors of the timeline tell, as chosen in its bar.
class ColorChoice {
 public:
  timeline::ColorBy by() const { return by_; }
  void choose(timeline::ColorBy by) { by_ = by; }
  void choose_next();

  // In every frame, before what follows.
  void update(const std::shared_ptr<const timeline::Lanes>& lanes, Background& background);
  EventColors colors(const Frame& frame, const timeline::Lanes& lanes) const;
  // A menu that ends at `right`; returns its left edge.
  float draw_menu(Frame& frame, float right, float top);

 private:
  using Key = std::pair<std::shared_ptr<const timeline::Lanes>, timeline::ColorBy>;

  timeline::ColorBy by_ = timeline::ColorBy::category;
  Late<Key, OpColors> ops_;
};

// As many entries as there is room for, how many more there are, and that of all others; the
// tooltip has them all.
void draw_timeline_legend(Frame& frame, const Box& box, const EventColors::Legend& legend);

}  // namespace dlview::ui
