#include "ui/timeline/mark_hues.h"

#include <optional>

namespace dlview::ui::timeline {
namespace {

constexpr uint32_t kFew = 16;  // events that are looked at one by one
constexpr uint32_t kFewWithoutBins = 64;
constexpr std::size_t kAhead = 12;  // marks whose memory is fetched before it is asked for

class MarkHues {
 public:
  MarkHues(const LineHues& hues, const Events& source, const ColumnTimes& columns)
      : hues_(hues), source_(source), columns_(columns), level_(bins_of(hues.line(), columns)) {}

  uint8_t of(const Mark& mark) const {
    if (!mark.is_fold()) return hues_[mark.first];
    std::optional<uint8_t> most;
    if (level_ != nullptr && mark.count > kFew) most = of_bins(mark);
    if (!most && mark.count <= kFewWithoutBins) most = of_events(mark);
    // Not value_or: that would read the memory of each fold's longest event.
    return most ? *most : hues_[mark.longest];
  }

 private:
  // Of those in its column that hold nothing but its own.
  std::optional<uint8_t> of_bins(const Mark& mark) const {
    const base::Interval column = columns_.shown(mark.left);
    std::size_t begin = level_->last_until(column.start_ns);
    std::size_t end = level_->first_from(column.stop_ns);
    while (begin < end && level_->bins[begin].first < mark.first) ++begin;
    while (begin < end && level_->bins[end].first > mark.first + mark.count) --end;
    return hues_.of_folds().most(*level_, begin, end);
  }
  std::optional<uint8_t> of_events(const Mark& mark) const {
    const uint32_t end = mark.first + mark.count;
    if (are_alike(mark.first, end)) return hues_[mark.first];
    FoldHues::Times times;
    for (uint32_t place = mark.first; place < end; ++place) {
      times.add(hues_[place], hues_.line().length_ns(place, source_));
    }
    const uint8_t most = times.most();
    return times.of(most) > 0 ? std::optional(most) : std::nullopt;
  }

  // As most neighbours are: then no time is asked for.
  bool are_alike(uint32_t first, uint32_t end) const {
    bool all = true;
    for (uint32_t place = first + 1; place < end; ++place) all &= hues_[place] == hues_[first];
    return all;
  }

  const LineHues& hues_;
  const Events& source_;
  const ColumnTimes& columns_;
  const BinLevel* level_;  // null: all bins are too wide
};

}  // namespace

std::vector<uint8_t> hues_of(const LinePicture& picture, const LineHues& hues, const Events& source,
                             const ColumnTimes& columns) {
  if (const auto only = hues.only()) return std::vector<uint8_t>(picture.size(), *only);
  const MarkHues of_marks(hues, source, columns);
  std::vector<uint8_t> result(picture.size());
  for (std::size_t i = 0; i < picture.size(); ++i) {
    if (i + kAhead < picture.size()) hues.prefetch(picture[i + kAhead].first);
    result[i] = of_marks.of(picture[i]);
  }
  return result;
}

}  // namespace dlview::ui::timeline
