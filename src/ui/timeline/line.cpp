#include "ui/timeline/line.h"

namespace dlview::ui::timeline {

Line::Line(const std::vector<EventRef>& events, const Events& source) {
  rows_.reserve(events.size());
  kinds_.reserve(events.size());
  for (const EventRef event : events) {
    rows_.push_back(event.row);
    const auto category = static_cast<unsigned>(source.category(event));
    kinds_.push_back(
        static_cast<uint8_t>(category << kKindBits | static_cast<uint8_t>(event.kind)));
    categories_ |= uint32_t{1} << category;
  }
  runs_ = Runs(events.size(), times(source));
  bins_ =
      TimeBins(events.size(), [&](std::size_t place) { return runs_.time(place, times(source)); });
  static_assert(kCategoryCount <= FoldHues::kHues);
  fold_hues_ = FoldHues(
      bins_, [&](std::size_t place) { return length_ns(place, source); },
      [&](std::size_t place) { return static_cast<uint8_t>(category(place)); });
}

std::size_t Line::find(EventRef event, const Events& source) const {
  const base::Interval time = source.time(event);
  std::size_t same_time = size();
  for (std::size_t place = first_from(time.start_ns, source); place < size(); ++place) {
    const base::Interval here = source.time((*this)[place]);
    if (here.start_ns != time.start_ns) break;
    if ((*this)[place] == event) return place;
    if (is_call(event.kind) && is_call((*this)[place].kind) && here == time) same_time = place;
  }
  return same_time;
}

}  // namespace dlview::ui::timeline
