// Tables in GitHub's Markdown.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "report/table.h"

namespace dlview::report {

// Text on one line, with characters of Markdown and HTML escaped.
std::string markdown_text(std::string_view text);

// A header of titles, numbers right-aligned and as people read them. Characters of Markdown and
// HTML in texts are escaped; cells without a value are empty.
void write_markdown(const Table& table, std::ostream& out);

}  // namespace dlview::report
