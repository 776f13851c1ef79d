#include "report/query/cell_filter.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include <fmt/format.h>

#include "report/cell_text.h"

namespace dlview::report {
namespace {

constexpr std::array<std::string_view, 5> kYes{"1", "yes", "true", "✓", "✔"};
constexpr std::array<std::string_view, 5> kNo{"0", "no", "false", "✗", "✘"};

base::Result<bool> parse_flag(std::string_view text) {
  std::string word;
  for (const unsigned char letter : text) {
    if (letter != ' ') word += static_cast<char>(std::tolower(letter));
  }
  if (std::find(kYes.begin(), kYes.end(), word) != kYes.end()) return true;
  if (std::find(kNo.begin(), kNo.end(), word) != kNo.end()) return false;
  return base::Error{"Invalid filter", fmt::format("\"{}\" is neither yes nor no", text),
                     "Valid values: 1, 0, yes, no"};
}

bool contains(const TextPattern& pattern, const Cell& cell) {
  if (const auto* text = std::get_if<std::string_view>(&cell)) return pattern.is_in(*text);
  if (const auto* text = std::get_if<std::string>(&cell)) return pattern.is_in(*text);
  if (std::holds_alternative<std::monostate>(cell)) return false;
  std::string text;
  append_full_text(text, cell);
  return pattern.is_in(text);
}

bool contains(const NumberRange& range, const Cell& cell) {
  if (const auto* number = std::get_if<int64_t>(&cell)) return range.contains(*number);
  if (const auto* number = std::get_if<double>(&cell)) return range.contains(*number);
  return false;
}

bool contains(bool wanted, const Cell& cell) {
  const auto* flag = std::get_if<bool>(&cell);
  return flag != nullptr && *flag == wanted;
}

template <typename T>
base::Result<std::variant<TextPattern, NumberRange, bool>> as_test(base::Result<T> parsed) {
  if (!parsed) return std::move(parsed).error();
  return std::variant<TextPattern, NumberRange, bool>(*std::move(parsed));
}

}  // namespace

base::Result<CellFilter> CellFilter::parse(const Column& column, std::string_view text) {
  const auto test = [&]() -> base::Result<Test> {
    switch (column.kind) {
      case CellKind::integer:
      case CellKind::real:
        return as_test(parse_number_range(text, column.unit));
      case CellKind::flag:
        return as_test(parse_flag(text));
      case CellKind::text:
      case CellKind::word:
      case CellKind::any:
        break;
    }
    return as_test(TextPattern::parse(text));
  }();
  if (!test) return test.error();
  return CellFilter(*test);
}

bool CellFilter::passes(const Cell& cell) const {
  return std::visit([&cell](const auto& test) { return contains(test, cell); }, test_);
}

}  // namespace dlview::report
