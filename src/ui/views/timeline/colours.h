// Which colour an event of the timeline has: that of its category, as
// everywhere, with the host's own time, which has none, in quiet shades; or that
// of its op's type, name or direction.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ui/look.h"
#include "ui/timeline/lanes.h"
#include "ui/timeline/op_colours.h"

namespace dlview::ui {

class EventColours {
 public:
  // By category without `ops`. All outlive it.
  EventColours(const Frame& frame, const timeline::Lanes& lanes, const timeline::OpColours* ops)
      : palette_(frame.palette()), theme_(frame.model.theme), lanes_(lanes), ops_(ops) {}

  Colour of(timeline::EventRef event) const;

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
  Colour by_category(timeline::EventRef event) const;
  Colour by_op(timeline::EventRef event) const;
  Legend legend_of_categories() const;

  const Palette& palette_;
  ThemeKind theme_;
  const timeline::Lanes& lanes_;
  const timeline::OpColours* ops_;
};

// A fold whose events take `share` (0..1) of its time, on a background.
Colour colour_of_fold(Colour colour, Colour background, float share);

}  // namespace dlview::ui
