// Metrics of the range, its iterations and their marker.
#pragma once

#include <array>

#include "aggregate/metric.h"

namespace dlview::aggregate::metric_list {

inline constexpr std::array kRunMetrics{
    Metric{"wall_time", "Wall clock time", Unit::ns, Accounting::none,
           "Stop of the last iteration of the range minus the start of the first.",
           "iteration_list", false},
    Metric{"range_time", "Duration of the range", Unit::ns, Accounting::sum,
           "Sum of the durations (stop - start) of the iterations in the range. It is the 100% of "
           "every share and utilization.",
           "iteration_list", false},
    Metric{"average_iteration", "Average iteration time", Unit::ns, Accounting::mean,
           "Wall clock time divided by the number of iterations in the range.", "iteration_list",
           false},
    Metric{"iteration_deviation", "Standard deviation", Unit::ns, Accounting::none,
           "Population standard deviation of the durations of the range's iterations.",
           "iteration_list", false},
    Metric{"median_iteration", "Median iteration time", Unit::ns, Accounting::none,
           "Median of the durations of the range's iterations (nearest rank).", "iteration_list",
           false},
    Metric{"total_iterations", "Total iterations", Unit::count, Accounting::none,
           "Instances of the iteration marker plus one, because the run begins before the first "
           "instance. If NVTX ranges or annotations mark iterations, each one is an iteration.",
           "iteration_list", false},
    Metric{"profiled_iterations", "Iterations in the range", Unit::count, Accounting::none,
           "Stop - start + 1. DLProf calls them profiled iterations.", "iteration_list", false},
    Metric{"start_iteration", "Start iteration", Unit::none, Accounting::none,
           "First iteration of the range, included.", "iteration_list", false},
    Metric{"stop_iteration", "Stop iteration", Unit::none, Accounting::none,
           "Last iteration of the range, included.", "iteration_list", false},
    Metric{"iteration_start", "Start of an iteration", Unit::ns, Accounting::none,
           "Time since the beginning of the capture. If the host splits the run, an iteration "
           "begins at the start of its marker or, if split at ends, after the end of the previous "
           "marker. Iteration 0 begins with the capture. If the GPU splits the run, an iteration "
           "begins only after the main stream has finished the kernels of earlier iterations.",
           "iteration_list", false},
    Metric{"iteration_duration", "Duration of an iteration", Unit::ns, Accounting::none,
           "Stop minus start. Consecutive iterations are 1 ns apart.", "iteration_list", false},
    Metric{"iteration_range", "Time of the iteration marker", Unit::ns, Accounting::none,
           "Stop minus start of the NVTX range or annotation that marks the iteration. The "
           "iteration itself lasts until the next one begins. If the GPU splits the run, it is the "
           "time from the first to the last kernel launched in the iteration.",
           "NVTX_EVENTS", false},
    Metric{"iteration_gpu_time", "GPU time of an iteration", Unit::ns, Accounting::exclusive,
           "Time in the iteration in which any kernel ran, whichever iteration launched it. Mean "
           "over all GPUs (in an export: those with any GPU activity), or over the GPUs that match "
           "the filters. The share is relative to the duration of the iteration.",
           "read_only_kernels, read_only_gpu_infos"},
    Metric{"launched_kernel_time", "GPU time of launched kernels", Unit::ns, Accounting::sum,
           "Sum of the durations of the kernels that an iteration launched, whenever they ran. If "
           "the host runs ahead, many of them run in later iterations.",
           "read_only_kernels"},
    Metric{
        "steady_range", "Steady state", Unit::none, Accounting::none,
        "The longest range without outliers that begins and ends with five consecutive iterations "
        "near the median duration. Near: within 10% or three median absolute deviations, whichever "
        "is larger, at most 25%. Among equally long ranges, it is the last.",
        "iteration_list", false},
    Metric{"typical_iteration", "Typical iteration", Unit::none, Accounting::none,
           "The iteration of the steady state whose resource usage is nearest to the median of "
           "every category. Without a steady state, it is chosen from the whole run. It is a real "
           "iteration, not an average.",
           "iteration_list, read_only_op_instances, read_only_kernels, read_only_memcpys, "
           "read_only_memsets",
           false},
    Metric{
        "outlier", "Outlier", Unit::none, Accounting::none,
        "An iteration whose duration differs from the median by more than 25% and by more than "
        "five median absolute deviations. Its class is what differs most from the typical "
        "iteration: exposed communication, memory operations, kernels, or GPU idle. Kernels are "
        "divided into clocks (all change alike), kernel count and kernel durations. GPU idle is "
        "divided by host activity: data loading, synchronization, host busy, checkpoint or I/O. "
        "Warm-up comes before the steady state. Start-up and little work: less than a quarter of "
        "the typical kernel count. Host ran ahead: less than a quarter of the typical time.",
        "iteration_list, read_only_op_instances, read_only_kernels, read_only_memcpys, "
        "read_only_memsets",
        false},
    Metric{"iteration_difference", "Difference of two iterations", Unit::ns, Accounting::exclusive,
           "Time of each category in one iteration minus its time in the other.",
           "read_only_op_instances, read_only_kernels, read_only_memcpys, read_only_memsets",
           false},
    Metric{"op_difference", "Difference of an op", Unit::ns, Accounting::none,
           "GPU time or CPU time of the op in one iteration minus that in the other, whichever "
           "differs more, summed over instances. For GPU idle: the time in which neither a kernel "
           "nor a memory operation runs, mean over GPUs.",
           "read_only_op_instances, read_only_kernels, read_only_memcpys, read_only_memsets",
           false},
    Metric{"kernel_difference", "Difference of a kernel", Unit::ns, Accounting::sum,
           "Sum of the durations of all kernels of this name in one iteration minus that in the "
           "other.",
           "read_only_kernels", false},
    Metric{"compared_calls", "Calls of two runs", Unit::count, Accounting::mean,
           "Calls of the op, or launches of the kernel or memory operation, divided by iterations "
           "and by the GPUs with activity in the range.",
           "read_only_op_instances, read_only_kernels, read_only_memcpys, read_only_memsets",
           false},
    Metric{"key_op_score", "Score of an iteration marker", Unit::percent, Accounting::none,
           "Likelihood that the marker is a step, by its name, kernels and times. Lower for "
           "epochs, warm-up steps, helper threads, nested ranges and API calls. An export "
           "or a PyTorch trace opens split at the best marker if it scores 30% or more.",
           "read_only_op_instances, read_only_ops", false},
    Metric{"key_op_instances", "Instances of an iteration marker", Unit::count, Accounting::none,
           "Number of instances on the thread with the most of them. A marker with several "
           "instances per step splits each step.",
           "read_only_op_instances", false},
    Metric{"key_op_period", "Period of an iteration marker", Unit::ns, Accounting::none,
           "Median time between consecutive starts.", "read_only_op_instances", false},
    Metric{"key_op_regularity", "Regularity of an iteration marker", Unit::percent,
           Accounting::none,
           "100% minus the sum of all deviations from the period, as % of the sum of all times "
           "between starts.",
           "read_only_op_instances", false},
    Metric{
        "key_op_coverage", "Coverage of an iteration marker", Unit::percent, Accounting::none,
        "Share of the run from the first start of the marker to one period after its last start. "
        "The run of an export begins with its first kernel and excludes warm-up ranges.",
        "read_only_op_instances", false},
};

}  // namespace dlview::aggregate::metric_list
