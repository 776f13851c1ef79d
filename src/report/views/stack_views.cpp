#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "aggregate/op_stacks.h"
#include "aggregate/python_stacks.h"
#include "report/views/declarations.h"

namespace dlview::report::view {
namespace {

using aggregate::PythonStacks;
using aggregate::StackFunction;
using aggregate::StackNode;
using aggregate::StackTimes;
using profile::kNoRow;
using profile::PythonFrames;
using profile::Row;

struct FramesAndStacks {
  std::shared_ptr<const PythonFrames> frames;
  PythonStacks stacks;
};

std::shared_ptr<const FramesAndStacks> stacks_of(const Input& input) {
  FramesAndStacks all;
  all.frames = input.arguments.python_frames;
  if (all.frames) {
    all.stacks = aggregate::add_up_stacks(input.profile, input.aggregation, *all.frames,
                                          {input.arguments.hides_internal_frames});
  }
  return std::make_shared<const FramesAndStacks>(std::move(all));
}

// The columns that both tables have; `row(i)` returns a function or a node.
template <typename RowOf>
void append_stack_columns(std::vector<Column>& columns, ColumnId frame,
                          const std::shared_ptr<const FramesAndStacks>& all, const RowOf& row) {
  columns.push_back(
      column(frame, [all, row](std::size_t i) -> Cell { return all->frames->names[row(i).name]; }));
  const auto add = [&columns, &row](ColumnId id, int64_t StackTimes::*value) {
    columns.push_back(column(id, [row, value](std::size_t i) { return row(i).times.*value; }));
  };
  add("frame_calls", &StackTimes::calls);
  add("cpu_time_total", &StackTimes::host_total_ns);
  add("cpu_time_self", &StackTimes::host_self_ns);
  add("gpu_time_total", &StackTimes::gpu_total_ns);
  add("gpu_time_self", &StackTimes::gpu_self_ns);
}

std::vector<int64_t> levels_of(const std::vector<StackNode>& nodes) {
  std::vector<int64_t> levels;
  for (const StackNode& node : nodes) {
    levels.push_back(node.caller == kNoRow ? 0 : levels[node.caller] + 1);
  }
  return levels;
}

std::string call_stack_of(const FramesAndStacks& all, Row node) {
  std::vector<Row> around;
  for (Row each = node; each != kNoRow; each = all.stacks.nodes[each].caller) {
    around.push_back(each);
  }
  std::string text;
  for (auto each = around.rbegin(); each != around.rend(); ++each) {
    if (!text.empty()) text += aggregate::kBetweenFrames;
    text += all.frames->names[all.stacks.nodes[*each].name];
  }
  return text;
}

}  // namespace

std::vector<Row> depth_first(const std::vector<Row>& parents) {
  std::vector<std::vector<Row>> below(parents.size() + 1);  // the last: outermost
  for (std::size_t node = 0; node < parents.size(); ++node) {
    const Row parent = parents[node];
    below[parent == kNoRow ? parents.size() : parent].push_back(static_cast<Row>(node));
  }
  std::vector<Row> order, open(below.back().rbegin(), below.back().rend());
  while (!open.empty()) {
    const Row node = open.back();
    open.pop_back();
    order.push_back(node);
    open.insert(open.end(), below[node].rbegin(), below[node].rend());
  }
  return order;
}

Table stacks(const Input& input) {
  const auto all = stacks_of(input);
  Table table;
  table.row_count = all->stacks.functions.size();
  append_stack_columns(
      table.columns, "stacks.frame", all,
      [all](std::size_t i) -> const StackFunction& { return all->stacks.functions[i]; });
  return table;
}

Table stack_tree(const Input& input) {
  const auto all = stacks_of(input);
  std::vector<Row> callers;
  for (const StackNode& node : all->stacks.nodes) callers.push_back(node.caller);
  const auto order = std::make_shared<const std::vector<Row>>(depth_first(callers));
  const auto levels = std::make_shared<const std::vector<int64_t>>(levels_of(all->stacks.nodes));
  Table table;
  table.row_count = order->size();
  table.columns.push_back(
      column("level", [order, levels](std::size_t i) -> Cell { return (*levels)[(*order)[i]]; }));
  append_stack_columns(
      table.columns, "frame", all,
      [all, order](std::size_t i) -> const StackNode& { return all->stacks.nodes[(*order)[i]]; });
  table.columns.push_back(column("call_stack", [all, order](std::size_t i) -> Cell {
    return call_stack_of(*all, (*order)[i]);
  }));
  return table;
}

}  // namespace dlview::report::view
