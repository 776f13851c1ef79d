#include "ui/table/row_marks.h"

#include <algorithm>
#include <iterator>

namespace dlview::ui {

void RowMarks::add(std::size_t first, std::size_t last) {
  auto run = runs_.upper_bound(first);
  if (run != runs_.begin() && std::prev(run)->second + 1 >= first) --run;
  while (run != runs_.end() && run->first <= last + 1) {
    first = std::min(first, run->first);
    last = std::max(last, run->second);
    run = runs_.erase(run);
  }
  runs_.emplace(first, last);
}

void RowMarks::toggle(std::size_t place) {
  if (!contains(place)) return add(place, place);
  const auto run = std::prev(runs_.upper_bound(place));
  const auto [first, last] = *run;
  runs_.erase(run);
  if (first < place) runs_.emplace(first, place - 1);
  if (place < last) runs_.emplace(place + 1, last);
}

bool RowMarks::contains(std::size_t place) const {
  const auto next = runs_.upper_bound(place);
  return next != runs_.begin() && std::prev(next)->second >= place;
}

std::size_t RowMarks::count() const {
  std::size_t count = 0;
  for (const auto& [first, last] : runs_) count += last - first + 1;
  return count;
}

}  // namespace dlview::ui
