// Statistics of nsys for a set of durations or sizes, and their columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "aggregate/stats.h"
#include "report/table.h"

namespace dlview::report::nsys {

struct Figures {
  aggregate::Stats stats;         // the sum is a base::saturated_sum()
  double median = 0;              // of an even number of values, the mean of the middle two
  double standard_deviation = 0;  // of a sample; 0 for fewer than two values
};
// Reorders the values.
Figures figures_of(std::vector<int64_t>& values);

// A value that counts several times; not negative.
struct Repeated {
  int64_t value = 0, count = 0;
};
// The figures of every repetition. Reorders the values.
Figures figures_of(std::vector<Repeated>& values);

using FiguresOfRow = std::function<const Figures&(std::size_t row)>;

// Appends "Avg", "Med", "Min", "Max" and "StdDev" after `prefix`. Without values only the deviation
// is printed, as 0.
void append_figures(std::vector<Column>& columns, std::string_view prefix, aggregate::Unit unit,
                    const FiguresOfRow& figures);

}  // namespace dlview::report::nsys
