#include "verify/csv_reader.h"

#include <algorithm>

namespace dlview::verify {

bool CsvReader::next(std::vector<std::string>& cells) {
  if (rest_.empty()) return false;
  cells.clear();
  while (true) {
    cells.push_back(cell());
    const bool more = !rest_.empty() && rest_.front() == ',';
    if (!rest_.empty()) rest_.remove_prefix(1);
    if (!more) return true;
  }
}

// Leaves `rest_` at the comma or newline behind the cell.
std::string CsvReader::cell() {
  std::string text;
  if (!rest_.empty() && rest_.front() == '"') append_quoted(text);
  const std::size_t end = std::min(rest_.find_first_of(",\n"), rest_.size());
  std::string_view plain = rest_.substr(0, end);
  rest_.remove_prefix(end);
  const bool at_line_end = rest_.empty() || rest_.front() == '\n';
  if (at_line_end && !plain.empty() && plain.back() == '\r') plain.remove_suffix(1);
  text += plain;
  return text;
}

void CsvReader::append_quoted(std::string& text) {
  rest_.remove_prefix(1);
  while (!rest_.empty()) {
    const std::size_t quote = std::min(rest_.find('"'), rest_.size());
    text += rest_.substr(0, quote);
    rest_.remove_prefix(std::min(quote + 1, rest_.size()));
    if (rest_.empty() || rest_.front() != '"') return;
    text += '"';
    rest_.remove_prefix(1);
  }
}

}  // namespace dlview::verify
