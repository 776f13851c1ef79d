// Ops, kernels, modules, operators and call stacks, and what many tables have.
#pragma once

#include <array>

#include "report/columns/column_spec.h"

namespace dlview::report::columns {

inline constexpr auto kOpColumns = std::to_array<ColumnSpec>({
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
});

}  // namespace dlview::report::columns
