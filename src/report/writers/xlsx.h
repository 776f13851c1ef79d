// Writes the shown part of a table as an XLSX workbook, in constant memory: numbers as numbers, a
// frozen header with units, the profile's name in the properties and on every printed page. A sheet
// has 1,048,575 rows below its header; further rows are in further sheets. Texts are strings and
// never formulas or links, however they begin. The document's date is the time of writing, or
// SOURCE_DATE_EPOCH.
#pragma once

#include <filesystem>

#include "base/progress.h"
#include "base/result.h"
#include "report/writers/shown_table.h"

namespace dlview::report {

inline constexpr std::size_t kXlsxRowsPerSheet = 1'048'575;
// UTF-16 units that a cell can hold; longer texts end in a note that says so.
inline constexpr std::size_t kXlsxCellLimit = 32'767;

// Cut to fit into a cell; clean UTF-8.
std::string xlsx_text(std::string_view text);

// Integers that a spreadsheet would round, beyond 2^53, are written as texts. The file appears when
// it is complete.
base::Status write_xlsx(const ShownTable& shown, const std::filesystem::path& path,
                        base::Progress& progress, std::size_t rows_per_sheet = kXlsxRowsPerSheet);

}  // namespace dlview::report
