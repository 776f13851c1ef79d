#include <utility>

#include "ui/views/tables/look_parts.h"
#include "ui/views/tables/looks.h"
#include "ui/views/tables/row_places.h"

namespace dlview::ui {
namespace {

using looks::always;
using looks::hidden;
using looks::number;
using looks::sorted_by;
using looks::with_bar;

constexpr const char* kNoFrames = "No Python frame is open in this range.";

// Names of frames differ at their end.
ColumnLook frame_column(report::ColumnId id) {
  return looks::name(id, CutAt::front);
}

}  // namespace

TableLook stacks_look() {
  return {
      .id = "stacks",
      .title = "Python functions",
      .noun = "functions",
      .key = "frame",
      .when_none = kNoFrames,
      .columns = {frame_column("stacks.frame"),
                  with_bar(number("cpu_time_self"), always(Tone::cpu)), number("cpu_time_total"),
                  with_bar(number("gpu_time_self"), always(Tone::busy)), number("gpu_time_total"),
                  number("frame_calls")},
      .first_query = sorted_by("cpu_time_self", report::SortDirection::descending),
      .prompt = "Summing Python frames…",
      .place = place_of_frame,
      .row_kind = "Python function",
      .row_name = "frame"};
}

TableLook stack_tree_look() {
  ColumnLook tree = frame_column("frame");
  tree.tree = true;
  return {
      .id = "stack_tree",
      .title = "Python call stacks",
      .noun = "rows",
      .key = "call_stack",
      .when_none = kNoFrames,
      .columns = {std::move(tree), with_bar(number("cpu_time_total"), always(Tone::cpu)),
                  number("cpu_time_self"), with_bar(number("gpu_time_total"), always(Tone::busy)),
                  number("gpu_time_self"), number("frame_calls"), hidden(number("level")),
                  hidden(looks::name("call_stack", CutAt::front))},
      .first_query = sorted_by("cpu_time_total", report::SortDirection::descending),
      .prompt = "Summing Python frames…",
      .place = place_of_frame,
      .row_kind = "Python call stack",
      .row_name = "frame"};
}

}  // namespace dlview::ui
