// RowMarks: places that are marked, to be copied. Kept as runs, so that marking ten million rows
// costs what marking one does.
#pragma once

#include <cstddef>
#include <map>

namespace dlview::ui {

class RowMarks {
 public:
  void clear() { runs_.clear(); }
  void add(std::size_t first, std::size_t last);  // inclusive
  void toggle(std::size_t place);
  bool contains(std::size_t place) const;
  bool empty() const { return runs_.empty(); }
  std::size_t count() const;
  // First place -> last place of each run, in order; runs neither overlap nor touch.
  const std::map<std::size_t, std::size_t>& runs() const { return runs_; }

 private:
  std::map<std::size_t, std::size_t> runs_;
};

}  // namespace dlview::ui
