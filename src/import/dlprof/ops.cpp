#include "import/dlprof/ops.h"

#include <string>
#include <utility>

namespace dlview::import::dlprof {
namespace {

using enum ColumnSpec::Kind;
using profile::kNoRow;
using profile::Row;
using profile::TensorCoreSupport;
using sqlite::Statement;

namespace op {
enum : int {
  id,
  op_id,
  name,
  type,
  tensor_cores,
  direction,
  data_type,
  data_format,
  output_format,
  parameters_format,
  stack_trace
};
}
// Columns declared STRING (op_id, op_name, stack_trace) turn an op called "1e5" into a number; the
// id is therefore read through the dictionary.
constexpr ColumnSpec kOpColumns[] = {{"id"},
                                     {"op_id_id"},
                                     {"op_name", text},
                                     {"op_type_id"},
                                     {"tc_support_status"},
                                     {"direction_id", integer, "Directions of ops"},
                                     {"data_type_id", integer, "Data types of ops"},
                                     {"data_format_id", integer, "Data formats of ops"},
                                     {"output_format_id", integer, "Data formats of ops"},
                                     {"parameters_format_id", integer, "Data formats of ops"},
                                     {"stack_trace", text, "Stack traces"}};
constexpr TableSpec kOps{"read_only_ops", kOpColumns, "Reading ops"};

namespace instance {
enum : int {
  id,
  op,
  cpu_start,
  cpu_stop,
  process,
  thread,
  input_names,
  input_shapes,
  output_names,
  output_shapes,
  parameters
};
}
constexpr ColumnSpec kInstanceColumns[] = {
    {"id"},
    {"read_only_ops_id"},
    {"cpu_start"},
    {"cpu_stop"},
    {"process_id"},
    {"thread_id"},
    {"input_names_id", integer, "Names of inputs and outputs"},
    {"input_shapes_id", integer, "Shapes of inputs and outputs"},
    {"output_names_id", integer, "Names of inputs and outputs"},
    {"output_shapes_id", integer, "Shapes of inputs and outputs"},
    {"parameters_id", integer, "Parameters of ops"}};
constexpr TableSpec kInstances{"read_only_op_instances", kInstanceColumns, "Reading op instances"};

TensorCoreSupport tensor_core_support(Context& context, const Statement& row) {
  const int64_t status = row.integer(op::tensor_cores);
  if (status >= 0 && status <= 3) return static_cast<TensorCoreSupport>(status);
  context.quality.add(kOps.name, "tc_support_status has no known meaning; read as unknown",
                      row.integer(op::id),
                      [&] { return "tc_support_status is " + std::to_string(status); });
  return TensorCoreSupport::unknown;
}

std::string range_text(int64_t start_ns, int64_t stop_ns) {
  return "from " + std::to_string(start_ns) + " ns to " + std::to_string(stop_ns) + " ns";
}

// The instance's row in the builder, or kNoRow when its times cannot be used.
Row add_to_builder(Context& context, TimeBudget& budget, const Statement& row, Row op_row) {
  const int64_t start_ns = row.integer(instance::cpu_start);
  const int64_t stop_ns = row.integer(instance::cpu_stop);
  const char* problem = time_problem(start_ns, stop_ns);
  if (problem == nullptr && !budget.add_cpu({start_ns, stop_ns})) problem = kTooMuchTime;
  if (problem != nullptr) {
    context.quality.add(kInstances.name, problem, row.integer(instance::id),
                        [&] { return range_text(start_ns, stop_ns); });
    return kNoRow;
  }
  const auto text_of = [&](int column) { return context.text(kInstances, row, column); };
  return context.builder.add_instance(
      {.op = op_row,
       .cpu_start_ns = start_ns,
       .cpu_stop_ns = stop_ns,
       .thread = context.builder.intern_thread(
           {row.integer(instance::process), row.integer(instance::thread)}),
       .input_names = text_of(instance::input_names),
       .input_shapes = text_of(instance::input_shapes),
       .output_names = text_of(instance::output_names),
       .output_shapes = text_of(instance::output_shapes),
       .parameters = text_of(instance::parameters),
       .source_id = row.integer(instance::id)});
}

}  // namespace

void OpIndex::add_op(int64_t op_id, Row row) {
  ops_.set(op_id, row);
  if (row >= instances_.size()) instances_.resize(row + 1);
}

void OpIndex::add_instance(int64_t op_id, Row row) {
  if (const std::optional<Row> op_row = ops_.find(op_id)) instances_[*op_row].push_back(row);
}

base::Status read_ops(Context& context, OpIndex& index) {
  return for_each_row(context, kOps, [&](const Statement& row) {
    const auto text_of = [&](int column) { return context.text(kOps, row, column); };
    const Row added =
        context.builder.add_op({.id = text_of(op::op_id),
                                .name = context.builder.intern(row.text(op::name)),
                                .type = text_of(op::type),
                                .direction = text_of(op::direction),
                                .data_type = text_of(op::data_type),
                                .data_format = text_of(op::data_format),
                                .output_format = text_of(op::output_format),
                                .parameters_format = text_of(op::parameters_format),
                                .stack_trace = context.builder.intern(row.text(op::stack_trace)),
                                .tensor_core_support = tensor_core_support(context, row),
                                .source_id = row.integer(op::id)});
    index.add_op(row.integer(op::id), added);
  });
}

base::Status read_op_instances(Context& context, OpIndex& index, TimeBudget& budget) {
  return for_each_row(
      context, kInstances,
      [&](const Statement& row) {
        const int64_t op_id = row.integer(instance::op);
        const std::optional<Row> op_row = index.op(op_id);
        if (op_row) {
          index.add_instance(op_id, add_to_builder(context, budget, row, *op_row));
          return;
        }
        context.quality.add(kInstances.name, "its op does not exist", row.integer(instance::id),
                            [&] { return "read_only_ops_id is " + std::to_string(op_id); });
      },
      [&](const Statement& row) { index.add_instance(row.integer(instance::op), kNoRow); });
}

}  // namespace dlview::import::dlprof
