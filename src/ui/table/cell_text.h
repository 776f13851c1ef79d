// A cell as people read it: three significant digits with a unit, or every digit.
#pragma once

#include <string>

#include "report/table.h"

namespace dlview::ui {

// Three digits tell a duration, but not when something began: instants are told to the µs.
enum class Digits { few, instant, all };

// "13.8 s", "13.820 000 s" or "13 820 000 000"; not recorded is "–".
std::string cell_text(const report::Column& column, const report::Cell& cell, Digits digits);

// With its unit and every digit: "13 820 000 000 ns".
std::string full_cell_text(const report::Column& column, const report::Cell& cell);

// 0 for what is not a number.
double number_of(const report::Cell& cell);

}  // namespace dlview::ui
