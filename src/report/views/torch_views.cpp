// Modules and operators of PyTorch traces.
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "aggregate/modules.h"
#include "aggregate/operators.h"
#include "report/views/declarations.h"

namespace dlview::report::view {
namespace {

using aggregate::ModuleNode;
using aggregate::ModuleSum;
using aggregate::ModuleTimes;
using aggregate::Operator;
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

struct ModuleTree {
  std::vector<ModuleNode> nodes;
  std::vector<std::string> paths;  // "/Net_0/Linear_1"
  std::vector<Row> order;          // depth first
};

std::shared_ptr<const ModuleTree> module_tree(const Input& input) {
  ModuleTree tree{aggregate::add_up_modules(input.profile, input.aggregation).nodes, {}, {}};
  std::vector<Row> parents;
  for (const ModuleNode& node : tree.nodes) {
    std::string path = node.parent == kNoRow ? std::string() : tree.paths[node.parent];
    path.append("/").append(aggregate::name_of_module(input.profile.text(node.name)));
    tree.paths.push_back(std::move(path));
    parents.push_back(node.parent);
  }
  tree.order = depth_first(parents);
  return std::make_shared<const ModuleTree>(std::move(tree));
}

Table make_operators(const Input& input, aggregate::OperatorsBy by) {
  const profile::Profile& profile = input.profile;
  const auto rows = std::make_shared<const std::vector<Operator>>(
      aggregate::add_up_operators(profile, input.aggregation, by));
  const auto row = [rows](std::size_t i) -> const Operator& { return (*rows)[i]; };
  const auto name = [&profile, row](std::size_t i) { return profile.text(row(i).name); };
  const auto shapes = [&profile, row](std::size_t i) -> Cell {
    const profile::StringId text = row(i).input_shapes;
    return text == profile::kNoText ? Cell() : Cell(profile.text(text));
  };
  Table table;
  table.row_count = rows->size();
  auto& columns = table.columns;
  const auto add = [&columns, &row](ColumnId id, auto value) {
    columns.push_back(
        column(id, [row, value](std::size_t i) -> Cell { return (row(i).times.*value); }));
  };
  // Of the GPU time; not recorded where there is none.
  const auto add_share = [&columns, &row](ColumnId id, auto part, auto whole) {
    columns.push_back(column(id, [row, part, whole](std::size_t i) -> Cell {
      const int64_t all_ns = row(i).times.*whole;
      if (all_ns == 0) return {};
      return 100.0 * static_cast<double>(row(i).times.*part) / static_cast<double>(all_ns);
    }));
  };
  columns.push_back(column("torch_op", name));
  if (by == aggregate::OperatorsBy::name_and_shapes) {
    columns.push_back(column("input_shapes", shapes));
  }
  columns.push_back(column("torch_op_kind", [row](std::size_t i) -> Cell {
    return std::string_view(row(i).is_op ? "op" : "annotation");
  }));
  add("torch_op_calls", &OperatorTimes::calls);
  add("torch_op_cpu_self", &OperatorTimes::host_self_ns);
  add("torch_op_cpu_total", &OperatorTimes::host_total_ns);
  add("torch_op_api_self", &OperatorTimes::call_self_ns);
  add("torch_op_gpu_self", &OperatorTimes::gpu_self_ns);
  add("torch_op_gpu_total", &OperatorTimes::gpu_total_ns);
  columns.push_back(
      column("tc_eligible", [row](std::size_t i) -> Cell { return row(i).is_eligible; }));
  add_share("torch_op_tc_self", &OperatorTimes::tensor_core_self_ns, &OperatorTimes::gpu_self_ns);
  add_share("torch_op_tc_total", &OperatorTimes::tensor_core_total_ns,
            &OperatorTimes::gpu_total_ns);
  if (by == aggregate::OperatorsBy::name_and_shapes) {
    columns.push_back(column("torch_op_call", [name, shapes](std::size_t i) -> Cell {
      return fmt::format("{} {}", name(i), to_text(shapes(i)));
    }));
  }
  return table;
}

}  // namespace

Table modules(const Input& input) {
  const auto tree = module_tree(input);
  const auto row = [tree](std::size_t i) -> const ModuleNode& {
    return tree->nodes[tree->order[i]];
  };
  const auto name = [&profile = input.profile, row](std::size_t i) {
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
  table.columns.push_back(column("module_parent", [tree, row](std::size_t i) -> Cell {
    const Row parent = row(i).parent;
    return parent == kNoRow ? Cell() : Cell(std::string_view(tree->paths[parent]));
  }));
  table.columns.push_back(column("module_path", [tree](std::size_t i) -> Cell {
    return std::string_view(tree->paths[tree->order[i]]);
  }));
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
  return make_operators(input, aggregate::OperatorsBy::name);
}

Table torch_op_shapes(const Input& input) {
  return make_operators(input, aggregate::OperatorsBy::name_and_shapes);
}

}  // namespace dlview::report::view
