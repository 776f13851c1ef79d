// Where in the run a row of a table lies, for tables whose rows lie somewhere: what the Timeline is
// to show of it.
#pragma once

#include <cstddef>
#include <optional>

#include "ui/table/table_data.h"

namespace dlview::ui {

// By the columns "start" and "duration".
std::optional<timeline::Request> place_of_gap(const TableData& data, std::size_t row);
// "start_time" and "duration".
std::optional<timeline::Request> place_of_iteration(const TableData& data, std::size_t row);
// The kernel; rows that look the same follow each other as their kernels do. Looks through all of
// them, as a click may.
std::optional<timeline::Request> place_of_kernel(const TableData& data, std::size_t row);

}  // namespace dlview::ui
