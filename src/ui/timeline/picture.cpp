#include "ui/timeline/picture.h"

#include <algorithm>

namespace dlview::ui::timeline {
namespace {

// A fold must leave a box behind it at least a column of its own.
constexpr int32_t kLeastBehindFold = 2;
// Columns that are looked at one by one.
constexpr int32_t kNear = 4;

// It stops one ns before the next one starts.
base::Interval time_of(const aggregate::Iteration& row) {
  return {row.start_ns, std::max(row.start_ns, row.stop_ns)};
}

template <typename TimeOf>
class Folding {
 public:
  Folding(const Runs& runs, const TimeOf& time_of, const ColumnTimes& columns)
      : runs_(runs), time_of_(time_of), columns_(columns) {}

  LinePicture run() {
    const int64_t stop_ns = columns_.begin_ns(columns_.columns());
    picture_.reserve(std::min(runs_.size(), static_cast<std::size_t>(columns_.columns())));
    int32_t column = 0;
    for (std::size_t place = first_visible(); place < runs_.size();) {
      const int64_t start_ns = runs_.start_ns(place, time_of_);
      if (start_ns >= stop_ns) break;
      column = columns_.column_from(column, start_ns);
      place = add_column(place, column);
    }
    return std::move(picture_);
  }

 private:
  std::size_t first_visible() const {
    const int64_t start_ns = columns_.begin_ns(0);
    const std::size_t first = runs_.first_from(start_ns, 0, time_of_);
    return first > 0 && runs_.time(first - 1, time_of_).stop_ns > start_ns ? first - 1 : first;
  }
  // All that begins in the column of `first`; returns the place behind it.
  std::size_t add_column(std::size_t first, int32_t column) {
    const std::size_t run = run_behind(first, column);
    if (run < runs_.size()) {
      add_fold(first, run, column);
      return run;
    }
    const std::size_t behind =
        runs_.first_from(columns_.begin_ns(column + 1), first + 1, time_of_, expected_);
    expected_ = behind - first;
    runs_.prefetch(behind + expected_);
    // Only the last can reach into other columns.
    const std::size_t last = behind - 1;
    const int32_t right = std::min(
        columns_.columns(), columns_.column_from(column, runs_.time(last, time_of_).stop_ns));
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
  // Where whole runs make up the column of `first`: the first event of the next one, in whose
  // column a run begins too. None of them reaches farther, for the next one waits for all.
  std::size_t run_behind(std::size_t first, int32_t column) {
    if (column + 2 > columns_.columns()) return runs_.size();
    const std::size_t run = runs_.run_from(columns_.begin_ns(column + 1),
                                           columns_.begin_ns(column + 2), first, expected_);
    if (run < runs_.size()) expected_ = run - first;
    return run;
  }
  void add_box(std::size_t place, int32_t left, int32_t right) {
    const base::Interval time = runs_.time(place, time_of_);
    const auto number = static_cast<uint32_t>(place);
    picture_.push_back({left, right, number, 1, number, time.stop_ns - time.start_ns});
  }
  void add_fold(std::size_t first, std::size_t last, int32_t column) {
    picture_.push_back({column, column + 1, static_cast<uint32_t>(first),
                        static_cast<uint32_t>(last - first),
                        static_cast<uint32_t>(runs_.longest(first, last, time_of_)),
                        runs_.busy_ns(first, last, time_of_)});
  }

  const Runs& runs_;
  const TimeOf& time_of_;
  const ColumnTimes& columns_;
  std::size_t expected_ = 0;  // events of a column, as many as the last one had
  LinePicture picture_;
};

}  // namespace

ColumnTimes::ColumnTimes(const TimeMap& map) : map_(map) {
  for (int32_t column = 0; column <= map.columns(); ++column) {
    begins_.push_back(map.begin_ns(column));
  }
}

int32_t ColumnTimes::column_from(int32_t near, int64_t time_ns) const {
  for (int32_t column = near; column < std::min(near + kNear, columns()); ++column) {
    if (time_ns < begin_ns(column + 1)) return column;
  }
  return column(time_ns);
}

LinePicture prepare_line(const Line& line, const Events& source, const ColumnTimes& columns) {
  const auto time_of = [&](std::size_t place) { return source.time(line[place]); };
  return Folding(line.runs(), time_of, columns).run();
}

LinePicture prepare_line(const Line& line, const Events& source, const TimeMap& map) {
  return prepare_line(line, source, ColumnTimes(map));
}

IterationLine::IterationLine(std::span<const aggregate::Iteration> rows)
    : rows_(rows), runs_(rows.size(), [rows](std::size_t place) { return time_of(rows[place]); }) {}

LinePicture IterationLine::prepare(const TimeMap& map) const {
  const auto time = [this](std::size_t place) { return time_of(rows_[place]); };
  return Folding(runs_, time, ColumnTimes(map)).run();
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
