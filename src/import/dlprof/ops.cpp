#include "import/dlprof/ops.h"

#include <string>
#include <utility>

#include "import/dlprof/event_parts.h"

namespace dlview::import::dlprof {
namespace {

using enum ColumnSpec::Kind;
using profile::kNoRow;
using profile::Row;
using profile::TensorCoreSupport;
using sqlite::Statement;
using sqlite::TableRows;

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
  context.quality.add(kOps.name, "unknown tc_support_status", row.integer(op::id),
                      [&] { return "tc_support_status is " + std::to_string(status); });
  return TensorCoreSupport::unknown;
}

std::string range_text(int64_t start_ns, int64_t stop_ns) {
  return "from " + std::to_string(start_ns) + " ns to " + std::to_string(stop_ns) + " ns";
}

// An instance as it is read, or one that cannot be used, whose place events count all the same.
struct PlacedInstance : profile::OpInstanceRow {
  bool is_usable = false;
};
using InstanceParts = EventParts<PlacedInstance, profile::Thread>;

PlacedInstance read_instance(const Context& context, const TableRows& row, Row op_row,
                             InstanceParts& parts, std::size_t range, QualityLog& notes) {
  PlacedInstance read;
  read.op = op_row;
  read.cpu_start_ns = row.integer(instance::cpu_start);
  read.cpu_stop_ns = row.integer(instance::cpu_stop);
  if (const char* problem = time_problem(read.cpu_start_ns, read.cpu_stop_ns)) {
    notes.add(kInstances.name, problem, row.integer(instance::id),
              [&] { return range_text(read.cpu_start_ns, read.cpu_stop_ns); });
    return read;
  }
  const auto text_of = [&](int column) { return context.text(kInstances, row, column, notes); };
  read.thread =
      parts.number(range, {row.integer(instance::process), row.integer(instance::thread)});
  read.input_names = text_of(instance::input_names);
  read.input_shapes = text_of(instance::input_shapes);
  read.output_names = text_of(instance::output_names);
  read.output_shapes = text_of(instance::output_shapes);
  read.parameters = text_of(instance::parameters);
  read.source_id = row.integer(instance::id);
  read.is_usable = true;
  return read;
}

}  // namespace

void OpLookup::add_op(int64_t op_id, Row row) {
  ops_.set(op_id, row);
  if (row >= instances_.size()) instances_.resize(row + 1);
}

void OpLookup::add_instance(Row op, Row row) {
  instances_[op].push_back(row);
}

base::Status read_ops(Context& context, OpLookup& lookup) {
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
    lookup.add_op(row.integer(op::id), added);
  });
}

base::Status read_op_instances(Context& context, OpLookup& lookup, TimeBudget& budget) {
  base::Result<RangedTable> table = begin_ranges(context, kInstances);
  if (!table) return std::move(table).error();
  InstanceParts parts(table->cut.ranges);
  const base::Status status = read_ranges(
      context, *table,
      [&](const TableRows& row, std::size_t range) {
        QualityLog& notes = table->notes[range];
        const int64_t op_id = row.integer(instance::op);
        if (const std::optional<Row> op = lookup.op(op_id)) {
          parts.add(range, read_instance(context, row, *op, parts, range, notes));
          return;
        }
        notes.add(kInstances.name, "its op does not exist", row.integer(instance::id),
                  [&] { return "read_only_ops_id is " + std::to_string(op_id); });
      },
      [&](const TableRows& row, std::size_t range) {
        const std::optional<Row> op = lookup.op(row.integer(instance::op));
        if (!op) return;
        PlacedInstance unreadable;
        unreadable.op = *op;
        parts.add(range, unreadable);
      });
  if (!status) return status;

  Row used = 0;
  const auto fits = [&](const PlacedInstance& row) {
    const bool is_used = row.is_usable && budget.add_cpu({row.cpu_start_ns, row.cpu_stop_ns});
    lookup.add_instance(row.op, is_used ? used++ : kNoRow);
    if (row.is_usable && !is_used) {
      context.quality.add(kInstances.name, kTooMuchTime, row.source_id,
                          [&] { return range_text(row.cpu_start_ns, row.cpu_stop_ns); });
    }
    return is_used;
  };
  parts.settle(&PlacedInstance::thread, fits, [&](const profile::Thread& thread) {
    return context.builder.intern_thread(thread);
  });
  context.builder.add_instances(parts.size(), [&](std::size_t i) { return parts[i]; });
  return status;
}

}  // namespace dlview::import::dlprof
