// ConstantColumns: the values of columns in which all rows have the same one; columns of one value
// share them. Exports have many: colours and categories of ranges that have none, the process of a
// run that has but one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>

#include "base/parallel.h"
#include "profile/column.h"

namespace dlview::import::nsys {

class ConstantColumns {
 public:
  profile::Column<int64_t> of(int64_t value, std::size_t rows) {
    Values& known = columns_[value];
    if (rows > known.rows) {
      known.values = std::make_unique_for_overwrite<int64_t[]>(rows);
      base::parallel_for(rows, kValuesAtOnce, [&](std::size_t begin, std::size_t end) {
        std::fill(known.values.get() + begin, known.values.get() + end, value);
      });
      known.rows = rows;
    }
    return {known.values, std::span<const int64_t>(known.values.get(), rows)};
  }
  bool hold(const profile::Column<int64_t>& column) const {
    if (column.empty()) return false;
    const auto known = columns_.find(column[0]);
    return known != columns_.end() && known->second.values.get() == column.span().data();
  }

 private:
  static constexpr std::size_t kValuesAtOnce = std::size_t{1} << 18;
  struct Values {
    std::shared_ptr<int64_t[]> values;
    std::size_t rows = 0;
  };
  std::map<int64_t, Values> columns_;
};

}  // namespace dlview::import::nsys
