// Writes the shown part of a table as one self-contained HTML page: a heading with the profile's
// name, a sticky header, numbers in full. It follows the reader's light or dark colors and prints
// well.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "base/progress.h"
#include "report/writers/shown_table.h"

namespace dlview::report {

// The style of a page with a table, in which numbers have the class "n".
extern const std::string_view kHtmlStyle;
// A text between tags, without control characters.
std::string escape_html(std::string_view text);
// The same for a text that has none.
std::string escape_markup(std::string_view clean);

// Writes row by row; ends early when `progress` is canceled.
void write_html(const ShownTable& shown, std::ostream& out, base::Progress& progress);

}  // namespace dlview::report
