#include "aggregate/provenance.h"

#include <algorithm>
#include <array>
#include <span>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fmt/ranges.h>  // join

#include "aggregate/find_op.h"
#include "aggregate/provenance_sql.h"
#include "base/units.h"
#include "profile/recorded.h"

namespace dlview::aggregate {
namespace {

// What a statement needs before its SELECT.
enum class Needs : uint8_t { span, instances, events };

struct Statement {
  MetricId metric;
  Needs needs;
  std::string_view select;
};

constexpr std::array kStatements{
    Statement{"wall_time", Needs::span, "SELECT stop - start FROM span"},
    Statement{"range_time", Needs::span, "SELECT duration FROM span"},
    Statement{"average_iteration", Needs::span, "SELECT 1.0 * (stop - start) / size FROM span"},
    Statement{"iteration_deviation", Needs::span,
              "SELECT sqrt(avg(off * off)) FROM (\n"
              "  SELECT c.stop - c.start - 1.0 * duration / size AS off FROM chosen AS c, span)"},
    Statement{"median_iteration", Needs::span,
              "SELECT stop - start FROM chosen ORDER BY 1\n"
              "LIMIT 1 OFFSET (SELECT (size - 1) / 2 FROM span)"},
    Statement{"total_iterations", Needs::span, "SELECT count(*) FROM iterations"},
    Statement{"profiled_iterations", Needs::span, "SELECT size FROM span"},
    Statement{"tensor_core_efficiency", Needs::events,
              "SELECT coalesce(100.0 * sum(ns * uses_tc) / nullif(sum(ns), 0), 0)\n"
              "FROM (SELECT gpu_stop - gpu_start AS ns, uses_tc FROM kernels\n"
              "      WHERE op IN (SELECT id FROM read_only_ops WHERE tc_support_status = 0)\n"
              "         OR op IN (SELECT op FROM kernels WHERE uses_tc))"},
    Statement{"tensor_core_missed", Needs::events,
              "SELECT coalesce(sum(gpu_stop - gpu_start), 0) FROM kernels\n"
              "WHERE NOT uses_tc\n"
              "  AND (op IN (SELECT id FROM read_only_ops WHERE tc_support_status = 0)\n"
              "       OR op IN (SELECT op FROM kernels WHERE uses_tc))"},
    Statement{"kernel_gpu_time", Needs::events,
              "SELECT (SELECT coalesce(sum(gpu_stop - gpu_start), 0) FROM kernels)\n"
              "     + (SELECT coalesce(sum(gpu_stop - gpu_start), 0) FROM memory_ops)"},
    Statement{"kernel_gpu_time_tensor_core", Needs::events,
              "SELECT coalesce(sum(gpu_stop - gpu_start), 0) FROM kernels WHERE uses_tc"},
    Statement{"kernel_gpu_time_memory", Needs::events,
              "SELECT coalesce(sum(gpu_stop - gpu_start), 0) FROM memory_ops"},
    Statement{"kernel_gpu_time_other", Needs::events,
              "SELECT coalesce(sum(gpu_stop - gpu_start), 0) FROM kernels WHERE NOT uses_tc"},
    Statement{"kernel_names", Needs::events, "SELECT count(DISTINCT name_id) FROM kernels"},
    Statement{"kernel_launches", Needs::events, "SELECT count(*) FROM kernels"},
    Statement{"op_calls", Needs::instances, "SELECT count(*) FROM instances"},
    Statement{"op_cpu_time", Needs::instances,
              "SELECT coalesce(sum(cpu_stop - cpu_start), 0) FROM instances"},
    Statement{"op_gpu_time", Needs::events,
              "SELECT coalesce(sum(max(0, gpu_stop - max(gpu_start, "
              "coalesce(reached, gpu_start)))), 0)\n"
              "FROM (SELECT gpu_start, gpu_stop,\n"
              "             max(gpu_stop) OVER (PARTITION BY op, nth, device_id\n"
              "               ORDER BY gpu_start ROWS BETWEEN UNBOUNDED PRECEDING AND 1 "
              "PRECEDING) AS reached\n"
              "      FROM (SELECT op, nth, device_id, gpu_start, gpu_stop FROM kernels\n"
              "            UNION ALL\n"
              "            SELECT op, nth, device_id, gpu_start, gpu_stop FROM memory_ops))"},
};

constexpr std::string_view kAllDeviceTime =
    "((SELECT duration FROM span) * (SELECT count(*) FROM read_only_gpu_infos))";

// Utilization and breakdown: union of what ran, clipped at the iterations.
struct CoverStatement {
  MetricId metric;
  Category category;
  std::string_view select;  // {0}: the category's number, {1}: the one before, {2}: kAllDeviceTime
};

constexpr std::string_view kExclusive =
    "SELECT coalesce(sum(CASE upto WHEN {0} THEN ns ELSE -ns END), 0)\n"
    "         / (SELECT count(*) FROM read_only_gpu_infos) AS ns,\n"
    "       100.0 * coalesce(sum(CASE upto WHEN {0} THEN ns ELSE -ns END), 0) / {2} AS percent\n"
    "FROM covered";

constexpr std::array kCoverStatements{
    CoverStatement{"gpu_utilization", Category::other_kernels,
                   "SELECT 100.0 * coalesce(sum(ns), 0) / {2} FROM covered WHERE upto = {0}"},
    CoverStatement{"gpu_idle", Category::other_kernels,
                   "SELECT 100 - 100.0 * coalesce(sum(ns), 0) / {2} FROM covered WHERE upto = {0}"},
    CoverStatement{
        "gpu_utilization_used", Category::other_kernels,
        "SELECT coalesce(100.0 * sum(ns) / ((SELECT duration FROM span) * count(*)), 0)\n"
        "FROM covered WHERE upto = {0} AND ns > 0"},
    CoverStatement{"breakdown_tensor_core_kernels", Category::tensor_core_kernels, kExclusive},
    CoverStatement{"breakdown_other_kernels", Category::other_kernels, kExclusive},
    CoverStatement{"breakdown_memory", Category::memory, kExclusive},
    CoverStatement{"breakdown_data_loader", Category::data_loader, kExclusive},
    CoverStatement{"breakdown_cpu", Category::cpu, kExclusive},
    CoverStatement{"breakdown_other", Category::cpu,
                   "SELECT ({2} - coalesce(sum(ns), 0)) / (SELECT count(*) FROM "
                   "read_only_gpu_infos) AS ns,\n"
                   "       100.0 * ({2} - coalesce(sum(ns), 0)) / {2} AS percent\n"
                   "FROM covered WHERE upto = {0}"},
};

// Of kernels alone, in the order that sql::covered_by_kernels() takes; {2} as above.
struct CommunicationStatement {
  MetricId metric;
  bool communication_first;
  std::string_view select;
};

constexpr std::array kCommunicationStatements{
    CommunicationStatement{"communication", true,
                           "SELECT coalesce(sum(ns), 0) / (SELECT count(*) FROM "
                           "read_only_gpu_infos) AS ns,\n"
                           "       100.0 * coalesce(sum(ns), 0) / {2} AS percent\n"
                           "FROM covered WHERE upto = {1}"},
    CommunicationStatement{"communication_exposed", false, kExclusive},
};

template <typename T>
const T* find(std::span<const T> statements, MetricId metric) {
  const auto found = std::find_if(statements.begin(), statements.end(),
                                  [&](const T& each) { return each.metric == metric; });
  return found == statements.end() ? nullptr : &*found;
}

std::string opening(const profile::Profile& profile, const Aggregation& aggregation,
                    const Figure& figure) {
  const IterationRange& range = aggregation.selection.range;
  std::string of_op;
  if (figure.op != profile::kNoRow) {
    of_op = fmt::format(" of {}", profile.text(profile.ops.id[figure.op]));
  }
  return fmt::format("-- {}{}, iterations {} to {}\nWITH {}{}", metric(figure.metric).title, of_op,
                     range.first, range.last, sql::iterations(profile, aggregation.selection.cut),
                     sql::chosen(range));
}

int64_t instance_count(const Aggregation& aggregation) {
  int64_t count = 0;
  for (const OpAggregate& op : aggregation.ops) count += op.times.count();
  return count;
}

struct Source {
  std::string_view of_database, of_export;
  std::string_view of_trace;  // category of the PyTorch profiler; empty = none
  std::string_view words;     // of any format
};
constexpr std::array<Source, 17> kSources{{
    {"NVTX_EVENTS", "NVTX_EVENTS", "user_annotation", "ranges"},
    {"iteration_list", "NVTX_EVENTS", "user_annotation", "iterations"},
    {"iteration_aggregation_list", "OSRT_API", "", "I/O times"},
    {"read_only_ops", "NVTX_EVENTS", "cpu_op", "ops"},
    {"read_only_ops.tc_support_status", "NVTX_EVENTS", "cpu_op", "ops"},
    {"read_only_op_instances", "NVTX_EVENTS", "cpu_op", "op instances"},
    {"read_only_kernels", "CUPTI_ACTIVITY_KIND_KERNEL", "kernel", "kernels"},
    {"read_only_kernels.uses_tc", "CUPTI_ACTIVITY_KIND_KERNEL.demangledName", "kernel", "kernels"},
    {"read_only_kernels.long_name_id", "CUPTI_ACTIVITY_KIND_KERNEL.demangledName", "kernel",
     "kernel names"},
    {"read_only_memcpys", "CUPTI_ACTIVITY_KIND_MEMCPY", "gpu_memcpy", "memcpys"},
    {"read_only_memsets", "CUPTI_ACTIVITY_KIND_MEMSET", "gpu_memset", "memsets"},
    {"read_only_cuda_syncs", "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "cuda_runtime",
     "synchronizations"},
    {"read_only_cuda_calls", "CUPTI_ACTIVITY_KIND_RUNTIME", "cuda_runtime", "CUDA API calls"},
    {"read_only_gpu_infos", "TARGET_INFO_GPU", "deviceProperties", "GPUs"},
    // Only in traces.
    {"python_function", "python_function", "python_function", "Python frames"},
    {"record_param_comms", "record_param_comms", "record_param_comms", "collectives"},
    {"[memory]", "[memory]", "[memory]", "memory events"},
}};

}  // namespace

std::optional<std::string> sql_of(const profile::Profile& profile, const Aggregation& aggregation,
                                  const Figure& figure) {
  // The tables hold neither an export nor what the present rules see.
  if (!profile.source.format.starts_with("DLProf") || profile.source.by_tensor_core_rules) {
    return std::nullopt;
  }
  // Nor do the statements know which kernels tell when an iteration begins on the GPU.
  if (aggregation.iteration_table->iterations.split_by == SplitBy::gpu) return std::nullopt;
  const bool filtered = !aggregation.selection.filters.empty();
  if (filtered && metric(figure.metric).obeys_filters) return std::nullopt;
  if (const auto* statement = find<Statement>(kStatements, figure.metric)) {
    std::string text = opening(profile, aggregation, figure);
    if (statement->needs >= Needs::instances) text += sql::instances(profile, figure.op);
    if (statement->needs >= Needs::events) text += sql::events();
    return fmt::format("{}\n{};\n", text, statement->select);
  }
  if (const auto* statement =
          find<CommunicationStatement>(kCommunicationStatements, figure.metric)) {
    if (!aggregation.iteration_table->has_communication) return std::nullopt;
    return fmt::format("{}{}\n{};\n", opening(profile, aggregation, figure),
                       sql::covered_by_kernels(profile, statement->communication_first),
                       fmt::format(fmt::runtime(statement->select), 1, 0, kAllDeviceTime));
  }
  const auto* statement = find<CoverStatement>(kCoverStatements, figure.metric);
  if (statement == nullptr || aggregation.devices.empty()) return std::nullopt;
  if (statement->category == Category::cpu && aggregation.io_recorded) return std::nullopt;
  const int number = static_cast<int>(statement->category);
  return fmt::format(
      "{}{}\n{};\n", opening(profile, aggregation, figure), sql::covered(statement->category),
      fmt::format(fmt::runtime(statement->select), number, number - 1, kAllDeviceTime));
}

std::string source_rows(const Aggregation& selected, const Figure& figure) {
  const Aggregation& aggregation =
      metric(figure.metric).obeys_filters ? selected : selected.whole();
  const std::string_view source = metric(figure.metric).source;
  const auto uses = [&](std::string_view table) {
    return source.find(table) != std::string_view::npos;
  };
  const OpAggregate* op = figure.op == profile::kNoRow ? nullptr : find_op(aggregation, figure.op);

  std::vector<std::string> parts;
  if (uses("iteration_list"))
    parts.push_back(base::counted(aggregation.selection.range.size(), "iterations"));
  if (uses("read_only_op_instances")) {
    parts.push_back(base::counted(op == nullptr ? instance_count(aggregation) : op->times.count(),
                                  "op instances"));
  }
  if (uses("read_only_kernels")) {
    parts.push_back(base::counted(
        op == nullptr ? aggregation.kernel_launches : op->kernel_gpu.count, "kernels"));
  }
  if (uses("read_only_memcpys") && op == nullptr) {
    parts.push_back(base::counted(aggregation.memory_op_count, "memory operations"));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string source_tables(const Metric& metric, const profile::Profile* profile) {
  if (profile != nullptr && !profile->trace) return std::string(metric.source);
  const auto name_in = [profile](const Source& source) {
    if (profile == nullptr) return source.words;
    return profile::is_pytorch_trace(*profile) ? source.of_trace : source.of_export;
  };
  std::vector<std::string_view> tables;
  std::istringstream names{std::string(metric.source)};
  for (std::string name; names >> name;) {
    if (name.ends_with(',')) name.pop_back();
    const auto source = std::ranges::find(kSources, name, &Source::of_database);
    if (source == kSources.end()) continue;
    const std::string_view table = name_in(*source);
    if (table.empty() || std::ranges::find(tables, table) != tables.end()) continue;
    tables.push_back(table);
  }
  return fmt::format("{}", fmt::join(tables, ", "));
}

}  // namespace dlview::aggregate
