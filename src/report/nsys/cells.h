// Headers and numbers as `nsys stats` prints them: reals with one decimal and halves away from
// zero, sizes in MB with three decimals.
#pragma once

#include <string>

#include "report/table.h"

namespace dlview::report::nsys {

// "Total Time (ns)", "Bytes (MB)".
std::string header_of(const Column& column);

// Appends the text of a cell of a column with that unit; "" where it has no value.
void append_cell(std::string& text, const Cell& cell, aggregate::Unit unit);

}  // namespace dlview::report::nsys
