// CSV as `nsys stats` writes it: a header and the rows, texts quoted only where they must be, reals
// with one decimal and halves away from zero, sizes in MB with three decimals, an empty line at the
// end.
#pragma once

#include <iosfwd>

#include "report/table.h"

namespace dlview::report::nsys {

// Writes row by row; whether all of it arrived is for the caller to ask the stream.
void write_csv(const Table& table, std::ostream& out);

}  // namespace dlview::report::nsys
