#include "timeline/picture.h"

#include <algorithm>

namespace dlview::timeline {
namespace {

// A fold must leave a box behind it at least a column of its own.
constexpr int32_t kLeastBehindFold = 2;
// Of a column, by one of which a fold's edges may be off.
constexpr int64_t kParts = 8;
// Of fewer events each is told exactly.
constexpr std::size_t kLeastBinned = 8;

// It stops one ns before the next one starts.
base::Interval time_of(const aggregate::Iteration& row) {
  return {row.start_ns, std::max(row.start_ns, row.stop_ns)};
}

template <typename TimeOf>
class Folding {
 public:
  Folding(const Runs& runs, const BinLevel* bins, const TimeOf& time_of, const ColumnTimes& columns)
      : runs_(runs), bins_(bins), time_of_(time_of), columns_(columns), walk_(runs, time_of) {}

  LinePicture run() {
    std::size_t place = runs_.first_visible(columns_.begin_ns(0), time_of_);
    if (place == runs_.size()) return {};
    picture_.reserve(static_cast<std::size_t>(columns_.columns()));
    const int64_t stop_ns = columns_.begin_ns(columns_.columns());
    int64_t start_ns = runs_.start_ns(place, time_of_);
    int32_t column = 0;
    while (start_ns < stop_ns) {
      column = columns_.column_from(column, start_ns);
      const Begun stretch = begins_in(column, place);
      add(place, stretch, column);
      place = stretch.behind;
      start_ns = stretch.behind_ns;
    }
    return std::move(picture_);
  }

 private:
  // What begins in a column. Where nothing begins in the next one, `behind_ns` may be any time of
  // the column in which what is behind it starts.
  struct Begun : Stretch {
    bool ends_in_next = false;  // is known to end in the next column at the latest
  };

  int64_t end_of_next(int32_t column) const {
    return columns_.begin_ns(std::min(column + 2, columns_.columns()));
  }
  // What begins in the column, from a place on: of many events those of whole bins are known, and
  // the first bin behind the column ends it, where the next column keeps some of its own or loses
  // none.
  Begun begins_in(int32_t column, std::size_t place) {
    const int64_t end_ns = columns_.begin_ns(column + 1);
    if (bins_ == nullptr) return {walk_.until(end_ns, place)};
    const std::vector<Bin>& bins = bins_->bins;
    const std::size_t end = bins_->first_from(end_ns), behind = bins[end].first;
    if (behind < place + kLeastBinned) return {walk_.until(end_ns, place)};
    const bool is_exact = bins[bins_->last_until(end_ns)].first == behind;
    const bool is_short = bins[bins_->last_until(end_of_next(column))].first > behind;
    const std::size_t first = bins_->first_from(columns_.begin_ns(column));
    const std::size_t last = is_short || is_exact ? end : end - 1;
    if (first >= last) return {walk_.until(end_ns, place)};
    const auto sum = Bin::sum(&bins[first], &bins[last]);
    const bool is_told = sum && sum->longest_ns >= 0;  // else all may lie before the first one
    if (!is_told) return {walk_.until(is_short ? bins_->begin_ns(end) : end_ns, place)};
    Begun begun{{bins[last].first, 0, sum->longest, sum->longest_ns, sum->busy_ns}};
    if (is_short) {
      begun.behind_ns = bins_->begin_ns(end);
      begun.ends_in_next = true;
    } else if (is_exact) {
      begun.behind_ns = start_behind(end, column);
      begun.ends_in_next = latest_stop_before(end) < end_of_next(column);
    } else {
      begun.behind_ns = start_ns(begun.behind);
      if (begun.behind_ns < end_ns) begun.append(walk_.until(end_ns, begun.behind));
    }
    if (place < bins[first].first) begun.prepend(walk_.until(bins_->begin_ns(first), place));
    return begun;
  }
  // When the first event behind this bin's beginning starts, or when the bin does in which it
  // starts, where that is the same column: so it is not looked for in memory that nobody has read.
  int64_t start_behind(std::size_t bin, int32_t column) const {
    const std::vector<Bin>& bins = bins_->bins;
    const uint32_t place = bins[bin].first;
    if (place == runs_.size()) return Runs::kNever;
    while (bins[bin + 1].first == place) ++bin;
    const int64_t bin_ns = bins_->begin_ns(bin);
    const int32_t next = columns_.column_from(column, bin_ns);
    if (next == columns_.columns()) return bin_ns;
    return bins_->begin_ns(bin + 1) <= columns_.begin_ns(next + 1) ? bin_ns : start_ns(place);
  }
  // Of the last event before a bin, which there is: it stops at this time or before.
  int64_t latest_stop_before(std::size_t bin) const {
    const uint32_t behind = bins_->bins[bin].first;
    while (bins_->bins[bin].first == behind) --bin;
    return bins_->begin_ns(bin + 1) + bins_->bins[bin].longest_ns();
  }
  int64_t start_ns(std::size_t place) const {
    return place == runs_.size() ? Runs::kNever : runs_.start_ns(place, time_of_);
  }
  void add(std::size_t first, const Begun& stretch, int32_t column) {
    const std::size_t last = stretch.behind - 1;
    // Only the last can reach into other columns, if the next one does not begin before.
    const bool is_short =
        last != first && (stretch.ends_in_next || stretch.behind_ns < end_of_next(column));
    const int32_t right = is_short ? column + 1 : right_of(last, column);
    if (last == first) {
      add_box(first, column, std::max(column + 1, right));
    } else if (right - column >= kLeastBehindFold) {
      add_front(first, stretch, column);
      add_box(last, column + 1, right);
    } else {
      add_fold(first, stretch, column);
    }
  }
  int32_t right_of(std::size_t place, int32_t column) const {
    const int64_t stop_ns = runs_.time(place, time_of_).stop_ns;
    return std::min(columns_.columns(), columns_.column_from(column, stop_ns));
  }
  // All but the last one.
  void add_front(std::size_t first, Stretch stretch, int32_t column) {
    const std::size_t last = --stretch.behind;
    if (last - first == 1) return add_box(first, column, column + 1);
    const base::Interval time = runs_.time(last, time_of_);
    stretch.busy_ns -= time.stop_ns - time.start_ns;
    if (stretch.longest == last) {
      const Runs::Longest longest = longest_of(first, last, column);
      stretch.longest = longest.place;
      stretch.longest_ns = longest.ns;
    }
    add_fold(first, stretch, column);
  }
  // Of places that begin in the column, or in a bin of it.
  Runs::Longest longest_of(std::size_t first, std::size_t last, int32_t column) const {
    if (bins_ == nullptr) return runs_.longest(first, last, time_of_);
    const std::vector<Bin>& bins = bins_->bins;
    const std::size_t begin = bins_->first_from(columns_.begin_ns(column));
    std::size_t end = bins_->first_from(columns_.begin_ns(column + 1));
    while (end > begin && bins[end].first > last) --end;
    if (bins[begin].first < first || begin == end) return runs_.longest(first, last, time_of_);
    const auto sum = Bin::sum(&bins[begin], &bins[end]);
    if (!sum) return runs_.longest(first, last, time_of_);
    Runs::Longest longest;
    const auto take = [&](std::size_t from, std::size_t to) {
      if (from < to) longest.take(runs_.longest(from, to, time_of_));
    };
    take(first, bins[begin].first);
    longest.take({sum->longest_ns, sum->longest});
    take(bins[end].first, last);
    return longest;
  }
  void add_box(std::size_t place, int32_t left, int32_t right) {
    const base::Interval time = runs_.time(place, time_of_);
    const auto number = static_cast<uint32_t>(place);
    picture_.push_back({left, right, number, 1, number, time.stop_ns - time.start_ns});
  }
  void add_fold(std::size_t first, const Stretch& stretch, int32_t column) {
    picture_.push_back({column, column + 1, static_cast<uint32_t>(first),
                        static_cast<uint32_t>(stretch.behind - first), stretch.longest,
                        stretch.busy_ns});
  }

  const Runs& runs_;
  const BinLevel* bins_;
  const TimeOf& time_of_;
  const ColumnTimes& columns_;
  RunWalk<TimeOf> walk_;
  LinePicture picture_;
};

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

  // As most neighbors are: then no time is asked for.
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

const BinLevel* bins_of(const Line& line, const ColumnTimes& columns) {
  const int64_t column_ns = columns.begin_ns(1) - columns.begin_ns(0);
  return line.bins().of_width((column_ns - 1) / kParts);
}

LinePicture prepare_line(const Line& line, const Events& source, const ColumnTimes& columns) {
  const auto time_of = [&](std::size_t place) { return source.time(line[place]); };
  return Folding(line.runs(), bins_of(line, columns), time_of, columns).run();
}

LinePicture prepare_line(const Line& line, const Events& source, const TimeMap& map) {
  return prepare_line(line, source, ColumnTimes(map));
}

IterationLine::IterationLine(std::span<const aggregate::Iteration> rows)
    : rows_(rows), runs_(rows.size(), [rows](std::size_t place) { return time_of(rows[place]); }) {}

LinePicture IterationLine::prepare(const TimeMap& map) const {
  const auto time = [this](std::size_t place) { return time_of(rows_[place]); };
  return Folding(runs_, nullptr, time, ColumnTimes(map)).run();
}

const Mark* find_mark(const LinePicture& picture, int32_t column, int32_t slack) {
  const auto behind =
      std::ranges::upper_bound(picture, column, {}, [](const Mark& mark) { return mark.left; });
  const Mark* nearest = nullptr;
  int32_t distance = slack + 1;
  const auto take = [&](const Mark& mark) {
    const int32_t away = mark.distance(column);
    if (away < distance) {
      nearest = &mark;
      distance = away;
    }
  };
  if (behind != picture.begin()) take(*(behind - 1));
  if (behind != picture.end()) take(*behind);
  return nearest;
}

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

}  // namespace dlview::timeline
