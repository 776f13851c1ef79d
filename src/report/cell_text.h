// Cells as text for programs and for searching: nothing is rounded that a database would not round.
#pragma once

#include <string>

#include "report/table.h"

namespace dlview::report {

// At the end of `text`: integers in full, reals with up to six decimals and at least one, as
// DLProf stores and SQLite prints them, flags as 1 and 0, not recorded as nothing.
void append_full_text(std::string& text, const Cell& cell);

}  // namespace dlview::report
