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

#include "ui/hues.h"
#include "ui/look.h"
#include "ui/timeline/lanes.h"
#include "ui/timeline/op_colours.h"

namespace dlview::ui {

class EventColours {
 public:
  // By category without `ops`, which are of these lanes. All outlive it.
  EventColours(const Frame& frame, const timeline::Lanes& lanes, const timeline::OpColours* ops);

  // Of the events of a line, by place: a number below kHues.
  static constexpr std::size_t kHues = timeline::FoldHues::kHues;
  class LineHues {
   public:
    explicit LineHues(const timeline::Line& line) : line_(line), of_folds_(line.fold_hues()) {}
    LineHues(const timeline::Line& line, const timeline::OpColours::OfLine& ops)
        : line_(line), of_places_(&ops.of_place), of_folds_(ops.of_folds) {}

    uint8_t operator[](std::size_t place) const {
      return of_places_ == nullptr ? static_cast<uint8_t>(line_.category(place))
                                   : (*of_places_)[place];
    }
    const timeline::FoldHues& of_folds() const { return of_folds_; }

   private:
    const timeline::Line& line_;
    const std::vector<uint8_t>* of_places_ = nullptr;  // null: by category
    const timeline::FoldHues& of_folds_;
  };
  LineHues hues_of(const timeline::Line& line) const {
    return ops_ == nullptr ? LineHues(line) : LineHues(line, ops_->of_line(line));
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
