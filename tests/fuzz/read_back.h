// Small readers for what the writers of tables write: strict, so that a writer that is a little
// wrong is found. Nothing for a text that is not of the form.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlview::fuzz {

using TextRows = std::vector<std::vector<std::string>>;

// The cells of the body of the page's one table.
std::optional<TextRows> read_html(std::string_view page);

// A cell of a sheet: how it is stored ("n", "b", "inlineStr"; empty = no cell) and its text.
struct SheetCell {
  std::string type, text;
};
// The rows of the first sheet of a workbook, the header among them, each with `columns` cells.
std::optional<std::vector<std::vector<SheetCell>>> read_sheet(std::string_view workbook,
                                                              std::size_t columns);

}  // namespace dlview::fuzz
