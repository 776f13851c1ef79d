// Values of a Trace whose column may not be in the file.
#pragma once

#include <cstddef>

#include "profile/column.h"

namespace dlview::import::capture {

template <typename T>
T value_or(const profile::Column<T>& column, std::size_t row, T otherwise) {
  return row < column.size() ? column[row] : otherwise;
}

}  // namespace dlview::import::capture
