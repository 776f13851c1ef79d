// The text of an Nsight Compute CSV: cells, encodings, and numbers in the styles of five locales.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include "generate/limits.h"

namespace dlview::generate::limits {

// Writes rows as they come; memory does not grow with the file.
class CsvText {
 public:
  CsvText(std::ostream& out, const CsvQuirks& quirks);

  CsvText& cell(std::string_view text);  // in quotes
  CsvText& empty_cell();                 // without
  void end_row();
  void line(std::string_view text);  // outside the table
  void finish();

 private:
  void flush();

  std::ostream& out_;
  const bool utf16_;
  const std::string_view line_end_;
  std::string text_;
  bool is_in_row_ = false;
};

// Digits in groups, with at most `decimals` behind the decimal mark. A whole number has none,
// unless `keeps_zeros`.
std::string number_text(double value, int decimals, bool keeps_zeros, CsvLocale locale);

}  // namespace dlview::generate::limits
