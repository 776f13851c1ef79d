// NullColumn: the values of all columns in which every row is NULL, which share them. Exports have
// many: colours and categories of ranges that have none, graphs of programs that use none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "profile/column.h"
#include "profile/trace.h"

namespace dlview::import::nsys {

class NullColumn {
 public:
  profile::Column<int64_t> of(std::size_t rows) {
    if (rows > rows_) {
      values_ = std::make_shared_for_overwrite<int64_t[]>(rows);
      std::fill_n(values_.get(), rows, profile::kNoValue);
      rows_ = rows;
    }
    return {values_, std::span<const int64_t>(values_.get(), rows)};
  }
  bool holds(const profile::Column<int64_t>& column) const {
    return !column.empty() && column.span().data() == values_.get();
  }

 private:
  std::shared_ptr<int64_t[]> values_;
  std::size_t rows_ = 0;
};

}  // namespace dlview::import::nsys
