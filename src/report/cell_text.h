// Cells as text for programs and for searching: nothing is rounded that a database would not round.
#pragma once

#include <string>
#include <string_view>

#include "report/table.h"

namespace dlview::report {

// At the end of `text`: integers in full, reals with up to six decimals and at least one, as
// DLProf stores and SQLite prints them, flags as 1 and 0, not recorded as nothing.
void append_full_text(std::string& text, const Cell& cell);

// Whether a column has probabilities, of which the small ones matter: six decimals would be 0.
bool is_probability(std::string_view column_id);
// At the end of `text`: the shortest digits that read back as the number, 5.66e-11.
void append_exact(std::string& text, double number);

}  // namespace dlview::report
