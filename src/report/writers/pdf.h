// Writes the shown part of a table as a PDF: landscape A4, one line per row, texts of any script.
// Every page repeats the header and has the table, the profile, the iterations and its number.
// Columns are as wide as their content if the page has room. Otherwise long texts are shortened in
// the middle first, then everything becomes smaller. The document's date is the time of writing, or
// SOURCE_DATE_EPOCH.
#pragma once

#include <filesystem>

#include "base/progress.h"
#include "base/result.h"
#include "report/writers/shown_table.h"

namespace dlview::report {

// Thousands of pages help nobody.
inline constexpr std::size_t kMostPdfRows = 50'000;

// False in a build without Pango (DLVIEW_PDF=OFF); write_pdf() then fails and says so.
bool can_write_pdf();

// Fails for more rows than that. The file appears when it is complete.
base::Status write_pdf(const ShownTable& shown, const std::filesystem::path& path,
                       base::Progress& progress);

}  // namespace dlview::report
