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

// Of rows that stand for many: the longest that counts in the row's iteration, where it has one,
// else in the range; of equal ones the first.

// The call of an op, by "op_node_id"; as long as the op is on its thread.
std::optional<timeline::Request> place_of_op(const TableData& data, std::size_t row);
// Of any op of the type, by "op_node_type".
std::optional<timeline::Request> place_of_op_type(const TableData& data, std::size_t row);
// Of the op, or of any op in the group, by "row_type" and "row_full_id".
std::optional<timeline::Request> place_of_group_or_op(const TableData& data, std::size_t row);
// The kernel, by "op_node_id" and "kernel_name".
std::optional<timeline::Request> place_of_kernels(const TableData& data, std::size_t row);

}  // namespace dlview::ui
