#include "ui/timeline/line.h"

#include <algorithm>

namespace dlview::ui::timeline {

Line::Line(const std::vector<EventRef>& events, const Events& source) {
  rows_.reserve(events.size());
  kinds_.reserve(events.size());
  std::vector<Longest> blocks;
  int64_t busy = 0;
  for (std::size_t place = 0; place < events.size(); ++place) {
    rows_.push_back(events[place].row);
    kinds_.push_back(events[place].kind);
    const base::Interval time = source.time(events[place]);
    if (place % kBlock == 0) {
      starts_.push_back(time.start_ns);
      busy_before_.push_back(busy);
      blocks.emplace_back();
    }
    const int64_t length = time.stop_ns - time.start_ns;
    busy += length;
    blocks.back().take({length, static_cast<uint32_t>(place)});
  }
  longest_.push_back(std::move(blocks));
  while (longest_.back().size() > kBlock) {
    const std::vector<Longest>& below = longest_.back();
    std::vector<Longest> level((below.size() + kBlock - 1) / kBlock);
    for (std::size_t i = 0; i < below.size(); ++i) level[i / kBlock].take(below[i]);
    longest_.push_back(std::move(level));
  }
}

std::size_t Line::first_from(int64_t time_ns, const Events& source, std::size_t from) const {
  if (from >= size() || start_ns(from, source) >= time_ns) return std::min(from, size());
  // Blocks behind that of `from`, in strides that double, until one starts too late.
  std::size_t begin = from / kBlock;
  std::size_t stride = 1;
  while (begin + stride < starts_.size() && starts_[begin + stride] < time_ns) {
    begin += stride;
    stride *= 2;
  }
  const auto behind =
      starts_.begin() + static_cast<std::ptrdiff_t>(std::min(begin + stride, starts_.size()));
  const auto block =
      std::lower_bound(starts_.begin() + static_cast<std::ptrdiff_t>(begin) + 1, behind, time_ns) -
      starts_.begin() - 1;
  std::size_t low = std::max(from, static_cast<std::size_t>(block) * kBlock);
  std::size_t high = std::min(size(), (static_cast<std::size_t>(block) + 1) * kBlock);
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (start_ns(middle, source) < time_ns) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

std::size_t Line::first_visible(int64_t start_ns, const Events& source) const {
  const std::size_t first = first_from(start_ns, source);
  if (first > 0 && source.time((*this)[first - 1]).stop_ns > start_ns) return first - 1;
  return first;
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

std::size_t Line::longest(std::size_t first, std::size_t last, const Events& source) const {
  Longest best;
  const auto take = [&](std::size_t place) {
    best.take({length_ns(place, source), static_cast<uint32_t>(place)});
  };
  while (first < last && first % kBlock != 0) take(first++);
  while (first < last && last % kBlock != 0) take(--last);
  for (const std::vector<Longest>& level : longest_) {
    first /= kBlock;
    last /= kBlock;
    const bool is_top = &level == &longest_.back();
    while (first < last && (is_top || first % kBlock != 0)) best.take(level[first++]);
    while (first < last && last % kBlock != 0) best.take(level[--last]);
  }
  return best.place;
}

int64_t Line::busy_before_ns(std::size_t place, const Events& source) const {
  const std::size_t block = std::min(place / kBlock, busy_before_.size() - 1);
  int64_t busy = busy_before_[block];
  for (std::size_t i = block * kBlock; i < place; ++i) busy += length_ns(i, source);
  return busy;
}

int64_t Line::busy_ns(std::size_t first, std::size_t last, const Events& source) const {
  if (last - first > kBlock) return busy_before_ns(last, source) - busy_before_ns(first, source);
  int64_t busy = 0;
  for (std::size_t place = first; place < last; ++place) busy += length_ns(place, source);
  return busy;
}

}  // namespace dlview::ui::timeline
