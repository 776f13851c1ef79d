// Iterations, GPUs, idle gaps, findings and the whole run.
#pragma once

#include <array>

#include "report/columns/column_spec.h"

namespace dlview::report::columns {

inline constexpr auto kRunColumns = std::to_array<ColumnSpec>({
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
    word("compute_capability", "Compute Capability", {.title = "Compute capability", .width = 116}),
    time("device_kernel_time", "Time with a Kernel Running",
         {.title = "Kernel time", .metric = "device_utilization", .width = 92}),
    count("device_launches", "Kernel Launches", {.title = "Launches", .metric = "kernel_launches"}),
    count("sm_count", "SMs", {.width = 56}),
    percent("device_gpu_utilization", "GPU Utilization",
            {.title = "Utilization", .metric = "device_utilization", .share = 1}),

    // idle_gaps
    time("idle_gaps.duration", "Duration", {.title = "Idle gap", .metric = "idle_gap"}),
    ascending(time("idle_gaps.start", "Start", {.metric = "idle_gap", .width = 100})),
    word("cause", "Host Activity", {.title = "Host activity", .metric = "gap_cause", .width = 112}),
    time("cause_time", "Host Activity Time",
         {.title = "Activity time", .metric = "gap_cause", .width = 84}),
    text("idle_gaps.op_node_name", "Op or Host Range",
         {.title = "Op or host range", .width = 166, .share = 1}),
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
});

}  // namespace dlview::report::columns
