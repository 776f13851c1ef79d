// Collectives, memory, and samples of GPUs and CPUs.
#pragma once

#include <array>

#include "report/columns/column_spec.h"

namespace dlview::report::columns {

inline constexpr auto kActivityColumns = std::to_array<ColumnSpec>({
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
    in_unit(
        number("memory_usage.in_use_bytes", "In Use After", {.title = "In use after", .width = 96}),
        aggregate::Unit::bytes),
    text("memory_usage.name", "Variable", {.width = 166, .share = 1}),
});

}  // namespace dlview::report::columns
