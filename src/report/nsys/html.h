// `hdoc` and `htable`: a report as an HTML page of its own, or as its table alone.
#pragma once

#include <iosfwd>

#include "report/table.h"

namespace dlview::report::nsys {

enum class HtmlPart : uint8_t { document, table };

void write_html(const Table& table, HtmlPart part, std::ostream& out);

}  // namespace dlview::report::nsys
