// Where in the run a row of a table lies, for tables whose rows lie somewhere: what the Timeline is
// to show of it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "ui/background.h"
#include "ui/model.h"
#include "ui/table/table_data.h"
#include "ui/table/tables.h"

namespace dlview::ui {

// By the columns "start" and "duration".
std::optional<timeline::Request> place_of_gap(const TableData& data, std::size_t row);
// "start_time" and "duration".
std::optional<timeline::Request> place_of_iteration(const TableData& data, std::size_t row);
// From "time" on for the "lifetime" of the block, if that is known.
std::optional<timeline::Request> place_of_memory_event(const TableData& data, std::size_t row);
// "peak_time"
std::optional<timeline::Request> place_of_peak(const TableData& data, std::size_t row);
// The kernel; rows that look the same follow each other as their kernels do. Looks through all of
// them, as a click may.
std::optional<timeline::Request> place_of_kernel(const TableData& data, std::size_t row);

// Of rows that stand for many: the longest that counts in the row's iteration, where it has one,
// else in the range; of equal ones the first.

// The call of an op, by "op_node_id"; as long as the op is on its thread.
std::optional<timeline::Request> place_of_op(const TableData& data, std::size_t row);
// The event of the operator, by "torch_op" and, where the table has them, "input_shapes",
// "call_stack" and "torch_op_path".
std::optional<timeline::Request> place_of_operator(const TableData& data, std::size_t row);
// The call of the module, by "module_path", or of any of the class, by "module_class".
std::optional<timeline::Request> place_of_module(const TableData& data, std::size_t row);
// The Python frame, by "frame" and, where the table has it, "call_stack".
std::optional<timeline::Request> place_of_frame(const TableData& data, std::size_t row);
// The first kernel of the collective with most GPU time, by "collective_key"; its time on the host
// where it has no kernel.
std::optional<timeline::Request> place_of_collective(const TableData& data, std::size_t row);
// Of any op of the type, by "op_node_type".
std::optional<timeline::Request> place_of_op_type(const TableData& data, std::size_t row);
// Of the op, or of any op in the group, by "row_type" and "row_full_id".
std::optional<timeline::Request> place_of_group_or_op(const TableData& data, std::size_t row);
// The kernel, by "kernel_name", and by "op_node_id", "grid" and "block" where the table has them.
std::optional<timeline::Request> place_of_kernels(const TableData& data, std::size_t row);

// Finds where a row that is to be shown in the Timeline lies there; where there are many events it
// is looked for in the background.
class PlaceSearch {
 public:
  // In every frame, behind the view. Takes over what the tables want to be shown, and returns what
  // the Timeline is to show once it is found; forgets it when another view or range is shown
  // meanwhile.
  std::optional<timeline::Request> take(const Model& model, Tables& tables, Host& host);

 private:
  using Key = std::pair<std::shared_ptr<const TableData>, std::size_t>;

  void drop();

  std::optional<PlacedRow> wanted_;
  ViewId asked_in_ = ViewId::dashboard;
  std::shared_ptr<const aggregate::Aggregation> asked_of_;
  Late<Key, std::optional<timeline::Request>> found_;
};

}  // namespace dlview::ui
