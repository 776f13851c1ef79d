// Modules and operators of PyTorch traces.
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "aggregate/host_events.h"
#include "aggregate/modules.h"
#include "aggregate/op_stacks.h"
#include "aggregate/operators.h"
#include "base/stop_point.h"
#include "report/views/declarations.h"

namespace dlview::report::view {
namespace {

using aggregate::ModuleNode;
using aggregate::ModuleSum;
using aggregate::ModuleTimes;
using aggregate::Operator;
using aggregate::OperatorNode;
using aggregate::OperatorTimes;
using profile::kNoRow;
using profile::Row;

// The columns that both tables of modules have; `row(i)` returns a node or a sum.
template <typename RowOf>
void append_module_times(std::vector<Column>& columns, const RowOf& row) {
  const auto add = [&columns, &row](ColumnId id, auto value) {
    columns.push_back(
        column(id, [row, value](std::size_t i) -> Cell { return (row(i).times.*value); }));
  };
  add("module_calls", &ModuleTimes::calls);
  add("module_ops", &ModuleTimes::ops);
  columns.push_back(column("module_gpu_total",
                           [row](std::size_t i) -> Cell { return row(i).times.gpu_total_ns(); }));
  add("module_gpu_forward", &ModuleTimes::gpu_forward_ns);
  add("module_gpu_backward", &ModuleTimes::gpu_backward_ns);
  add("module_gpu_self", &ModuleTimes::gpu_self_ns);
  add("module_cpu_total", &ModuleTimes::host_total_ns);
  add("module_cpu_self", &ModuleTimes::host_self_ns);
}

// Nodes with a parent, an earlier node or kNoRow.
template <typename Node>
struct NodeTree {
  std::vector<Node> nodes;
  std::vector<Row> order;  // depth first
  // Appends a node to the path of its parent; of an outermost node that is empty.
  std::function<void(std::string& path, const Node& node)> append;

  const Node& row(std::size_t i) const { return nodes[order[i]]; }
  // "/Net_0/Linear_1", "aten::linear > aten::addmm"; made when it is asked for, as the paths of
  // nodes deep inside are long.
  std::string path_of(Row node) const {
    std::vector<Row> around;
    for (; node != kNoRow; node = nodes[node].parent) around.push_back(node);
    std::string path;
    for (; !around.empty(); around.pop_back()) append(path, nodes[around.back()]);
    return path;
  }
  Cell path(std::size_t i) const { return path_of(order[i]); }
  Cell parent_path(std::size_t i) const {
    const Row parent = row(i).parent;
    return parent == kNoRow ? Cell() : Cell(path_of(parent));
  }
};

template <typename Node>
std::shared_ptr<const NodeTree<Node>> tree_of(
    std::vector<Node> nodes, std::function<void(std::string& path, const Node& node)> append) {
  NodeTree<Node> tree{std::move(nodes), {}, std::move(append)};
  std::vector<Row> parents;
  for (const Node& node : tree.nodes) {
    if (parents.size() % aggregate::kEventsBetweenStops == 0) base::stop_point();
    parents.push_back(node.parent);
  }
  tree.order = depth_first(parents);
  return std::make_shared<const NodeTree<Node>>(std::move(tree));
}

// What all tables of operators have; `row(i)` returns an Operator or an OperatorNode.
template <typename RowOf>
void append_operator_kind(std::vector<Column>& columns, const RowOf& row) {
  columns.push_back(column("torch_op_kind", [row](std::size_t i) -> Cell {
    return std::string_view(row(i).is_op ? "op" : "annotation");
  }));
}

template <typename RowOf>
void append_operator_times(std::vector<Column>& columns, const RowOf& row) {
  const auto add = [&columns, &row](ColumnId id, auto value) {
    columns.push_back(
        column(id, [row, value](std::size_t i) -> Cell { return (row(i).times.*value); }));
  };
  // Of the GPU time without `unknown`; not recorded where there is none.
  const auto add_share = [&columns, &row](ColumnId id, auto part, auto whole, auto unknown) {
    columns.push_back(column(id, [row, part, whole, unknown](std::size_t i) -> Cell {
      const int64_t known_ns = row(i).times.*whole - row(i).times.*unknown;
      if (known_ns == 0) return {};
      return 100.0 * static_cast<double>(row(i).times.*part) / static_cast<double>(known_ns);
    }));
  };
  add("torch_op_calls", &OperatorTimes::calls);
  add("torch_op_cpu_self", &OperatorTimes::host_self_ns);
  add("torch_op_cpu_total", &OperatorTimes::host_total_ns);
  add("torch_op_api_self", &OperatorTimes::call_self_ns);
  add("torch_op_gpu_self", &OperatorTimes::gpu_self_ns);
  add("torch_op_gpu_total", &OperatorTimes::gpu_total_ns);
  columns.push_back(
      column("tc_eligible", [row](std::size_t i) -> Cell { return row(i).is_eligible; }));
  add_share("torch_op_tc_self", &OperatorTimes::tensor_core_self_ns, &OperatorTimes::gpu_self_ns,
            &OperatorTimes::unknown_use_self_ns);
  add_share("torch_op_tc_total", &OperatorTimes::tensor_core_total_ns, &OperatorTimes::gpu_total_ns,
            &OperatorTimes::unknown_use_total_ns);
}

// By name, and by the column `detail` if it has an id: its text, not recorded where it is empty.
Table make_operators(const Input& input, std::vector<Operator> operators,
                     const std::optional<ColumnId>& detail,
                     const std::function<std::string(const Operator&)>& detail_of) {
  const profile::Profile& profile = input.profile;
  struct OperatorRow {
    Operator of;
    std::string detail;
  };
  std::vector<OperatorRow> all;
  for (const Operator& each : operators) all.push_back({each, detail ? detail_of(each) : ""});
  const auto rows = std::make_shared<const std::vector<OperatorRow>>(std::move(all));
  const auto row = [rows](std::size_t i) -> const Operator& { return (*rows)[i].of; };
  Table table;
  table.row_count = rows->size();
  table.columns.push_back(
      column("torch_op", [&profile, row](std::size_t i) { return profile.text(row(i).name); }));
  if (detail) {
    table.columns.push_back(column(*detail, [rows](std::size_t i) -> Cell {
      const std::string& text = (*rows)[i].detail;
      return text.empty() ? Cell() : Cell(std::string_view(text));
    }));
  }
  append_operator_kind(table.columns, row);
  append_operator_times(table.columns, row);
  if (!detail) return table;
  table.columns.push_back(column("torch_op_call", [&profile, rows](std::size_t i) -> Cell {
    return fmt::format("{} {}", profile.text((*rows)[i].of.name), (*rows)[i].detail);
  }));
  return table;
}

}  // namespace

Table modules(const Input& input) {
  const profile::Profile& profile = input.profile;
  const auto tree = tree_of<ModuleNode>(
      aggregate::add_up_modules(profile, input.aggregation).nodes,
      [&profile](std::string& path, const ModuleNode& node) {
        path.append("/").append(aggregate::name_of_module(profile.text(node.name)));
      });
  const auto row = [tree](std::size_t i) -> const ModuleNode& { return tree->row(i); };
  const auto name = [&profile, row](std::size_t i) {
    return aggregate::name_of_module(profile.text(row(i).name));
  };
  Table table;
  table.row_count = tree->order.size();
  table.columns.push_back(column("module", name));
  table.columns.push_back(column("module_class", [name](std::size_t i) -> Cell {
    return aggregate::class_of_module(name(i));
  }));
  table.columns.push_back(column("depth", [row](std::size_t i) -> Cell { return row(i).depth; }));
  append_module_times(table.columns, row);
  table.columns.push_back(
      column("module_parent", [tree](std::size_t i) { return tree->parent_path(i); }));
  table.columns.push_back(column("module_path", [tree](std::size_t i) { return tree->path(i); }));
  return table;
}

Table module_classes(const Input& input) {
  const auto rows = std::make_shared<const std::vector<ModuleSum>>(
      aggregate::add_up_modules(input.profile, input.aggregation).by_class);
  const auto row = [rows](std::size_t i) -> const ModuleSum& { return (*rows)[i]; };
  Table table;
  table.row_count = rows->size();
  table.columns.push_back(
      column("module_class", [row](std::size_t i) -> Cell { return row(i).name; }));
  append_module_times(table.columns, row);
  return table;
}

Table torch_ops(const Input& input) {
  return make_operators(input, aggregate::add_up_operators(input.profile, input.aggregation), {},
                        {});
}

Table torch_op_shapes(const Input& input) {
  return make_operators(input,
                        aggregate::add_up_operators(input.profile, input.aggregation,
                                                    aggregate::OperatorsBy::name_and_shapes),
                        ColumnId("input_shapes"), [&profile = input.profile](const Operator& each) {
                          return each.input_shapes == profile::kNoText
                                     ? std::string()
                                     : std::string(profile.text(each.input_shapes));
                        });
}

Table torch_op_stacks(const Input& input) {
  aggregate::OpStacks stacks(input.profile, input.arguments.python_frames.get());
  return make_operators(
      input, aggregate::add_up_operators(input.profile, input.aggregation, stacks),
      ColumnId("call_stack"), [&stacks](const Operator& each) {
        return each.stack == aggregate::OpStacks::kNone ? std::string() : stacks.text(each.stack);
      });
}

Table torch_op_tree(const Input& input) {
  const profile::Profile& profile = input.profile;
  const auto tree =
      tree_of<OperatorNode>(aggregate::add_up_operator_tree(profile, input.aggregation),
                            [&profile](std::string& path, const OperatorNode& node) {
                              if (!path.empty()) path += aggregate::kBetweenFrames;
                              path += profile.text(node.name);
                            });
  const auto row = [tree](std::size_t i) -> const OperatorNode& { return tree->row(i); };
  Table table;
  table.row_count = tree->order.size();
  table.columns.push_back(
      column("torch_op", [&profile, row](std::size_t i) { return profile.text(row(i).name); }));
  append_operator_kind(table.columns, row);
  table.columns.push_back(column("depth", [row](std::size_t i) -> Cell { return row(i).depth; }));
  append_operator_times(table.columns, row);
  table.columns.push_back(
      column("torch_op_parent", [tree](std::size_t i) { return tree->parent_path(i); }));
  table.columns.push_back(column("torch_op_path", [tree](std::size_t i) { return tree->path(i); }));
  return table;
}

}  // namespace dlview::report::view
