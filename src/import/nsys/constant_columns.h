// ConstantColumns: the values of columns in which all rows have the same one; columns of one value
// share them. Exports have many: colors and categories of ranges that have none, the process of a
// run that has but one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>

#include "base/parallel.h"
#include "base/untouched_vector.h"
#include "profile/column.h"

namespace dlview::import::nsys {

class ConstantColumns {
 public:
  profile::Column<int64_t> of(int64_t value, std::size_t rows) {
    std::shared_ptr<base::UntouchedVector<int64_t>>& known = columns_[value];
    if (known == nullptr || rows > known->size()) {
      known = std::make_shared<base::UntouchedVector<int64_t>>(rows);
      base::parallel_for(rows, kValuesAtOnce, [&](std::size_t begin, std::size_t end) {
        std::fill(known->data() + begin, known->data() + end, value);
      });
    }
    return {known, std::span<const int64_t>(*known).first(rows)};
  }
  // Columns that share values keep them.
  void clear() { columns_.clear(); }
  bool hold(const profile::Column<int64_t>& column) const {
    if (column.empty()) return false;
    const auto known = columns_.find(column[0]);
    return known != columns_.end() && known->second->data() == column.span().data();
  }

 private:
  static constexpr std::size_t kValuesAtOnce = std::size_t{1} << 18;
  std::map<int64_t, std::shared_ptr<base::UntouchedVector<int64_t>>> columns_;
};

}  // namespace dlview::import::nsys
