#include "ui/chart/navigation.h"

#include <algorithm>

namespace dlview::ui {
namespace {

Span inside(Span span, int64_t count) {
  const Span whole = whole_span(count);
  const double size = std::min(span.size(), whole.size());
  const double first = std::clamp(span.first, 0.0, whole.last - size);
  return {first, first + size};
}

}  // namespace

Span whole_span(int64_t count) {
  return {0, static_cast<double>(std::max<int64_t>(1, count))};
}

Span zoomed(Span span, double at, double factor, int64_t count) {
  const double largest = whole_span(count).size();
  const double size = std::clamp(span.size() * factor, std::min(kSmallestSpan, largest), largest);
  const double share_left = (at - span.first) / span.size();
  const double first = at - share_left * size;
  return inside({first, first + size}, count);
}

Span panned(Span span, double by, int64_t count) {
  return inside({span.first + by, span.last + by}, count);
}

aggregate::IterationRange with_first(aggregate::IterationRange range, int64_t first,
                                     int64_t count) {
  range.last = std::clamp<int64_t>(range.last, 0, count - 1);
  return {std::clamp<int64_t>(first, 0, range.last), range.last};
}

aggregate::IterationRange with_last(aggregate::IterationRange range, int64_t last, int64_t count) {
  range.first = std::clamp<int64_t>(range.first, 0, count - 1);
  return {range.first, std::clamp<int64_t>(last, range.first, count - 1)};
}

aggregate::IterationRange from_first(aggregate::IterationRange range, int64_t first,
                                     int64_t count) {
  first = std::clamp<int64_t>(first, 0, count - 1);
  return {first, std::max(first, std::clamp<int64_t>(range.last, 0, count - 1))};
}

aggregate::IterationRange to_last(aggregate::IterationRange range, int64_t last, int64_t count) {
  last = std::clamp<int64_t>(last, 0, count - 1);
  return {std::min(last, std::clamp<int64_t>(range.first, 0, count - 1)), last};
}

aggregate::IterationRange shifted(aggregate::IterationRange range, int64_t by, int64_t count) {
  const int64_t move = std::clamp<int64_t>(by, -range.first, count - 1 - range.last);
  return {range.first + move, range.last + move};
}

}  // namespace dlview::ui
