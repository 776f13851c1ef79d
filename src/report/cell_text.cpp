#include "report/cell_text.h"

#include <iterator>

#include <fmt/format.h>

namespace dlview::report {
namespace {

void append_real(std::string& text, double number) {
  fmt::format_to(std::back_inserter(text), "{:.6f}", number);
  const std::size_t last_digit = text.find_last_not_of('0');
  text.resize(text[last_digit] == '.' ? last_digit + 2 : last_digit + 1);
}

}  // namespace

void append_full_text(std::string& text, const Cell& cell) {
  if (const double* number = std::get_if<double>(&cell)) return append_real(text, *number);
  if (const bool* flag = std::get_if<bool>(&cell)) {
    text += *flag ? '1' : '0';
    return;
  }
  append_text(text, cell);
}

bool is_probability(std::string_view column_id) {
  return column_id == "p_value" || column_id == "q_value";
}

void append_exact(std::string& text, double number) {
  fmt::format_to(std::back_inserter(text), "{}", number);
}

}  // namespace dlview::report
