// Which colour an event of the timeline has: that of its category, as
// everywhere, with the host's own time, which has none, in quiet shades; or that
// of its op's type, name or direction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ui/theme.h"
#include "ui/look.h"
#include "ui/timeline/lanes.h"
#include "ui/timeline/picture.h"
#include "ui/timeline/op_colours.h"

namespace dlview::ui {

class EventColours {
 public:
  // By category without `ops`, which are of these lanes. All outlive it.
  EventColours(const Frame& frame, const timeline::Lanes& lanes, const timeline::OpColours* ops);

  static constexpr std::size_t kHues = timeline::FoldHues::kHues;
  timeline::LineHues hues_of(const timeline::Line& line) const {
    if (ops_ == nullptr) return timeline::LineHues(line);
    const timeline::OpColours::OfLine& hues = ops_->of_line(line);
    return {line, hues.of_place, hues.of_folds};
  }
  Colour colour(uint8_t hue) const { return colours_[hue]; }
  Colour of(const timeline::Line& line, std::size_t place) const {
    return colour(hues_of(line)[place]);
  }

  struct Entry {
    std::string label;
    Colour colour = 0;
    int64_t time_ns = 0;  // in the whole run; 0 = is not told
  };
  struct Legend {
    std::vector<Entry> entries;  // what is most in the run first
    bool has_others = false;     // the last one stands for all the rest
    std::string_view note = {};  // what the times are
  };
  Legend legend() const;

 private:
  Colour of(timeline::Category category) const {
    return colours_[static_cast<std::size_t>(category)];
  }
  Legend legend_of_categories() const;

  const timeline::Lanes& lanes_;
  const timeline::OpColours* ops_;
  std::array<Colour, kHues> colours_ = {};
};

// A fold whose events take `share` (0..1) of its time, on a background.
Colour colour_of_fold(Colour colour, Colour background, float share);

}  // namespace dlview::ui
