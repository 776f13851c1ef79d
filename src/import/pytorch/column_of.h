// Columns of a trace's rows, and numbers as they hold them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/parallel.h"
#include "import/capture/trace_rows.h"
#include "profile/column_slots.h"

namespace dlview::import::pytorch {

// Calls `value_of(row)` for each row, on all cores.
template <typename T, typename ValueOf>
profile::Column<T> column_of(std::size_t rows, const ValueOf& value_of) {
  profile::ColumnSlots<T> slots(rows);
  base::parallel_for(rows, capture::kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) *slots.at(row) = value_of(row);
  });
  return std::move(slots).finish(rows);
}

// Saturates: times of a damaged file may lie anywhere.
inline int64_t since(int64_t origin_ns, int64_t time_ns) {
  int64_t result = 0;
  if (!__builtin_sub_overflow(time_ns, origin_ns, &result)) return result;
  return time_ns < origin_ns ? INT64_MIN : INT64_MAX;
}

inline int32_t narrow(int64_t value, int32_t otherwise) {
  return std::in_range<int32_t>(value) ? static_cast<int32_t>(value) : otherwise;
}

}  // namespace dlview::import::pytorch
