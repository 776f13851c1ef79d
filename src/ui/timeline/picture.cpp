#include "ui/timeline/picture.h"

#include <algorithm>

namespace dlview::ui::timeline {
namespace {

// A fold must leave a box behind it at least a column of its own.
constexpr int32_t kLeastBehindFold = 2;

// A source has size(), time(place), first_from(time, from), first_visible(time), longest(first,
// last) and busy_ns(first, last), as Line has them.
template <typename Source>
class Folding {
 public:
  Folding(const Source& source, const TimeMap& map) : source_(source), map_(map) {}

  LinePicture run() {
    const int64_t stop_ns = map_.window().stop_ns();
    std::size_t place = source_.first_visible(map_.window().start_ns);
    while (place < source_.size() && source_.time(place).start_ns < stop_ns) {
      place = add_column(place);
    }
    return std::move(picture_);
  }

 private:
  // All that begins in the column of `first`; returns the place behind it.
  std::size_t add_column(std::size_t first) {
    const int32_t column = std::max(0, map_.column(source_.time(first).start_ns));
    const std::size_t behind = source_.first_from(map_.begin_ns(column + 1), first + 1);
    // Only the last can reach into other columns.
    const std::size_t last = behind - 1;
    const int32_t right = std::min(map_.columns(), map_.column(source_.time(last).stop_ns));
    if (last == first) {
      add_box(first, column, std::max(column + 1, right));
    } else if (right - column >= kLeastBehindFold) {
      if (last - first == 1) {
        add_box(first, column, column + 1);
      } else {
        add_fold(first, last, column);
      }
      add_box(last, column + 1, right);
    } else {
      add_fold(first, behind, column);
    }
    return behind;
  }
  void add_box(std::size_t place, int32_t left, int32_t right) {
    const base::Interval time = source_.time(place);
    const auto number = static_cast<uint32_t>(place);
    picture_.push_back({left, right, number, 1, number, time.stop_ns - time.start_ns});
  }
  void add_fold(std::size_t first, std::size_t last, int32_t column) {
    picture_.push_back(
        {column, column + 1, static_cast<uint32_t>(first), static_cast<uint32_t>(last - first),
         static_cast<uint32_t>(source_.longest(first, last)), source_.busy_ns(first, last)});
  }

  const Source& source_;
  const TimeMap& map_;
  LinePicture picture_;
};

class LineSource {
 public:
  LineSource(const Line& line, const Events& events) : line_(line), events_(events) {}
  std::size_t size() const { return line_.size(); }
  base::Interval time(std::size_t place) const { return events_.time(line_[place]); }
  std::size_t first_from(int64_t time_ns, std::size_t from) const {
    return line_.first_from(time_ns, events_, from);
  }
  std::size_t first_visible(int64_t time_ns) const { return line_.first_visible(time_ns, events_); }
  std::size_t longest(std::size_t first, std::size_t last) const {
    return line_.longest(first, last, events_);
  }
  int64_t busy_ns(std::size_t first, std::size_t last) const {
    return line_.busy_ns(first, last, events_);
  }

 private:
  const Line& line_;
  const Events& events_;
};

// Its time up to the start of the next one: an iteration stops one ns before that.
class IterationSource {
 public:
  explicit IterationSource(const std::vector<aggregate::Iteration>& rows) : rows_(rows) {}
  std::size_t size() const { return rows_.size(); }
  base::Interval time(std::size_t place) const {
    return {rows_[place].start_ns, std::max(rows_[place].start_ns, rows_[place].stop_ns)};
  }
  std::size_t first_from(int64_t time_ns, std::size_t from) const {
    const auto rest = std::span(rows_).subspan(std::min(from, rows_.size()));
    const auto found = std::ranges::lower_bound(rest, time_ns, {}, &aggregate::Iteration::start_ns);
    return std::min(from, rows_.size()) + static_cast<std::size_t>(found - rest.begin());
  }
  std::size_t first_visible(int64_t time_ns) const {
    const std::size_t first = first_from(time_ns, 0);
    return first > 0 && time(first - 1).stop_ns > time_ns ? first - 1 : first;
  }
  std::size_t longest(std::size_t first, std::size_t last) const {
    const auto rows = std::span(rows_).subspan(first, last - first);
    const auto found = std::ranges::max_element(rows, {}, &aggregate::Iteration::duration_ns);
    return first + static_cast<std::size_t>(found - rows.begin());
  }
  int64_t busy_ns(std::size_t first, std::size_t last) const {
    return time(last - 1).stop_ns - time(first).start_ns;
  }

 private:
  const std::vector<aggregate::Iteration>& rows_;
};

}  // namespace

LinePicture prepare_line(const Line& line, const Events& source, const TimeMap& map) {
  const LineSource events(line, source);
  return Folding(events, map).run();
}

LinePicture prepare_iterations(const std::vector<aggregate::Iteration>& iterations,
                               const TimeMap& map) {
  const IterationSource source(iterations);
  return Folding(source, map).run();
}

const Mark* find_mark(const LinePicture& picture, int32_t column, int32_t slack) {
  const auto behind =
      std::ranges::upper_bound(picture, column, {}, [](const Mark& mark) { return mark.left; });
  const Mark* nearest = nullptr;
  int32_t distance = slack + 1;
  const auto take = [&](const Mark& mark) {
    const int32_t away = column < mark.left     ? mark.left - column
                         : column >= mark.right ? column - mark.right + 1
                                                : 0;
    if (away < distance) {
      nearest = &mark;
      distance = away;
    }
  };
  if (behind != picture.begin()) take(*(behind - 1));
  if (behind != picture.end()) take(*behind);
  return nearest;
}

}  // namespace dlview::ui::timeline
