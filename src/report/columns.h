// The columns of the program's own tables, declared once: id, title, unit, kind, and their texts on
// screen. The tables of report/views and report/differences, and the columns that ui adds to them,
// use these declarations; looks (ui/table/table_data.h) take their texts from them. Code names a
// column by a ColumnId; a misspelled one does not compile. The reports of DLProf and nsys have
// their own columns.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "aggregate/metrics.h"
#include "report/table.h"

namespace dlview::report {

// For the screen only, not for files and the terminal.
struct OnScreen {
  std::string_view title = {};      // empty = the column's own
  aggregate::MetricId metric = {};  // the definition of its numbers
  float width = 84;                 // in pixels of the design; with a share, the minimum
  float share = 0;                  // of the remaining width
};

struct ColumnSpec {
  // "kernel_name": the column's id. If tables have different texts for the same id, the table's
  // name precedes it: "idle_gaps.duration".
  std::string_view key;
  std::string_view title;  // in files; the unit is no part of it
  CellKind kind = CellKind::text;
  aggregate::Unit unit = aggregate::Unit::none;
  SortDirection first_sort = SortDirection::ascending;  // of the first click on the header
  OnScreen screen = {};

  constexpr std::string_view id() const { return key.substr(key.find('.') + 1); }
  // The table's name before the id; empty = all tables that have the id.
  constexpr std::string_view table() const {
    const std::size_t end = key.find('.');
    return end == std::string_view::npos ? std::string_view() : key.substr(0, end);
  }
  constexpr std::string_view screen_title() const {
    return screen.title.empty() ? title : screen.title;
  }
};

namespace columns {

constexpr ColumnSpec text(std::string_view key, std::string_view title, OnScreen screen = {}) {
  return {.key = key, .title = title, .screen = screen};
}
// One of a few short words.
constexpr ColumnSpec word(std::string_view key, std::string_view title, OnScreen screen = {}) {
  return {.key = key, .title = title, .kind = CellKind::word, .screen = screen};
}
constexpr ColumnSpec flag(std::string_view key, std::string_view title, OnScreen screen = {}) {
  return {.key = key,
          .title = title,
          .kind = CellKind::flag,
          .first_sort = SortDirection::descending,
          .screen = screen};
}
// An integer.
constexpr ColumnSpec number(std::string_view key, std::string_view title, OnScreen screen = {}) {
  return {.key = key,
          .title = title,
          .kind = CellKind::integer,
          .first_sort = SortDirection::descending,
          .screen = screen};
}
constexpr ColumnSpec in_unit(ColumnSpec column, aggregate::Unit unit) {
  column.unit = unit;
  return column;
}
constexpr ColumnSpec count(std::string_view key, std::string_view title, OnScreen screen = {}) {
  return in_unit(number(key, title, screen), aggregate::Unit::count);
}
// Whole ns.
constexpr ColumnSpec time(std::string_view key, std::string_view title, OnScreen screen = {}) {
  return in_unit(number(key, title, screen), aggregate::Unit::ns);
}
// An average of times, in ns with a fraction.
constexpr ColumnSpec average(std::string_view key, std::string_view title, OnScreen screen = {}) {
  ColumnSpec column = time(key, title, screen);
  column.kind = CellKind::real;
  return column;
}
// A number with a fraction, without a unit.
constexpr ColumnSpec real(std::string_view key, std::string_view title, OnScreen screen = {}) {
  ColumnSpec column = number(key, title, screen);
  column.kind = CellKind::real;
  return column;
}
// 0..100.
constexpr ColumnSpec percent(std::string_view key, std::string_view title, OnScreen screen = {}) {
  return in_unit(average(key, title, screen), aggregate::Unit::percent);
}
// The first click on the header sorts in ascending order: ids, instants, versions.
constexpr ColumnSpec ascending(ColumnSpec column) {
  column.first_sort = SortDirection::ascending;
  return column;
}

}  // namespace columns

inline constexpr auto kColumns = [] {
  using columns::ascending, columns::average, columns::count, columns::flag, columns::in_unit,
      columns::number, columns::percent, columns::real, columns::text, columns::time, columns::word;
  // Clang deduces no std::array of more than 256 elements.
  return std::to_array<ColumnSpec>({
      // In many tables.
      ascending(number("aggr_id", "Aggregation")),
      word("domain_name", "Domain"),
      ascending(count("iter_value", "Iteration", {.width = 64})),
      ascending(number("device_id", "GPU", {.width = 44})),
      ascending(number("process_id", "Process", {.width = 64})),
      ascending(number("thread_id", "Thread", {.width = 64})),
      text("op_node_name", "Op Name", {.title = "Op name", .width = 166, .share = 1}),
      text("op_node_id", "Op ID", {.width = 90}),
      word("direction", "Direction", {.width = 66}),
      text("op_node_type", "Op Type", {.title = "Op type", .width = 96, .share = 0.3f}),
      word("data_type", "Data Type", {.title = "Data type", .width = 70}),
      text("stack_trace", "Stack Trace", {.title = "Stack trace", .width = 80, .share = 0.4f}),
      text("kernel_name", "Kernel Name", {.title = "Kernel name", .width = 166, .share = 1}),
      flag("uses_tc", "Using TC", {.metric = "tensor_core_using", .width = 58}),
      word("tc_by_rules", "Using TC by Rules"),
      word("tc_rule", "Rule", {.title = "TC rule", .width = 120}),
      time("duration", "Duration"),

      // op_nodes
      time("op_nodes.gpu_time", "GPU Time", {.title = "GPU time", .metric = "op_gpu_time"}),
      time("cpu_time", "CPU Time", {.title = "CPU time", .metric = "op_cpu_time"}),
      count("num_calls", "Calls", {.metric = "op_calls", .width = 56}),
      flag("tc_eligible", "TC Eligible",
           {.title = "TC eligible", .metric = "tensor_core_eligible", .width = 66}),
      flag("using_tc", "Using TC", {.metric = "tensor_core_using", .width = 58}),
      count("kernel_calls", "Launches", {.metric = "kernel_launches", .width = 64}),
      flag("is_bad_data_type", "Bad Data Type", {.title = "Bad data type", .width = 84}),

      // op_type_summary; group_ops has the sums, too
      count("num_nodes", "Ops", {.metric = "op_count", .width = 60}),
      time("cpu_time_sum", "CPU Time", {.title = "CPU time", .metric = "op_cpu_time"}),
      average("cpu_time_avg", "Avg. CPU Time",
              {.title = "CPU time avg", .metric = "op_average", .width = 88}),
      time("cpu_time_min", "Min. CPU Time",
           {.title = "CPU time min", .metric = "op_average", .width = 88}),
      time("cpu_time_max", "Max. CPU Time",
           {.title = "CPU time max", .metric = "op_average", .width = 88}),
      time("gpu_time_sum", "GPU Time", {.title = "GPU time", .metric = "op_gpu_time"}),
      average("gpu_time_avg", "Avg. GPU Time",
              {.title = "GPU time avg", .metric = "op_average", .width = 88}),
      time("gpu_time_min", "Min. GPU Time",
           {.title = "GPU time min", .metric = "op_average", .width = 88}),
      time("gpu_time_max", "Max. GPU Time",
           {.title = "GPU time max", .metric = "op_average", .width = 88}),
      time("cpu_overhead_sum", "CPU Overhead",
           {.title = "CPU overhead", .metric = "op_overhead_time", .width = 92}),
      average("cpu_overhead_avg", "Avg. CPU Overhead",
              {.title = "CPU overhead avg", .metric = "op_average", .width = 116}),
      time("cpu_overhead_min", "Min. CPU Overhead",
           {.title = "CPU overhead min", .metric = "op_average", .width = 116}),
      time("cpu_overhead_max", "Max. CPU Overhead",
           {.title = "CPU overhead max", .metric = "op_average", .width = 116}),
      time("gpu_idle_sum", "GPU Idle", {.title = "GPU idle", .metric = "op_idle_time"}),
      average("gpu_idle_avg", "Avg. GPU Idle",
              {.title = "GPU idle avg", .metric = "op_average", .width = 88}),
      time("gpu_idle_min", "Min. GPU Idle",
           {.title = "GPU idle min", .metric = "op_average", .width = 88}),
      time("gpu_idle_max", "Max. GPU Idle",
           {.title = "GPU idle max", .metric = "op_average", .width = 88}),
      // kernel_names, kernel_launches, op_shapes; the screen adds them to other tables of ops and
      // kernels.
      percent("gpu_time_share", "Share of GPU Time",
              {.title = "Share", .metric = "gpu_time_share", .width = 56}),
      average("gpu_time_per_iteration", "GPU Time per Iteration",
              {.title = "Per iteration", .metric = "gpu_time_per_iteration", .width = 76}),
      // On screen only.
      average("gpu_time_over_iterations", "GPU Time over Iterations",
              {.title = "Over iterations", .metric = "gpu_time_over_iterations", .width = 92}),
      // Where ranges contain ops: op_nodes adds the total, group_ops the self times.
      time("op_nodes.gpu_time_total", "Total GPU Time",
           {.title = "Total GPU time", .metric = "op_total_time", .width = 92}),
      time("group_ops.gpu_time_self", "Self GPU Time",
           {.title = "Self GPU time", .metric = "op_self_time", .width = 88}),
      time("group_ops.cpu_time_self", "Self CPU Time",
           {.title = "Self CPU time", .metric = "op_self_time", .width = 88}),
      // For the colors of the rows of both, and of tables of ops.
      time("kernel_time", "Kernel Time"),
      time("tensor_core_time", "Tensor Core Time"),
      time("communication_time", "Communication Time"),
      flag("communicates", "Communicates"),

      // group_ops
      ascending(number("row_type", "Row Type")),
      text("row_full_id", "ID", {.width = 200}),
      text("row_full_name", "Full Name", {.title = "Full name", .width = 200}),
      text("row_trimmed_name", "Name", {.width = 166, .share = 2}),
      ascending(count("level", "Level", {.width = 52})),
      count("num_op_instances", "Calls",
            {.title = "Op instances", .metric = "op_calls", .width = 84}),
      count("num_supported_leaf_ops", "TC Eligible Ops",
            {.title = "TC eligible ops", .metric = "eligible_op_count", .width = 96}),
      count("num_tc_leaf_ops", "Ops Using TC",
            {.title = "Ops using TC", .metric = "tensor_core_op_count", .width = 88}),
      word("group_ops.direction", "Direction", {.width = 80}),
      time("group_ops.gpu_idle_sum", "GPU Idle",
           {.title = "GPU idle", .metric = "op_idle_time", .width = 80}),

      // kernel_summaries, tc_kernels
      count("calls", "Launches", {.metric = "kernel_launches", .width = 64}),
      time("kernel_summaries.gpu_time", "GPU Time",
           {.title = "GPU time", .metric = "kernel_gpu_time"}),
      average("avg", "Avg. GPU Time", {.title = "Avg", .metric = "kernel_average", .width = 72}),
      time("min", "Min. GPU Time", {.title = "Min", .metric = "kernel_average", .width = 72}),
      time("max", "Max. GPU Time", {.title = "Max", .metric = "kernel_average", .width = 72}),
      time("tc_kernels.gpu_time", "GPU Time"),

      // kernel_names, kernel_launches, op_shapes
      time("kernel_names.gpu_time", "GPU Time", {.title = "GPU time", .metric = "kernel_gpu_time"}),
      count("kernel_names.op_count", "Ops", {.title = "Ops", .width = 56}),
      time("kernel_launches.gpu_time", "GPU Time",
           {.title = "GPU time", .metric = "kernel_gpu_time"}),
      count("registers", "Registers per Thread",
            {.title = "Registers", .metric = "launch_registers", .width = 72}),
      in_unit(number("shared_memory", "Shared Memory",
                     {.title = "Shared memory", .metric = "launch_shared_memory", .width = 96}),
              aggregate::Unit::bytes),
      in_unit(average("blocks_per_sm", "Mean Blocks per SM",
                      {.title = "Blocks per SM", .metric = "blocks_per_sm", .width = 92}),
              aggregate::Unit::count),
      percent("occupancy", "Mean Est. Achieved Occupancy",
              {.title = "Occupancy", .metric = "estimated_occupancy", .width = 76}),
      // "gemm<<<(8, 1, 1), (256, 1, 1)>>> 32 registers 1024 B" tells the rows apart.
      text("launch", "Launch", {.width = 200}),
      text("input_shapes", "Input Shapes", {.title = "Input shapes", .width = 160, .share = 1}),
      // The op's id and its shapes tell the rows apart.
      text("op_call", "Call", {.width = 200}),
      flag("differs", "Differs"),

      // modules, module_classes
      text("module", "Module", {.width = 166, .share = 1}),
      text("module_class", "Class", {.width = 120, .share = 0.4f}),
      number("depth", "Depth", {.width = 56}),
      count("module_calls", "Calls", {.metric = "module_calls", .width = 64}),
      count("module_ops", "Ops", {.metric = "module_ops", .width = 64}),
      time("module_gpu_total", "Total GPU Time",
           {.title = "Total GPU time", .metric = "module_gpu_time", .width = 100}),
      time("module_gpu_forward", "Forward GPU Time",
           {.title = "Forward", .metric = "module_gpu_time"}),
      time("module_gpu_backward", "Backward GPU Time",
           {.title = "Backward", .metric = "module_gpu_time"}),
      time("module_gpu_self", "Self GPU Time",
           {.title = "Self GPU time", .metric = "module_gpu_time", .width = 88}),
      time("module_cpu_total", "Total CPU Time",
           {.title = "Total CPU time", .metric = "module_cpu_time", .width = 100}),
      time("module_cpu_self", "Self CPU Time",
           {.title = "Self CPU time", .metric = "module_cpu_time", .width = 88}),
      // "/Net_0/Linear_1"; the paths tell the rows apart.
      text("module_parent", "Parent", {.width = 120}),
      text("module_path", "Path", {.width = 200}),

      // torch_ops, torch_op_shapes, torch_op_stacks, torch_op_tree
      text("torch_op", "Operator", {.width = 166, .share = 1}),
      word("torch_op_kind", "Kind", {.width = 80}),
      count("torch_op_calls", "Calls", {.metric = "operator_calls", .width = 64}),
      time("torch_op_cpu_self", "Self CPU Time",
           {.title = "Self CPU time", .metric = "operator_cpu_time", .width = 88}),
      time("torch_op_cpu_total", "Total CPU Time",
           {.title = "Total CPU time", .metric = "operator_cpu_time", .width = 92}),
      time("torch_op_api_self", "Self API Time",
           {.title = "Self API time", .metric = "operator_api_time", .width = 88}),
      time("torch_op_gpu_self", "Self GPU Time",
           {.title = "Self GPU time", .metric = "operator_gpu_time", .width = 100}),
      time("torch_op_gpu_total", "Total GPU Time",
           {.title = "Total GPU time", .metric = "operator_gpu_time", .width = 100}),
      percent("torch_op_tc_self", "TC Share of Self GPU Time",
              {.title = "TC self", .metric = "operator_tensor_core_share", .width = 72}),
      percent("torch_op_tc_total", "TC Share of Total GPU Time",
              {.title = "TC total", .metric = "operator_tensor_core_share", .width = 72}),
      // The name and the shapes or the call stack tell the rows apart.
      text("torch_op_call", "Call", {.width = 200}),
      // "aten::linear > aten::addmm"; the paths tell the rows of the tree apart.
      text("torch_op_parent", "Parent", {.width = 120}),
      text("torch_op_path", "Path", {.width = 200}),

      // stacks, stack_tree
      text("stacks.frame", "Function", {.width = 166, .share = 1}),
      text("frame", "Frame", {.width = 166, .share = 1}),
      count("frame_calls", "Calls", {.metric = "stack_calls", .width = 64}),
      time("cpu_time_total", "Total CPU Time",
           {.title = "Total wall time", .metric = "stack_cpu_time", .width = 92}),
      time("cpu_time_self", "Self CPU Time",
           {.title = "Self wall time", .metric = "stack_cpu_time", .width = 88}),
      time("gpu_time_total", "Total GPU Time",
           {.title = "Total GPU time", .metric = "stack_gpu_time", .width = 92}),
      time("gpu_time_self", "Self GPU Time",
           {.title = "Self GPU time", .metric = "stack_gpu_time", .width = 88}),
      // The frames around it, outermost first, and the frame.
      text("call_stack", "Call Stack", {.title = "Call stack", .width = 200}),

      // roofline, roofline_kernels, roofline_shapes, roofline_groups, limiter_summary, peaks,
      // gemm_tiles
      text("limit_name", "Name", {.width = 166, .share = 1}),
      word("math_type", "Number Format",
           {.title = "Number format", .metric = "gpu_peak", .width = 88}),
      time("limit_time", "Kernel Time",
           {.title = "Kernel time", .metric = "kernel_gpu_time", .width = 84}),
      percent("limit_share", "Share of Kernel Time",
              {.title = "Share", .metric = "kernel_gpu_time", .width = 60}),
      in_unit(average("flops", "FLOP", {.metric = "limit_flop", .width = 88}),
              aggregate::Unit::flop),
      word("flops_origin", "FLOP Origin",
           {.title = "FLOP from", .metric = "limit_flop", .width = 76}),
      in_unit(average("limit_bytes", "Bytes", {.metric = "limit_bytes", .width = 80}),
              aggregate::Unit::bytes),
      word("bytes_origin", "Bytes Origin",
           {.title = "Bytes from", .metric = "limit_bytes", .width = 76}),
      in_unit(average("intensity", "Intensity (FLOP/B)",
                      {.title = "FLOP/B", .metric = "arithmetic_intensity", .width = 64}),
              aggregate::Unit::none),
      in_unit(average("tflops", "TFLOP/s", {.metric = "achieved_rate", .width = 68}),
              aggregate::Unit::none),
      in_unit(average("gbps", "GB/s", {.metric = "achieved_rate", .width = 64}),
              aggregate::Unit::none),
      in_unit(average("peak_tflops", "Peak TFLOP/s", {.metric = "gpu_peak", .width = 88}),
              aggregate::Unit::none),
      in_unit(average("peak_gbps", "Peak GB/s", {.metric = "gpu_peak", .width = 76}),
              aggregate::Unit::none),
      percent("pct_math", "Share of Math Peak",
              {.title = "Math", .metric = "share_of_peak", .width = 60}),
      percent("pct_memory", "Share of Bandwidth",
              {.title = "Memory", .metric = "share_of_peak", .width = 64}),
      average("roof_time", "Roof Time", {.title = "Roof time", .metric = "roof_time", .width = 80}),
      percent("pct_roof", "Share of Roof",
              {.title = "Share of roof", .metric = "roof_time", .width = 84}),
      average("save_at_most", "Can Save at Most",
              {.title = "Can save at most", .metric = "limit_savings", .width = 112}),
      word("limit", "Limit", {.metric = "limit_class", .width = 64}),
      word("limit_origin", "Limit Origin",
           {.title = "Limit from", .metric = "limit_class", .width = 76}),
      word("class_uf", "Limit by FLOP/s",
           {.title = "By FLOP/s", .metric = "limit_class", .width = 72}),
      word("class_ub", "Limit by Busy Counters",
           {.title = "By busy counters", .metric = "limit_class", .width = 108}),
      word("class_i", "Limit by Intensity",
           {.title = "By intensity", .metric = "limit_class", .width = 80}),
      word("class_s", "Speed of Light Rule",
           {.title = "By Speed of Light", .metric = "limit_class", .width = 140}),
      word("memory_level", "Memory Level",
           {.title = "Level", .metric = "limit_class", .width = 56}),
      percent("known_share", "Known Share",
              {.title = "Known", .metric = "limit_coverage", .width = 60}),
      percent("measured_share", "Measured Share",
              {.title = "Measured", .metric = "limit_coverage", .width = 68}),
      text("formula", "Formula", {.metric = "limit_flop", .width = 120, .share = 0.4f}),
      text("limit_note", "Note", {.width = 120, .share = 0.4f}),
      count("limiter_summary.rows", "Rows", {.width = 60}),
      count("limit_kernels", "Kernels", {.metric = "kernel_launches", .width = 64}),
      percent("mfu", "MFU", {.metric = "flop_utilization", .width = 60}),
      percent("hfu", "HFU", {.metric = "flop_utilization", .width = 60}),
      flag("flops_may_be_high", "May Be High", {.metric = "flop_utilization", .width = 72}),
      word("peaks.gpu", "GPU", {.width = 120}),
      text("peak_source", "Source", {.metric = "gpu_peak", .width = 120, .share = 0.4f}),
      in_unit(average("peak_clock", "Clock (Hz)", {.title = "Clock", .width = 80}),
              aggregate::Unit::none),
      count("gemm_m", "M", {.width = 56}),
      count("gemm_n", "N", {.width = 56}),
      count("gemm_k", "K", {.width = 56}),
      count("gemm_batch", "Batch", {.width = 56}),
      count("tile_m", "Tile M", {.metric = "gemm_tile", .width = 56}),
      count("tile_n", "Tile N", {.metric = "gemm_tile", .width = 56}),
      count("tiles", "Tiles", {.metric = "gemm_tile", .width = 56}),
      in_unit(average("waves", "Waves", {.metric = "gemm_tile", .width = 56}),
              aggregate::Unit::none),
      percent("wave_efficiency", "Wave Efficiency",
              {.title = "Wave efficiency", .metric = "gemm_tile", .width = 100}),
      percent("tile_efficiency", "Tile Efficiency",
              {.title = "Tile efficiency", .metric = "gemm_tile", .width = 96}),
      text("alignment", "Alignment", {.width = 100}),
      text("limit_key", "Key"),
      // tc_headroom, advice
      in_unit(average("best_rate", "Best Rate (TFLOP/s)",
                      {.title = "Best rate", .metric = "tensor_core_headroom", .width = 76}),
              aggregate::Unit::none),
      average("headroom", "Gain at Most",
              {.title = "Gain at most", .metric = "tensor_core_headroom", .width = 88}),
      word("advice_kind", "Advice Id", {.title = "Advice id", .width = 100}),
      text("advice", "Advice", {.width = 166, .share = 1}),
      text("evidence", "Evidence", {.width = 166, .share = 1}),

      // ncu_launches, ncu_metrics
      text("file", "File", {.width = 120, .share = 0.3f}),
      ascending(number("launch_id", "Launch ID", {.title = "ID", .width = 44})),
      word("process", "Process", {.width = 88}),
      word("device", "GPU", {.width = 44}),
      word("cc", "CC", {.width = 44}),
      text("ncu_launches.range", "NVTX Ranges", {.title = "NVTX ranges", .width = 96}),
      average("duration_ns", "Duration", {.metric = "ncu_duration", .width = 84}),
      percent("compute_pct", "Compute Throughput",
              {.title = "Compute", .metric = "ncu_counter", .width = 68}),
      percent("memory_pct", "Memory Throughput",
              {.title = "Memory", .metric = "ncu_counter", .width = 64}),
      percent("dram_pct", "DRAM Throughput",
              {.title = "DRAM", .metric = "ncu_counter", .width = 60}),
      percent("l1_pct", "L1 Throughput", {.title = "L1", .metric = "ncu_counter", .width = 60}),
      percent("l2_pct", "L2 Throughput", {.title = "L2", .metric = "ncu_counter", .width = 60}),
      percent("occupancy_pct", "Achieved Occupancy",
              {.title = "Occupancy", .metric = "ncu_counter", .width = 76}),
      word("occupancy_limit", "Occupancy Limit",
           {.title = "Limited by", .metric = "ncu_counter", .width = 88}),
      in_unit(average("ncu_launches.waves", "Waves", {.metric = "ncu_counter", .width = 56}),
              aggregate::Unit::none),
      count("ncu_launches.registers", "Registers per Thread",
            {.title = "Registers", .metric = "ncu_counter", .width = 68}),
      in_unit(average("dram_read_bytes", "DRAM Bytes Read",
                      {.title = "DRAM read", .metric = "ncu_counter", .width = 84}),
              aggregate::Unit::bytes),
      in_unit(average("dram_write_bytes", "DRAM Bytes Written",
                      {.title = "DRAM written", .metric = "ncu_counter", .width = 92}),
              aggregate::Unit::bytes),
      word("match", "Match", {.title = "Match level", .width = 80}),
      text("candidates", "Candidates", {.width = 120, .share = 0.3f}),
      count("profile_launches", "Launches in the Profile",
            {.title = "Launches", .metric = "kernel_launches", .width = 64}),
      text("match_note", "Match Note", {.title = "Note", .width = 120, .share = 0.4f}),
      word("sol_rule", "Speed of Light Rule",
           {.title = "Speed of Light", .metric = "limit_class", .width = 140}),
      text("ncu_rule", "Rule in the File", {.title = "Rule in the file", .width = 140}),
      text("section", "Section", {.width = 140}),
      text("metric", "Metric", {.width = 166, .share = 1}),
      word("unit", "Unit", {.width = 64}),
      {.key = "value",
       .title = "Value",
       .kind = CellKind::any,
       .first_sort = SortDirection::descending,
       .screen = {.metric = "ncu_counter", .width = 96}},
      in_unit(average("minimum", "Minimum", {.metric = "ncu_counter", .width = 84}),
              aggregate::Unit::none),
      in_unit(average("maximum", "Maximum", {.metric = "ncu_counter", .width = 84}),
              aggregate::Unit::none),

      // collectives, collective_calls
      word("collective", "Collective", {.width = 110, .share = 0.3f}),
      text("process_group", "Process Group", {.title = "Group", .width = 96, .share = 0.3f}),
      ascending(count("group_size", "Group Size", {.title = "Ranks", .width = 56})),
      in_unit(number("message_bytes", "Message Size",
                     {.title = "Message", .metric = "collective_size", .width = 88}),
              aggregate::Unit::bytes),
      count("collectives.calls", "Calls", {.metric = "collective_calls", .width = 56}),
      in_unit(number("total_bytes", "Total Size",
                     {.title = "Total size", .metric = "collective_size", .width = 88}),
              aggregate::Unit::bytes),
      time("collectives.gpu_time", "GPU Time",
           {.title = "GPU time", .metric = "collective_gpu_time", .width = 92}),
      average("collectives.avg", "Avg. GPU Time",
              {.title = "Avg", .metric = "collective_gpu_time", .width = 72}),
      time("collectives.min", "Min. GPU Time",
           {.title = "Min", .metric = "collective_gpu_time", .width = 72}),
      time("collectives.max", "Max. GPU Time",
           {.title = "Max", .metric = "collective_gpu_time", .width = 72}),
      time("exposed_time", "Exposed Time",
           {.title = "Exposed", .metric = "collective_exposed", .width = 80}),
      percent("exposed_share", "Exposed Share",
              {.title = "Exposed share", .metric = "collective_exposed", .width = 100}),
      average("collectives.gpu_time_per_iteration", "GPU Time per Iteration",
              {.title = "Per iteration", .metric = "collective_gpu_time", .width = 84}),
      in_unit(
          average("algorithm_bandwidth", "Algorithm Bandwidth",
                  {.title = "Algorithm bandwidth", .metric = "algorithm_bandwidth", .width = 136}),
          aggregate::Unit::bytes_per_second),
      in_unit(average("bus_bandwidth", "Bus Bandwidth",
                      {.title = "Bus bandwidth", .metric = "bus_bandwidth", .width = 104}),
              aggregate::Unit::bytes_per_second),
      ascending(
          time("collective_calls.start", "Start", {.metric = "collective_calls", .width = 100})),
      time("host_time", "Host Time",
           {.title = "Host time", .metric = "collective_calls", .width = 80}),
      time("collective_calls.gpu_time", "GPU Time",
           {.title = "GPU time", .metric = "collective_gpu_time", .width = 88}),
      count("gpu_activities", "GPU Activities", {.title = "GPU activities", .width = 92}),
      text("group_ranks", "Ranks of the Group", {.title = "Ranks of the group", .width = 110}),
      // Tells the rows apart: "AllReduce BFloat16 default_pg (0) 4 7077888"; the call's number.
      text("collective_key", "Collective", {.width = 200}),

      // memory_devices, memory_ops, memory_events, memory_peak, memory_peak_groups
      word("memory_device", "Device", {.width = 60}),
      count("allocations", "Allocations", {.metric = "memory_allocated", .width = 84}),
      in_unit(number("allocated_bytes", "Allocated", {.metric = "memory_allocated", .width = 88}),
              aggregate::Unit::bytes),
      count("frees", "Frees", {.metric = "memory_allocated", .width = 64}),
      in_unit(number("freed_bytes", "Freed", {.metric = "memory_allocated", .width = 88}),
              aggregate::Unit::bytes),
      in_unit(number("net_bytes", "Size Increase",
                     {.title = "Size increase", .metric = "memory_increase", .width = 96}),
              aggregate::Unit::bytes),
      in_unit(number("largest_bytes", "Largest Allocation",
                     {.title = "Largest", .metric = "memory_allocated", .width = 88}),
              aggregate::Unit::bytes),
      in_unit(number("peak_allocated", "Peak Allocated",
                     {.title = "Peak allocated", .metric = "memory_peak", .width = 104}),
              aggregate::Unit::bytes),
      in_unit(number("peak_reserved", "Peak Reserved",
                     {.title = "Peak reserved", .metric = "memory_reserved", .width = 104}),
              aggregate::Unit::bytes),
      ascending(time("peak_time", "Time of the Peak",
                     {.title = "Peak at", .metric = "memory_peak", .width = 100})),
      ascending(time("memory_events.time", "Time", {.metric = "memory_allocated", .width = 100})),
      in_unit(number("bytes", "Bytes", {.metric = "memory_allocated", .width = 88}),
              aggregate::Unit::bytes),
      in_unit(number("total_allocated", "Allocated After",
                     {.title = "Allocated after", .metric = "memory_peak", .width = 104}),
              aggregate::Unit::bytes),
      in_unit(number("total_reserved", "Reserved After",
                     {.title = "Reserved after", .metric = "memory_reserved", .width = 104}),
              aggregate::Unit::bytes),
      time("lifetime", "Lifetime", {.metric = "memory_lifetime", .width = 80}),
      word("address", "Address", {.width = 110}),
      count("blocks", "Blocks", {.metric = "memory_holders", .width = 60}),
      in_unit(number("held_bytes", "Held", {.metric = "memory_holders", .width = 88}),
              aggregate::Unit::bytes),
      percent("held_share", "Share of the Peak",
              {.title = "Share", .metric = "memory_holders", .width = 56}),
      text("memory_peak_groups.module_path", "Module", {.width = 166, .share = 1}),
      // Tells the rows apart: the device, and the op's id or the module.
      text("memory_key", "Row", {.width = 200}),

      // gpu_metrics, gpu_metric_names, gpu_metrics_by_kernel, _by_op, _by_iteration
      ascending(number("gpu", "GPU", {.width = 44})),
      ascending(time("gpu_metrics.start_ns", "Time", {.width = 100})),
      real("gpu_metrics.value", "Value"),
      word("gpu_metric_names.unit", "Unit", {.width = 48}),
      count("samples", "Samples", {.width = 72}),
      real("gpu_metric_names.minimum", "Minimum"),
      real("gpu_metric_names.mean", "Mean"),
      real("gpu_metric_names.maximum", "Maximum"),
      percent("sm_active", "SM Active", {.title = "SM active", .width = 72}),
      percent("sm_issue", "SM Issue", {.title = "SM issue", .width = 72}),
      percent("tensor_active", "Tensor Active", {.title = "Tensor active", .width = 88}),
      percent("dram_read", "DRAM Read", {.title = "DRAM read", .width = 76}),
      percent("dram_write", "DRAM Write", {.title = "DRAM write", .width = 76}),
      percent("coverage", "Coverage", {.width = 72}),
      word("sample_limit", "Limited By", {.title = "Limited by", .width = 76}),
      text("sample_note", "Note", {.width = 166, .share = 0.5f}),

      // cpu_flat, cpu_stacks
      text("cpu_flat.function", "Function", {.width = 166, .share = 1}),
      number("cpu_flat.self", "Self", {.width = 72}),
      number("cpu_flat.total", "Total", {.width = 72}),
      text("cpu_stacks.stack", "Call Stack", {.title = "Call stack", .width = 166, .share = 1}),
      number("cpu_stacks.weight", "Weight", {.width = 72}),

      // memory_usage
      ascending(time("memory_usage.time_ns", "Time", {.width = 100})),
      word("memory_usage.device", "Device", {.width = 60}),
      word("memory_usage.kind", "Kind", {.width = 84}),
      word("memory_usage.operation", "Operation", {.width = 76}),
      in_unit(number("memory_usage.in_use_bytes", "In Use After",
                     {.title = "In use after", .width = 96}),
              aggregate::Unit::bytes),
      text("memory_usage.name", "Variable", {.width = 166, .share = 1}),

      // iteration_kernels, iteration_op_kernels
      ascending(time("kernel_timestamp", "API Start",
                     {.title = "API start", .metric = "kernel_api_start", .width = 100})),
      time("kernel_duration", "GPU Time", {.title = "GPU time", .metric = "kernel_duration"}),
      word("grid", "Grid", {.width = 96}),
      word("block", "Block", {.width = 80}),

      // iteration_ops
      count("iteration_ops.total_count", "Launches", {.metric = "kernel_launches", .width = 64}),
      count("tc_count", "TC Launches",
            {.title = "TC launches", .metric = "kernel_launches", .width = 80}),
      time("iteration_ops.total_gpu_time", "Kernel Time",
           {.title = "Kernel time", .metric = "kernel_gpu_time"}),
      time("tc_gpu_time", "TC Kernel Time",
           {.title = "TC kernel time", .metric = "kernel_gpu_time_tensor_core", .width = 84}),

      // iterations_profiled, iterations_all
      ascending(time("start_time", "Start", {.metric = "iteration_start", .width = 100})),
      ascending(time("stop_time", "Stop")),
      time("iterations_profiled.duration", "Duration", {.metric = "iteration_duration"}),
      count("total_kernel_count", "Kernels Launched",
            {.title = "Launches", .metric = "kernel_launches", .width = 64}),
      count("using_tc_kernel_count", "TC Kernels Launched",
            {.title = "TC launches", .metric = "kernel_launches", .width = 80}),
      time("tc_duration", "TC Kernels",
           {.title = "TC time", .metric = "breakdown_tensor_core_kernels", .width = 92}),
      time("non_tc_duration", "Other Kernels"),
      time("memory_duration", "Memory"),
      time("dataloader_duration", "Data Loader"),
      time("io_duration", "I/O"),
      time("cpu_duration", "CPU"),
      time("other_duration", "Other"),
      // Columns that the screen adds to the view's own.
      time("iterations_profiled.gpu_time", "GPU Time",
           {.title = "GPU time", .metric = "iteration_gpu_time", .width = 92}),
      percent("gpu_share", "GPU Time of the Iteration", {.title = "GPU share"}),
      percent("tc_share", "TC GPU Time of the Iteration", {.title = "TC share"}),
      time("launched_time", "GPU Time of Launched Kernels",
           {.title = "Launched GPU time", .metric = "launched_kernel_time", .width = 124}),
      text("range", "Marker", {.width = 96}),
      time("range_time", "Marker Time",
           {.title = "Marker time", .metric = "iteration_range", .width = 84}),

      // gpu_devices, gpu_names
      text("gpu_name", "Name", {.width = 220}),
      number("cuda_major", "Compute Capability, Major"),
      number("cuda_minor", "Compute Capability, Minor"),
      // On screen: the first instead of the two, the others as well.
      word("compute_capability", "Compute Capability",
           {.title = "Compute capability", .width = 116}),
      time("device_kernel_time", "Time with a Kernel Running",
           {.title = "Kernel time", .metric = "device_utilization", .width = 92}),
      count("device_launches", "Kernel Launches",
            {.title = "Launches", .metric = "kernel_launches"}),
      count("sm_count", "SMs", {.width = 56}),
      percent("device_gpu_utilization", "GPU Utilization",
              {.title = "Utilization", .metric = "device_utilization", .share = 1}),

      // idle_gaps
      time("idle_gaps.duration", "Duration", {.title = "Idle gap", .metric = "idle_gap"}),
      ascending(time("idle_gaps.start", "Start", {.metric = "idle_gap", .width = 100})),
      word("cause", "Host Activity",
           {.title = "Host activity", .metric = "gap_cause", .width = 112}),
      time("cause_time", "Host Activity Time",
           {.title = "Activity time", .metric = "gap_cause", .width = 84}),
      text("idle_gaps.op_node_name", "Op Name", {.title = "Op", .width = 166, .share = 1}),
      text("idle_gaps.api_call", "Call", {.title = "API call", .width = 120, .share = 0.3f}),
      time("asleep_time", "Host Asleep"),
      text("busy_thread", "Busy Thread", {.title = "Busy thread", .width = 84}),
      time("busy_time", "Busy Time", {.title = "Busy for", .width = 76}),
      text("busy_in", "Busy In", {.title = "Busy in", .width = 166, .share = 1}),
      text("next_name", "Next Activity", {.title = "Next activity", .width = 166, .share = 1}),
      // Identifies a gap.
      text("gap", "Gap"),

      // exclusive_times
      word("part", "Part"),
      text("exclusive_times.activity", "Kernel, Call or Idle Cause"),
      time("exclusive_time", "Exclusive Time", {.metric = "exclusive_time"}),
      percent("exclusive_pct", "Share of the Range", {.metric = "exclusive_time"}),
      time("overlapped_time", "Overlapped Time", {.metric = "overlapped_time"}),

      // what_if
      text("change", "If"),
      text("change_id", "Change"),
      time("gain_at_most", "Gain at Most", {.metric = "what_if_gain"}),
      percent("gain_at_most_pct", "Gain at Most, Share", {.metric = "what_if_gain"}),
      time("iteration_now", "Mean Iteration", {.metric = "mean_iteration"}),
      time("iteration_at_least", "New Iteration, at Least", {.metric = "what_if_bounds"}),
      time("iteration_at_most", "New Iteration, at Most", {.metric = "what_if_bounds"}),

      // findings, finding_checks, finding_places
      word("detector", "Detector"),
      text("problem", "Problem"),
      text("recommendation", "Recommendation"),
      count("count", "Count"),
      time("total_time", "Total Time"),
      percent("range_pct", "Share of the Range"),
      time("findings.stake", "Potential Savings per Iteration"),
      text("stake_basis", "Savings Basis"),
      text("threshold", "Threshold"),
      time("median_stake", "Median of the Iterations"),
      count("iterations", "Affected Iterations"),
      word("worst_iterations", "Worst Iterations"),
      word("thread", "Thread"),
      word("part_of", "Part of"),
      text("title", "Check"),
      percent("value_pct", "Measured"),
      flag("found", "Found"),
      text("not_checked", "Not Checked"),
      ascending(time("finding_places.start", "Start")),
      time("finding_places.stake", "Potential Savings"),
      text("finding_places.api_call", "API Call"),
      percent("busy_pct", "GPU Busy"),
      word("host_cause", "Host Activity"),

      // kernel_summary
      time("kernel_summary.total_gpu_time", "All Kernels GPU Time"),
      count("kernel_summary.total_count", "Kernel Names"),
      time("using_tc_gpu_time", "Kernels Using TC GPU Time"),
      count("using_tc_count", "Names of Kernels Using TC"),
      time("memory_gpu_time", "Memory GPU Time"),
      count("memory_count", "Names of Memory Operations"),
      time("other_gpu_time", "Other Kernels GPU Time"),
      count("other_count", "Names of Other Kernels"),

      // op_summary
      time("nodes_total_gpu_time", "All Ops GPU Time"),
      count("nodes_total_count", "All Ops Count"),
      time("nodes_using_tc_gpu_time", "Ops Using TC GPU Time"),
      count("nodes_using_tc_count", "Ops Using TC Count"),
      time("nodes_tc_eligible_gpu_time", "Eligible Ops Not Using TC GPU Time"),
      count("nodes_tc_eligible_count", "Eligible Ops Not Using TC Count"),
      time("nodes_other_gpu_time", "Other Ops GPU Time"),
      count("nodes_other_count", "Other Ops Count"),

      // performance_summary, tc_utilization, domain_model_gpu_utilization
      time("wall_clock_time", "Wall Clock Time"),
      percent("tc_utilization", "Tensor Core Efficiency"),
      percent("tc_utilization_known", "Known Part of Kernel Time"),
      percent("gpu_utilization", "GPU Utilization"),
      count("total_iterations", "Total Iterations"),
      count("profiled_iterations", "Profiled Iterations"),
      ascending(number("iter_start", "Start Iteration")),
      ascending(number("iter_stop", "Stop Iteration")),
      average("iter_avg", "Average Iteration Time"),
      text("key_node", "Iteration Marker"),

      // resource_usage_breakdown
      percent("tc_duration_pct", "TC Kernels"),
      percent("non_tc_duration_pct", "Other Kernels"),
      percent("memory_duration_pct", "Memory"),
      percent("dataloader_duration_pct", "Data Loader"),
      percent("io_duration_pct", "I/O"),
      percent("cpu_duration_pct", "CPU"),
      percent("other_duration_pct", "Other"),

      // aggregations, key_op_name
      count("iter_aggregated", "Iterations"),
      text("key_node_name", "Iteration Marker"),
      text("user_name", "User"),
      text("host_name", "Host"),
      text("aggr_start", "Started"),
      text("aggr_end", "Ended"),
      text("key_op", "Iteration Marker"),

      // torch_tb_overview, torch_tb_steps: figures by the definitions of the TensorBoard plugin
      text("figure", "Figure"),
      average("figure_time", "Time"),
      percent("figure_pct", "Share"),
      text("note", "Note"),
      word("step", "Step"),
      ascending(time("torch_tb_steps.start", "Start")),
      ascending(time("torch_tb_steps.stop", "Stop")),
      time("step_kernel", "Kernel"),
      time("step_memcpy", "Memcpy"),
      time("step_memset", "Memset"),
      time("step_communication", "Communication"),
      time("step_runtime", "Runtime"),
      time("step_data_loader", "DataLoader"),
      time("step_cpu_exec", "CPU Exec"),
      time("step_other", "Other"),

      // expert_systems
      text("javascript_function", "Action"),
      text("javascript_args", "Action's Arguments"),

      // db_version, system_config
      word("current_version", "Version"),
      word("original_version", "Original Version"),
      flag("is_valid", "Valid"),
      word("num_gpus", "GPUs"),
      word("cpu_model", "CPU Model"),
      word("driver_version", "GPU Driver Version"),
      word("framework", "Framework"),
      word("cuda_version", "CUDA Version"),
      word("cudnn_version", "cuDNN Version"),
      word("nsys_version", "Nsight Systems Version"),
      word("dlprof_version", "DLProf Version"),
      word("dlprof_build", "DLProf Build"),
      word("profile_name", "Profile Name"),
      word("mode_string", "Mode"),
      word("original_command", "Command Line"),

      // Differences of two iterations, by op and by kernel. On screen, the titles contain the
      // numbers of the iterations.
      text("op_id", "Op ID"),
      text("op_name", "Op name", {.width = 180, .share = 1}),
      text("op_type", "Op type", {.width = 110, .share = 0.3f}),
      word("time", "CPU/GPU", {.width = 72}),
      text("differences.kernel_name", "Kernel name", {.width = 180, .share = 1}),
      time("ns", "Time", {.width = 92}),
      time("against_ns", "Other time", {.width = 92}),
      time("difference_ns", "Difference", {.width = 92}),
      count("differences.calls", "Calls", {.width = 84}),
      count("against_calls", "Other calls", {.width = 84}),
      count("launches", "Launches", {.width = 96}),
      count("against_launches", "Other launches", {.width = 96}),
      count("only_in", "Runs only in", {.width = 88}),

      // Comparison of two runs: waterfall, op_changes, kernel_changes, op_matches, verdict,
      // checks. Times and calls are per iteration and GPU.
      word("run_comparison.level", "Level"),
      word("run_comparison.change", "Change", {.width = 96}),
      word("stack_part", "Part", {.width = 132}),
      text("changed_name", "Name", {.width = 200, .share = 1}),
      text("op_before", "Op before", {.width = 160, .share = 1}),
      text("op_after", "Op after", {.width = 160, .share = 1}),
      text("kernel_before", "Kernel before", {.width = 160, .share = 1}),
      text("kernel_after", "Kernel after", {.width = 160, .share = 1}),
      word("matched_by", "Matched by", {.width = 84}),
      real("before_calls", "Calls before", {.metric = "compared_calls", .width = 84}),
      real("after_calls", "Calls after", {.metric = "compared_calls", .width = 84}),
      time("before_ns", "Before", {.width = 92}),
      time("after_ns", "After", {.width = 92}),
      percent("share_of_difference", "Share of difference", {.width = 84}),
      percent("median_change_pct", "Change of median", {.width = 84}),
      percent("interval_low_pct", "Interval, low", {.width = 84}),
      percent("interval_high_pct", "Interval, high", {.width = 84}),
      real("q_value", "q", {.width = 64}),
      time("overlapped_before_ns", "Overlapped before", {.width = 92}),
      time("overlapped_after_ns", "Overlapped after", {.width = 92}),
      time("by_calls_ns", "Of it by calls", {.width = 92}),
      time("by_time_per_call_ns", "Of it by time per call", {.width = 92}),
      text("changed_row", "Row"),
      word("run_comparison.verdict", "Verdict"),
      real("p_value", "p", {.width = 64}),
      percent("floor_pct", "Floor between runs", {.width = 84}),
      word("floor_source", "Floor is"),
      count("slower_ops", "Slower ops", {.width = 84}),
      count("faster_ops", "Faster ops", {.width = 84}),
      text("verdict_text", "In words"),
      word("check", "Check"),
      word("check_level", "Level"),
      text("check_text", "Finding"),
  });
}();

void no_column_has_this_key();  // never defined: what the compiler names when a ColumnId is wrong

// A declared column, named by its key.
class ColumnId {
 public:
  consteval ColumnId(const char* key) : spec_(&declared(key)) {}
  constexpr explicit ColumnId(const ColumnSpec& declared) : spec_(&declared) {}

  constexpr const ColumnSpec& spec() const { return *spec_; }
  constexpr std::string_view text() const { return spec_->id(); }
  friend constexpr bool operator==(const ColumnId&, const ColumnId&) = default;

 private:
  static constexpr const ColumnSpec& declared(std::string_view key) {
    for (const ColumnSpec& column : kColumns) {
      if (column.key == key) return column;
    }
    no_column_has_this_key();
    return kColumns[0];
  }

  const ColumnSpec* spec_;
};

// The id of a column of any table: a declared column, or a text from the user or from a report of
// another tool. Refers to that text.
class ColumnName {
 public:
  consteval ColumnName(const char* key) : text_(ColumnId(key).text()) {}
  constexpr ColumnName(ColumnId id) : text_(id.text()) {}
  constexpr ColumnName() = default;
  constexpr explicit ColumnName(std::string_view text) : text_(text) {}

  constexpr std::string_view text() const { return text_; }
  constexpr bool empty() const { return text_.empty(); }

 private:
  std::string_view text_;
};

// A column with the declared title, unit, kind and sorting.
Column column(ColumnId id, std::function<Cell(std::size_t row)> cell);

}  // namespace dlview::report
