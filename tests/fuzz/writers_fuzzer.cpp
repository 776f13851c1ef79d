// Tables with cells of any bytes: what each writer writes reads back as the cells. PDF is left out:
// Pango takes too long for each page.
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "fuzz/fuzz.h"
#include "fuzz/read_back.h"
#include "report/cell_text.h"
#include "report/writers/csv.h"
#include "report/writers/delimited.h"
#include "report/writers/html.h"
#include "report/writers/json.h"
#include "report/writers/text.h"
#include "report/writers/utf8.h"
#include "report/writers/xlsx.h"
#include "verify/csv_reader.h"

namespace dlview::fuzz {
namespace {

using namespace report;

constexpr std::size_t kMostColumns = 6, kMostRows = 20;
constexpr std::array kKinds{CellKind::text, CellKind::word, CellKind::integer,
                            CellKind::real, CellKind::flag, CellKind::any};
constexpr int64_t kLargestExact = int64_t{1} << 53;

Cell read_cell(Input& input) {
  switch (input.below(6)) {
    case 1:
      return input.number();
    case 2:
      return std::bit_cast<double>(input.number());
    case 3:
      return input.flag();
    case 4:
      return input.text();
    case 5:
      return std::string(input.text());
    default:
      return {};
  }
}

// A table, all of whose rows are shown.
struct Sample {
  explicit Sample(Input input);

  ShownTable shown() const { return {table, order, profile_name, selection}; }
  std::string full_text(std::size_t row, std::size_t column) const {
    std::string text;
    append_full_text(text, table.cell(row, column));
    return text;
  }

  std::string profile_name;
  aggregate::Selection selection;
  std::vector<std::vector<Cell>> cells;
  Table table;
  std::vector<uint32_t> order;
};

Sample::Sample(Input input) {
  const std::size_t columns = input.below(kMostColumns) + 1;
  profile_name = input.text();
  while (cells.size() < kMostRows && !input.is_empty()) {
    auto& row = cells.emplace_back();
    for (std::size_t i = 0; i < columns; ++i) row.push_back(read_cell(input));
    order.push_back(static_cast<uint32_t>(order.size()));
  }
  table = {"fuzz", "Fuzz", Layout::rows, {}, cells.size()};
  for (std::size_t i = 0; i < columns; ++i) {
    table.columns.push_back({.id = fmt::format("c{}", i),
                             .title = fmt::format("Column {}", i),
                             .kind = kKinds[i],
                             .cell = [this, i](std::size_t row) { return cells[row][i]; }});
  }
}

// `text_of(row, column)` is what each cell is to read as.
template <typename TextOf>
void compare(const TextRows& rows, const Sample& sample, std::string_view what,
             const TextOf& text_of) {
  require(rows.size() == sample.cells.size(), what, "another number of rows");
  for (std::size_t row = 0; row < rows.size(); ++row) {
    require(rows[row].size() == sample.table.columns.size(), what,
            fmt::format("row {} has {} cells", row, rows[row].size()));
    for (std::size_t column = 0; column < rows[row].size(); ++column) {
      const std::string expected = text_of(row, column);
      require(rows[row][column] == expected, what,
              fmt::format("row {}, column {}: \"{}\" is \"{}\"", row, column, expected,
                          rows[row][column]));
    }
  }
}

TextRows read_csv(std::string_view text, std::size_t lines_before) {
  verify::CsvReader reader(text);
  TextRows rows;
  for (std::vector<std::string> row; reader.next(row);) rows.push_back(row);
  require(rows.size() >= lines_before, "CSV without a header", text);
  rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(lines_before));
  return rows;
}

void check_csv(const Sample& sample) {
  base::Progress progress;
  std::ostringstream shown, report;
  write_table_csv(sample.shown(), shown, progress);
  compare(read_csv(shown.str(), 1), sample, "CSV of a table",
          [&](std::size_t row, std::size_t column) { return sample.full_text(row, column); });
  write_csv(sample.table, report);
  compare(
      read_csv(report.str(), 2), sample, "CSV of a report",
      [&](std::size_t row, std::size_t column) { return to_text(sample.table.cell(row, column)); });
}

void check_tsv(const Sample& sample) {
  std::string_view text = "";
  const std::string written = tsv_text(sample.shown());
  text = written;
  TextRows rows(1, {""});
  for (const char c : text) {
    if (c == '\n') {
      rows.push_back({""});
    } else if (c == '\t') {
      rows.back().emplace_back();
    } else {
      rows.back().back() += c;
    }
  }
  require(rows.back() == std::vector<std::string>{""}, "TSV does not end with a line", text);
  rows.pop_back();
  rows.erase(rows.begin());
  compare(rows, sample, "TSV", [&](std::size_t row, std::size_t column) {
    std::string cell = sample.full_text(row, column);
    for (char& c : cell) c = c == '\t' || c == '\n' || c == '\r' ? ' ' : c;
    return cell;
  });
}

struct SameAsJson {
  const nlohmann::json& json;
  bool operator()(std::monostate) const { return json.is_null(); }
  bool operator()(int64_t number) const {
    return json.is_number_integer() && json.get<int64_t>() == number;
  }
  bool operator()(double number) const {
    return std::isfinite(number) ? json.is_number() && json.get<double>() == number
                                 : json.is_null();
  }
  bool operator()(bool flag) const { return json.is_boolean() && json.get<bool>() == flag; }
  bool operator()(std::string_view text) const {
    return json.is_string() && (!base::is_utf8(text) || json.get_ref<const std::string&>() == text);
  }
  bool operator()(const std::string& text) const { return (*this)(std::string_view(text)); }
};

void check_json_rows(const std::string& text, const Sample& sample) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  require(!json.is_discarded(), "no JSON", text);
  const auto& rows = json.at("rows");
  require(rows.size() == sample.cells.size(), "JSON with another number of rows", text);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t column = 0; column < sample.table.columns.size(); ++column) {
      require(std::visit(SameAsJson{rows[row].at(column)}, sample.cells[row][column]),
              "a cell reads as another one in JSON",
              fmt::format("row {}, column {}: {}", row, column, rows[row][column].dump()));
    }
  }
}

void check_json(const Sample& sample) {
  base::Progress progress;
  std::ostringstream shown, report;
  write_json(sample.shown(), shown, progress);
  check_json_rows(shown.str(), sample);
  write_json(sample.table, sample.profile_name, {0, 1}, report);
  check_json_rows(report.str(), sample);
}

std::string clean(std::string_view text) {
  std::string result;
  append_clean_text(result, text);
  return result;
}

void check_html(const Sample& sample) {
  base::Progress progress;
  std::ostringstream out;
  write_html(sample.shown(), out, progress);
  const std::string page = out.str();
  require(base::is_utf8(page), "HTML is no UTF-8", page);
  const std::optional<TextRows> rows = read_html(page);
  require(rows.has_value(), "HTML that cannot be read", page);
  compare(*rows, sample, "HTML", [&](std::size_t row, std::size_t column) {
    const Cell& cell = sample.cells[row][column];
    if (std::holds_alternative<std::monostate>(cell)) return std::string(kNotRecorded);
    if (const bool* flag = std::get_if<bool>(&cell)) return std::string(*flag ? "✓" : "✗");
    return clean(sample.full_text(row, column));
  });
}

// Nothing reaches a terminal that it would obey.
void check_text(const Sample& sample, Numbers numbers) {
  std::ostringstream out;
  write_text(sample.table, numbers, out);
  const std::string text = out.str();
  require(base::is_utf8(text), "a text is no UTF-8", text);
  std::size_t lines = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == '\n') ++lines;
    const bool is_c1 = byte == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    require((byte >= 0x20 || byte == '\n') && byte != 0x7F && !is_c1, "a control character", text);
  }
  require(lines == sample.cells.size() + 2, "a cell breaks its line", text);
}

bool reads_as(const SheetCell& cell, double number) {
  double read = 0;
  const char* const end = cell.text.data() + cell.text.size();
  const auto result = std::from_chars(cell.text.data(), end, read);
  // A workbook has 16 digits.
  return cell.type == "n" && result.ec == std::errc() && result.ptr == end &&
         (read == number || std::abs(read - number) <= 1e-15 * std::abs(number));
}

struct SameAsSheet {
  const SheetCell& cell;
  bool operator()(std::monostate) const { return cell.type.empty(); }
  bool operator()(int64_t number) const {
    if (number >= -kLargestExact && number <= kLargestExact) {
      return reads_as(cell, static_cast<double>(number));
    }
    return (*this)(std::string_view(std::to_string(number)));
  }
  bool operator()(double number) const {
    return std::isfinite(number) ? reads_as(cell, number) : cell.type.empty();
  }
  bool operator()(bool flag) const { return cell.type == "b" && cell.text == (flag ? "1" : "0"); }
  bool operator()(std::string_view text) const {
    if (text.empty()) return cell.type.empty();
    return cell.type == "inlineStr" && cell.text == clean(text);
  }
  bool operator()(const std::string& text) const { return (*this)(std::string_view(text)); }
};

void check_xlsx(const Sample& sample) {
  static const std::filesystem::path path = folder() / "table.xlsx";
  base::Progress progress;
  const base::Status written = write_xlsx(sample.shown(), path, progress);
  require(written.ok(), "a workbook is not written", written ? "" : base::to_text(written.error()));
  const auto rows = read_sheet(contents_of(path), sample.table.columns.size());
  require(rows.has_value(), "a workbook that cannot be read");
  // Rows without a cell are left out at the end of a sheet.
  require(rows->size() <= sample.cells.size() + 1, "a workbook with more rows");
  for (std::size_t row = 0; row < sample.cells.size(); ++row) {
    for (std::size_t column = 0; column < sample.table.columns.size(); ++column) {
      const SheetCell none, &cell = row + 1 < rows->size() ? (*rows)[row + 1][column] : none;
      require(std::visit(SameAsSheet{cell}, sample.cells[row][column]),
              "a cell reads as another one in a workbook",
              fmt::format("row {}, column {}: {} \"{}\"", row, column, cell.type, cell.text));
    }
  }
}

}  // namespace
}  // namespace dlview::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace dlview::fuzz;
  const Sample sample{Input(data, size)};
  check_csv(sample);
  check_tsv(sample);
  check_json(sample);
  check_html(sample);
  for (const Numbers numbers : {Numbers::in_full, Numbers::readable}) check_text(sample, numbers);
  // A workbook takes as long as all others ten times.
  if (size % 4 == 0) check_xlsx(sample);
  return 0;
}
