// The hues of what a line looks like: of a box that of its event, of a fold the one that takes most
// of the time of its events. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ui/timeline/fold_hues.h"
#include "ui/timeline/line.h"
#include "ui/timeline/picture.h"

namespace dlview::ui::timeline {

// Of the events of a line, by place: a number below FoldHues::kHues. What is given outlives it.
class LineHues {
 public:
  // By category.
  explicit LineHues(const Line& line) : line_(line), of_folds_(line.fold_hues()) {}
  LineHues(const Line& line, const std::vector<uint8_t>& of_places, const FoldHues& of_folds)
      : line_(line), of_places_(&of_places), of_folds_(of_folds) {}

  const Line& line() const { return line_; }
  uint8_t operator[](std::size_t place) const {
    return of_places_ == nullptr ? static_cast<uint8_t>(line_.category(place))
                                 : (*of_places_)[place];
  }
  // Fetches the hue of a place.
  void prefetch(std::size_t place) const {
    if (of_places_ == nullptr) {
      line_.prefetch(place);
    } else {
      __builtin_prefetch(&(*of_places_)[place]);
    }
  }
  const FoldHues& of_folds() const { return of_folds_; }
  // That of all places, where that is known.
  std::optional<uint8_t> only() const {
    const auto category = of_places_ == nullptr ? line_.only_category() : std::nullopt;
    return category ? std::optional(static_cast<uint8_t>(*category)) : std::nullopt;
  }

 private:
  const Line& line_;
  const std::vector<uint8_t>* of_places_ = nullptr;  // null: by category
  const FoldHues& of_folds_;
};

// By mark. Exact where a fold holds few events; else about (see FoldHues), and one that it holds.
std::vector<uint8_t> hues_of(const LinePicture& picture, const LineHues& hues, const Events& source,
                             const ColumnTimes& columns);

}  // namespace dlview::ui::timeline
