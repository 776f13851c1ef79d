#include "report/writers/delimited.h"

#include <ostream>
#include <sstream>

#include "report/cell_text.h"

namespace dlview::report {
namespace {

void append_tsv(std::string& line, std::string_view text) {
  for (const char c : text) line += c == '\t' || c == '\n' || c == '\r' ? ' ' : c;
}

// `append` puts one cell's text into the line.
template <typename Append>
void write_rows(const ShownTable& shown, char separator, const Append& append, std::ostream& out,
                base::Progress& progress) {
  std::string line, text;
  for (const uint32_t row : shown.rows) {
    if (!out || progress.canceled()) return;
    line.clear();
    for (const Column& column : shown.table.columns) {
      if (&column != &shown.table.columns.front()) line += separator;
      const Cell cell = column.cell(row);
      text.clear();
      const bool is_missing = std::holds_alternative<std::monostate>(cell);
      const auto* const number = std::get_if<double>(&cell);
      if (number != nullptr && is_probability(column.id)) {
        append_exact(text, *number);
      } else {
        append_full_text(text, is_missing ? column.csv_for_missing : cell);
      }
      append(line, text);
    }
    out << line << '\n';
    progress.add_done(1);
  }
}

}  // namespace

void write_table_csv(const ShownTable& shown, std::ostream& out, base::Progress& progress) {
  std::string header;
  for (const Column& column : shown.table.columns) {
    if (!header.empty()) header += ',';
    append_csv_field(header, column.id);
  }
  out << header << '\n';
  write_rows(shown, ',', append_csv_field, out, progress);
}

void write_tsv(const ShownTable& shown, std::ostream& out, base::Progress& progress) {
  std::string header;
  for (const Column& column : shown.table.columns) {
    if (!header.empty()) header += '\t';
    append_tsv(header, header_text(column));
  }
  out << header << '\n';
  write_rows(shown, '\t', append_tsv, out, progress);
}

std::string tsv_text(const ShownTable& shown) {
  std::ostringstream out;
  base::Progress progress;
  write_tsv(shown, out, progress);
  return std::move(out).str();
}

}  // namespace dlview::report
