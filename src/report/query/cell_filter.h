// CellFilter: what a reader types to narrow a column, by the column's kind.
//
//   text, word, any   conv          contains it, whatever the case
//                     /^conv\dd$/   matches the regular expression (RE2), whatever the case
//   integer, real     >1ms  >=1ms  <1ms  <=1ms    with or without a unit of the column
//                     10..20ms  10..  ..20ms      both ends belong to it
//                     1.28ms  =1.28ms             rounds to it when shown with as many decimals
//   flag              1  yes  true  ✓             0  no  false  ✗
//
// Units: ns us µs ms s min h d for times, % for percentages, B KiB MiB GiB TiB for sizes, B/s
// kB/s MB/s GB/s TB/s for bandwidths; without one a number is in ns, percent, bytes or bytes per
// second. Blanks and thin spaces in numbers do not count, so that a number copied from the screen
// means itself. A cell that was not recorded passes no filter.
#pragma once

#include <string_view>
#include <utility>
#include <variant>

#include "base/result.h"
#include "report/query/number_range.h"
#include "report/query/text_pattern.h"
#include "report/table.h"

namespace dlview::report {

class CellFilter {
 public:
  // The Error says what cannot be read and what can be written instead.
  static base::Result<CellFilter> parse(const Column& column, std::string_view text);

  // May run on any thread.
  bool passes(const Cell& cell) const;

 private:
  using Test = std::variant<TextPattern, NumberRange, bool>;
  explicit CellFilter(Test test) : test_(std::move(test)) {}

  Test test_;
};

}  // namespace dlview::report
