// The numbers on screen, declared once: what each is called, how it is computed and from which
// rows. Tooltips, `dlview definitions` and docs/definitions.md read these declarations.
#pragma once

#include <array>

#include "aggregate/metric.h"

namespace dlview::aggregate {

// In the order of the sections of definitions.h.
inline constexpr std::array kMetrics{
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
    Metric{"gpu_utilization", "GPU utilization", Unit::percent, Accounting::union_,
           "Time in which at least one kernel ran on a GPU, divided by the duration of the range. "
           "Mean over all GPUs (in an export: those with any GPU activity), or over the GPUs that "
           "match the filters. Memory operations do not count.",
           "read_only_kernels, read_only_gpu_infos"},
    Metric{"gpu_utilization_used", "GPU utilization, used GPUs", Unit::percent, Accounting::union_,
           "GPU utilization as the mean over the GPUs that ran a kernel in the range.",
           "read_only_kernels, read_only_gpu_infos"},
    Metric{
        "gpu_idle", "No kernel running", Unit::percent, Accounting::union_,
        "100% minus GPU utilization. Memory operations count as idle here, unlike in the finding "
        "GPU idle.",
        "read_only_kernels, read_only_gpu_infos"},
    Metric{
        "device_utilization", "Utilization of a GPU", Unit::percent, Accounting::union_,
        "Time in which at least one kernel ran on this GPU, divided by the duration of the range.",
        "read_only_kernels, read_only_gpu_infos"},
    Metric{
        "idle_gap", "Idle gap", Unit::ns, Accounting::none,
        "Time between two activities of a GPU (kernels, memcpys or memsets of any process) in "
        "which it is idle. It lies entirely in the range. The time before the first activity and "
        "after the last is not a gap: the capture does not show when the GPU became idle. The "
        "finding GPU idle counts it, and names what the host did before the first activity if "
        "that took longer than the gaps.",
        "read_only_kernels, read_only_memcpys, read_only_memsets"},
    Metric{
        "gap_cause", "Cause of an idle gap", Unit::none, Accounting::exclusive,
        "The host activity that takes most of the gap, in the thread that launches the GPU "
        "activity at its end: synchronization, another CUDA API call, data loading, OS call, "
        "asleep, op, host range (NVTX range or annotation), nothing recorded, or launch latency. "
        "\"Already launched\": the launch came before the gap.",
        "read_only_kernels, read_only_memcpys, read_only_memsets, read_only_cuda_syncs, "
        "read_only_cuda_calls, read_only_op_instances"},
    Metric{"breakdown", "Resource usage", Unit::percent, Accounting::exclusive,
           "Each instant belongs to the first active category: Tensor Core kernels, other kernels, "
           "memory, data loader, I/O, CPU, other. Mean over all GPUs (in an export: those with any "
           "GPU activity), or over the GPUs that match the filters. Shares are relative to the "
           "duration of the range.",
           "read_only_kernels, read_only_memcpys, read_only_memsets, read_only_op_instances"},
    Metric{"breakdown_tensor_core_kernels", "Tensor Core kernels", Unit::ns, Accounting::exclusive,
           "Time in which a kernel that uses Tensor Cores ran.", "read_only_kernels"},
    Metric{"breakdown_other_kernels", "Other kernels", Unit::ns, Accounting::exclusive,
           "Time in which kernels ran, none of them known to use Tensor Cores. Kernels whose use "
           "of Tensor Cores is unknown count here. Exposed communication counts here only where it "
           "has no row of its own.",
           "read_only_kernels"},
    Metric{"breakdown_memory", "Memory", Unit::ns, Accounting::exclusive,
           "Time in which a memcpy or memset ran and no kernel.",
           "read_only_memcpys, read_only_memsets"},
    Metric{"breakdown_data_loader", "Data loader", Unit::ns, Accounting::exclusive,
           "Time in the data loader while the GPU is idle: in ops of type DataLoader and, in an "
           "export or a trace, in what PyTorch runs inside them.",
           "read_only_op_instances", false},
    Metric{
        "breakdown_io", "I/O", Unit::ns, Accounting::exclusive,
        "Time in which a thread that launches GPU activity reads or writes, while the GPU is idle "
        "and no data is loaded. An export needs OS runtime tracing (osrt). A DLProf database "
        "has it only for the range of a stored aggregation.",
        "iteration_aggregation_list", false},
    Metric{"breakdown_cpu", "CPU", Unit::ns, Accounting::exclusive,
           "Time in any op on any thread while the GPU is idle, without data loading and I/O.",
           "read_only_op_instances", false},
    Metric{"breakdown_other", "Other", Unit::ns, Accounting::exclusive,
           "The remaining time: nothing that was recorded ran. With filters, nothing that matches "
           "them ran.",
           "iteration_list"},
    Metric{"communication", "Communication", Unit::ns, Accounting::union_,
           "Time in which a communication kernel ran (NCCL and others, recognized by name). In "
           "tables its kernels count in their category; charts show the exposed part apart. Mean "
           "over all "
           "GPUs (in an export: those with any GPU activity), or over the GPUs that match the "
           "filters. The share is relative to the duration of the range.",
           "read_only_kernels"},
    Metric{"communication_exposed", "Exposed communication", Unit::ns, Accounting::union_,
           "The part of communication in which no other kernel ran on the same GPU. Copies do not "
           "count as overlap. With filters, only kernels that match them count, and only they "
           "overlap.",
           "read_only_kernels"},
    Metric{"communication_overlapped", "Overlapped communication", Unit::ns, Accounting::union_,
           "The part of communication in which another kernel ran on the same GPU.",
           "read_only_kernels"},
    Metric{"collective_calls", "Calls of a collective", Unit::count, Accounting::none,
           "Host events that start in the range: record_param_comms, or an annotation such as "
           "nccl:all_reduce outside one. A communication kernel without a host event counts as a "
           "call of its own. Events without a name, message and GPU activity do not count: PyTorch "
           "before 2.2 writes them for wait().",
           "record_param_comms"},
    Metric{"collective_size", "Message size", Unit::bytes, Accounting::sum,
           "Elements times bytes per element, as in nccl-tests: the received buffer of all-gather "
           "and gather, the sent buffer of reduce-scatter and scatter, the larger buffer of all "
           "others. Empty if the trace has no elements or no data type.",
           "record_param_comms"},
    Metric{"collective_gpu_time", "GPU time of a collective", Unit::ns, Accounting::sum,
           "Sum of the durations of the GPU activities launched in its calls. It includes waiting "
           "for other ranks.",
           "record_param_comms, read_only_kernels"},
    Metric{"collective_exposed", "Exposed time of a collective", Unit::ns, Accounting::sum,
           "Time of its communication kernels in which no computation kernel ran on the same GPU. "
           "Copies do not count as overlap. With filters, only kernels that match them count, and "
           "only they overlap. The share is relative to the time of these kernels.",
           "record_param_comms, read_only_kernels"},
    Metric{"algorithm_bandwidth", "Algorithm bandwidth", Unit::bytes_per_second, Accounting::mean,
           "Message size divided by the time of the communication kernels. Only calls with both "
           "count. The time includes waiting for other ranks, so this is a lower bound.",
           "record_param_comms, read_only_kernels"},
    Metric{"bus_bandwidth", "Bus bandwidth", Unit::bytes_per_second, Accounting::mean,
           "Algorithm bandwidth times the factor of nccl-tests for n ranks. It is comparable with "
           "the bandwidth of the links. All-reduce: 2(n-1)/n. All-gather, reduce-scatter, "
           "all-to-all, gather, scatter: (n-1)/n. Broadcast, reduce, send and receive: 1. Empty "
           "for fewer than two ranks.",
           "record_param_comms, read_only_kernels"},
    Metric{"memory_allocated", "Allocated and freed memory", Unit::bytes, Accounting::sum,
           "Sums of the allocator events of PyTorch in the range. An event belongs to the op that "
           "runs on its thread at that time, or to none.",
           "[memory]"},
    Metric{"memory_increase", "Size increase", Unit::bytes, Accounting::sum,
           "Allocated minus freed memory of the op. Memory that one op allocates and another one "
           "frees counts as an increase of the first.",
           "[memory]"},
    Metric{
        "memory_peak", "Peak of allocated memory", Unit::bytes, Accounting::none,
        "Largest total of allocated memory in the range, as the events record it. If they record "
        "no total (PyTorch before 1.10), dlview adds them up from the beginning of the capture.",
        "[memory]", false},
    Metric{"memory_reserved", "Reserved memory", Unit::bytes, Accounting::none,
           "Memory that the allocator has reserved on the device, allocated or cached. The peak is "
           "that of the range.",
           "[memory]", false},
    Metric{"memory_lifetime", "Lifetime of a block", Unit::ns, Accounting::none,
           "Time from the allocation to the next event of the device with the same address. Empty "
           "if none follows.",
           "[memory]", false},
    Metric{"memory_holders", "Memory held at the peak", Unit::bytes, Accounting::sum,
           "Blocks alive at the peak, by the op that allocated them. The remainder was allocated "
           "before the capture began.",
           "[memory]", false},
    Metric{"mean_iteration", "Mean iteration", Unit::ns, Accounting::mean,
           "Duration of the range divided by its number of iterations.", "iteration_list", false},
    Metric{"exclusive_time", "Exclusive time", Unit::ns, Accounting::exclusive,
           "Each instant of a GPU belongs to one part: Tensor Core kernels, other kernels, exposed "
           "communication, memory, data loader, I/O, CPU, other. Within a GPU part it belongs to "
           "the event that began first of those that run. Within data loader and CPU, to the op on "
           "the iteration marker's thread, else on the lowest thread that runs one. Idle "
           "time is also divided by the cause of the gap.",
           "read_only_kernels, read_only_memcpys, read_only_memsets, read_only_op_instances",
           false},
    Metric{"overlapped_time", "Overlapped time", Unit::ns, Accounting::sum,
           "Durations of GPU events in the range minus their exclusive time: what belongs to other "
           "events or parts.",
           "read_only_kernels, read_only_memcpys, read_only_memsets", false},
    Metric{"what_if_gain", "Gain at most", Unit::ns, Accounting::exclusive,
           "Exclusive time that the changes save, mean over the GPUs. A speedup of F saves "
           "1 - 1/F of it, or more where an event overlaps one that began earlier. A speedup "
           "of an op scales all time that belongs to the op: its kernels and memory operations, "
           "and the GPU idle time in which it runs on the host. An instant is saved once, by the "
           "change that saves most. It is an upper bound, not a forecast: other activity may fill "
           "the time saved.",
           "read_only_kernels, read_only_memcpys, read_only_memsets, read_only_op_instances",
           false},
    Metric{"what_if_bounds", "New iteration time", Unit::ns, Accounting::none,
           "At least: the mean iteration minus the gain. At most: the mean iteration minus the "
           "least that the changes save, on the GPU that saves least. Time in which other GPU "
           "activity runs is not saved, and what is left of a faster event stays where it runs "
           "alone. It is not below the time in which the host runs ops and does not wait, and "
           "never above the mean iteration of the file. All else keeps its place.",
           "read_only_kernels, read_only_memcpys, read_only_memsets, read_only_op_instances, "
           "read_only_cuda_syncs",
           false},
    Metric{"tensor_core_efficiency", "Tensor Core efficiency", Unit::percent, Accounting::sum,
           "GPU time of Tensor Core kernels divided by the GPU time of all kernels of ops that are "
           "eligible or use Tensor Cores. 100%: eligible ops run only Tensor Core kernels. Ops of "
           "unknown eligibility count only if they use Tensor Cores; kernels of unknown use do not "
           "count. The share of the kernel time that the efficiency covers is then shown next to "
           "it.",
           "read_only_kernels, read_only_ops"},
    Metric{"tensor_core_missed", "Kernels without Tensor Cores", Unit::ns, Accounting::sum,
           "GPU time of kernels without Tensor Cores, in ops that are eligible or use Tensor Cores "
           "in other kernels.",
           "read_only_kernels, read_only_ops"},
    Metric{"tensor_core_untold", "Kernel time of unknown eligibility", Unit::ns, Accounting::sum,
           "GPU time of the kernels of ops that use no Tensor Cores and whose eligibility is "
           "unknown. The efficiency does not count it.",
           "read_only_kernels, read_only_ops"},
    Metric{"tensor_core_eligible", "TC eligible", Unit::none, Accounting::none,
           "The op's type can use Tensor Cores, regardless of its shapes and data type.",
           "read_only_ops.tc_support_status", false},
    Metric{"tensor_core_using", "Using TC", Unit::none, Accounting::none,
           "At least one kernel that the op launched in the range uses Tensor Cores, by its name. "
           "Unknown (?) if none does, but the use of at least one of them is unknown.",
           "read_only_kernels.uses_tc"},
    Metric{"tensor_core_rules", "Tensor Core classification", Unit::none, Accounting::none,
           "Whether a kernel uses Tensor Cores, by its name and the generation of the GPU: yes, no "
           "or unknown. DLProf stored its own answer, from the kernel names of 2021. dlview's "
           "rules also cover later libraries.",
           "read_only_kernels.uses_tc, read_only_kernels.long_name_id", false},
    Metric{"op_gpu_time", "GPU time of an op", Unit::ns, Accounting::union_,
           "Time in which at least one kernel, memcpy or memset of an instance ran, summed over "
           "its GPUs and over instances.",
           "read_only_kernels, read_only_memcpys, read_only_memsets"},
    Metric{"gpu_time_per_iteration", "GPU time per iteration", Unit::ns, Accounting::mean,
           "GPU time, summed over GPUs, divided by the number of iterations in the range.",
           "read_only_kernels, read_only_memcpys, read_only_memsets, iteration_list"},
    Metric{"gpu_time_share", "Share of GPU time", Unit::percent, Accounting::none,
           "GPU time divided by the GPU time of all ops in the range. In a table of kernels, it is "
           "divided by the time of all its kernels. Filters do not change this total.",
           "read_only_kernels, read_only_memcpys, read_only_memsets"},
    Metric{"gpu_time_over_iterations", "GPU time over iterations", Unit::ns, Accounting::mean,
           "GPU time in each iteration of the range, from 0 to the maximum of the row. With more "
           "than 40 iterations, a point is the mean of several.",
           "read_only_kernels, read_only_memcpys, read_only_memsets, iteration_list"},
    Metric{"op_self_time", "Self time", Unit::ns, Accounting::none,
           "Time of an NVTX range, annotation or module without those inside it. An op contains no "
           "other op, so its self time is its total time.",
           "read_only_op_instances, read_only_kernels, read_only_memcpys, read_only_memsets"},
    Metric{"op_total_time", "Total time", Unit::ns, Accounting::sum,
           "Self time of the row and of all ops inside it. The times of ops exclude each other, so "
           "no time counts twice.",
           "read_only_op_instances, read_only_kernels, read_only_memcpys, read_only_memsets"},
    Metric{"op_cpu_time", "CPU time of an op", Unit::ns, Accounting::sum,
           "Stop minus start of each instance on its thread, summed over instances.",
           "read_only_op_instances"},
    Metric{"op_overhead_time", "CPU overhead of an op", Unit::ns, Accounting::sum,
           "CPU time minus the durations of all CUDA API calls, summed over instances.",
           "read_only_op_instances, read_only_kernels, read_only_memcpys, read_only_memsets, "
           "read_only_cuda_syncs, read_only_cuda_calls"},
    Metric{"op_idle_time", "GPU idle of an op", Unit::ns, Accounting::sum,
           "Time from the first GPU start to the last GPU stop of an instance in which none of its "
           "GPU activities runs. Summed over GPUs and instances.",
           "read_only_kernels, read_only_memcpys, read_only_memsets"},
    Metric{"op_average", "Average, minimum and maximum of ops", Unit::ns, Accounting::none,
           "Mean, smallest and largest value of a single instance in the range.",
           "read_only_op_instances, read_only_kernels, read_only_memcpys, read_only_memsets"},
    Metric{"op_calls", "Calls", Unit::count, Accounting::none,
           "Number of instances of the op in the range. The self time of an NVTX range or "
           "annotation counts each stretch between the ranges inside it as a call.",
           "read_only_op_instances"},
    Metric{"unassociated_ops", "GPU activity outside every op", Unit::none, Accounting::none,
           "CUDA API calls outside every op, NVTX range and annotation, with the GPU activity that "
           "they "
           "launch. The op is called \"unassociated_\" plus the name of the call and, for some, of "
           "the kernel. \"unassociated_no_launch\" is GPU activity whose launch is not in the "
           "file, and has no CPU time.",
           "read_only_op_instances, read_only_kernels, read_only_memcpys, read_only_memsets, "
           "read_only_cuda_calls"},
    Metric{"stack_calls", "Calls of a Python function", Unit::count, Accounting::none,
           "Calls in the range, over all threads. A frame that is open from one "
           "iteration to the next counts once.",
           "python_function", false},
    Metric{"stack_cpu_time", "Wall time of a Python function", Unit::ns, Accounting::sum,
           "Total: sum of the durations of the frame's calls on the host, clipped to the host time "
           "of the range. It includes the time in which the thread waits or sleeps. In the table "
           "by name, recursive calls count once. Self: the part outside the frames that it calls.",
           "python_function", false},
    Metric{"stack_gpu_time", "GPU time of a Python function", Unit::ns, Accounting::sum,
           "Sum of the durations of the kernels of the range. A kernel belongs to the innermost "
           "frame open on the launching thread when the launch starts. Self: kernels that belong "
           "to the frame. Total: also those of the "
           "frames that it calls.",
           "python_function, read_only_kernels"},
    Metric{"module_calls", "Calls of a module", Unit::count, Accounting::none,
           "Number of calls of the nn.Module that begin in the range.", "python_function", false},
    Metric{
        "module_ops", "Ops of a module", Unit::count, Accounting::none,
        "Calls of ops that begin in the range and inside the nn.Module, without the backward pass.",
        "python_function, read_only_op_instances", false},
    Metric{"module_gpu_time", "GPU time of a module", Unit::ns, Accounting::sum,
           "Sum of the durations of kernels, memcpys and memsets. Forward: launched by a call that "
           "begins in the nn.Module. Backward: launched by an op of the backward pass whose "
           "forward op begins in the nn.Module, including recomputation. Total: forward and "
           "backward. Self: without the modules inside.",
           "python_function, read_only_kernels, read_only_memcpys, read_only_memsets"},
    Metric{"module_cpu_time", "CPU time of a module", Unit::ns, Accounting::sum,
           "Total: sum of the durations of the calls that begin in the range. Recursive calls "
           "count once. Self: the part in which no module inside runs.",
           "python_function", false},
    Metric{
        "operator_calls", "Calls of an operator", Unit::count, Accounting::none,
        "Number of ops or annotations of the row that begin in the range, at any nesting level. "
        "Rows are names, or names split by input shape, Python call stack or the ops around. The "
        "call stack is the one recorded with the op (traces until 2022), otherwise the Python "
        "frames open at its start, without internal frames.",
        "read_only_ops", false},
    Metric{"operator_cpu_time", "CPU time of an operator", Unit::ns, Accounting::sum,
           "Total: sum of the durations of its calls; recursive calls count once. Self: the "
           "durations minus those of the ops and annotations directly inside.",
           "read_only_ops", false},
    Metric{"operator_api_time", "API time of an operator", Unit::ns, Accounting::sum,
           "Sum of the durations of the CUDA API calls that begin in the operator, outside the ops "
           "and annotations inside it.",
           "read_only_ops, read_only_cuda_calls", false},
    Metric{"operator_gpu_time", "GPU time of an operator", Unit::ns, Accounting::sum,
           "Sum of the durations of kernels, memcpys and memsets. Self: launched by a call that "
           "begins in the operator, outside the ops and annotations inside it. Total: including "
           "the latter, each once.",
           "read_only_ops, read_only_kernels, read_only_memcpys, read_only_memsets"},
    Metric{"operator_tensor_core_share", "Tensor Core share of an operator", Unit::percent,
           Accounting::none,
           "Share of kernels that use Tensor Cores in the self or the total GPU time of the "
           "operator, without kernels of unknown use.",
           "read_only_ops, read_only_kernels"},
    Metric{"op_count", "Ops", Unit::count, Accounting::none,
           "Distinct ops with an instance in the range.", "read_only_op_instances, read_only_ops"},
    Metric{"eligible_op_count", "TC eligible ops", Unit::count, Accounting::none,
           "Distinct ops with an instance in the range whose type can use Tensor Cores.",
           "read_only_op_instances, read_only_ops"},
    Metric{"tensor_core_op_count", "Ops using TC", Unit::count, Accounting::none,
           "Distinct ops that launched a kernel with Tensor Cores in the range.",
           "read_only_kernels"},
    Metric{"kernel_gpu_time", "Kernel GPU time", Unit::ns, Accounting::sum,
           "Sum of the durations of all kernels and memory operations.",
           "read_only_kernels, read_only_memcpys, read_only_memsets"},
    Metric{"kernel_gpu_time_tensor_core", "Tensor Core kernel GPU time", Unit::ns, Accounting::sum,
           "Sum of the durations of the kernels that use Tensor Cores.", "read_only_kernels"},
    Metric{"kernel_gpu_time_memory", "Memory GPU time", Unit::ns, Accounting::sum,
           "Sum of the durations of all memcpys and memsets.",
           "read_only_memcpys, read_only_memsets"},
    Metric{"kernel_gpu_time_other", "Other kernel GPU time", Unit::ns, Accounting::sum,
           "Sum of the durations of the kernels that use no Tensor Cores. Includes kernels whose "
           "use of Tensor Cores is unknown, unless these are shown separately.",
           "read_only_kernels"},
    Metric{"kernel_gpu_time_unknown", "Unknown kernel GPU time", Unit::ns, Accounting::sum,
           "Sum of the durations of the kernels whose use of Tensor Cores is unknown. These are "
           "CUDA graphs traced as a whole, generated code, and unknown kernel names in ops that "
           "could use Tensor Cores. Elsewhere they count as kernels without Tensor Cores.",
           "read_only_kernels"},
    Metric{"kernel_duration", "GPU time of a kernel", Unit::ns, Accounting::none,
           "GPU stop minus GPU start of the kernel.", "read_only_kernels"},
    Metric{"kernel_average", "Average, minimum and maximum of kernels", Unit::ns, Accounting::none,
           "Mean, shortest and longest duration of a single launch in the range.",
           "read_only_kernels"},
    Metric{"kernel_api_start", "API start", Unit::ns, Accounting::none,
           "Start of the API call that launched the kernel, as time since the beginning of the "
           "capture.",
           "read_only_kernels"},
    Metric{"kernel_launches", "Kernel launches", Unit::count, Accounting::none,
           "Number of kernels launched by the op instances of the range, whenever they ran.",
           "read_only_kernels"},
    Metric{"launch_registers", "Registers per thread", Unit::count, Accounting::none,
           "Registers that each thread of the kernel uses, as recorded with the launch.",
           "read_only_kernels"},
    Metric{"launch_shared_memory", "Shared memory", Unit::bytes, Accounting::none,
           "Static plus dynamic shared memory of each block, as recorded with the launch.",
           "read_only_kernels"},
    Metric{"blocks_per_sm", "Blocks per SM", Unit::count, Accounting::none,
           "Blocks of the grid divided by the SMs of the GPU, as PyTorch traces record it. "
           "Several launches: the mean, weighted by GPU duration. Launches without a "
           "value, or with inf, do not count.",
           "read_only_kernels"},
    Metric{"estimated_occupancy", "Est. achieved occupancy", Unit::percent, Accounting::none,
           "PyTorch's estimate of the active threads of an SM, as a share of its maximum: "
           "min(blocks per SM, active blocks per SM) times threads per block. It is a whole "
           "percentage: 0% means below 0.5%. Several launches: the mean, weighted by GPU duration. "
           "Launches without a value do not count.",
           "read_only_kernels"},
    Metric{"kernel_names", "Kernel names", Unit::count, Accounting::none,
           "Number of distinct kernel names (for memory: distinct API names), not of launches.",
           "read_only_kernels"},
    Metric{"launch_latency", "Launch latency", Unit::ns, Accounting::none,
           "Start on the GPU minus the start of the API call that launches the kernel or memory "
           "operation.",
           "read_only_kernels, read_only_memcpys, read_only_memsets", false},
    Metric{"queue_time", "Queue time", Unit::ns, Accounting::none,
           "Start on the GPU minus the end of the API call; none if it starts before the call "
           "ends. The kernel waits for earlier GPU activity in its stream.",
           "read_only_kernels, read_only_memcpys, read_only_memsets", false},
    Metric{"limit_flop", "FLOP", Unit::flop, Accounting::sum,
           "Floating-point operations, a multiply-add counted as two. Counted by Nsight Compute if "
           "all kernels of the call are measured, else from input shapes: a lower bound "
           "(attention with an unrecorded mask: an upper bound).",
           "read_only_op_instances, read_only_kernels"},
    Metric{"limit_bytes", "Bytes", Unit::bytes, Accounting::sum,
           "Bytes between the GPU and its memory. Counted by Nsight Compute (DRAM reads and "
           "writes), else from input shapes, every tensor once: a minimum.",
           "read_only_op_instances, read_only_kernels"},
    Metric{"arithmetic_intensity", "Arithmetic intensity", Unit::none, Accounting::none,
           "FLOP divided by bytes.", "read_only_op_instances, read_only_kernels"},
    Metric{"achieved_rate", "Achieved rate", Unit::none, Accounting::mean,
           "FLOP or bytes divided by the time of the kernels whose FLOP or bytes are known. Work "
           "from shapes makes it a lower bound (attention with an unrecorded mask: an upper "
           "bound).",
           "read_only_op_instances, read_only_kernels"},
    Metric{"gpu_peak", "Peak of the GPU", Unit::none, Accounting::none,
           "Dense FLOP/s of the number format, and bytes/s of the memory: from the peaks file, the "
           "data sheet, or the properties of the device. Unknown GPUs have none.",
           "read_only_gpu_infos", false},
    Metric{"share_of_peak", "Share of the peak", Unit::percent, Accounting::mean,
           "Achieved rate divided by the peak of the GPU. Above 100%: data was in the L2 cache, "
           "the work is padded or sparse, or the peak is wrong.",
           "read_only_op_instances, read_only_kernels"},
    Metric{"roof_time", "Roof time", Unit::ns, Accounting::sum,
           "For each call with known work the larger of FLOP / peak FLOP/s and bytes / peak "
           "bandwidth. A bound: it assumes peak clock and perfect overlap.",
           "read_only_op_instances, read_only_kernels"},
    Metric{"limit_savings", "Can save at most", Unit::ns, Accounting::sum,
           "Time of the calls with known work minus their roof time. A bound: it assumes peak "
           "clock and perfect overlap.",
           "read_only_op_instances, read_only_kernels"},
    Metric{"tensor_core_headroom", "Tensor Core headroom", Unit::ns, Accounting::sum,
           "Kernel time of the GEMMs and convolutions of an op that run on CUDA cores, minus the "
           "larger of FLOP / best rate and bytes / peak bandwidth: an upper bound. Best rate: the "
           "95th percentile of the FLOP/s of calls of at least 1 GFLOP on Tensor Cores, of the "
           "same data type, in the range. None without such a call, and for memory-bound ops.",
           "read_only_op_instances, read_only_kernels", false},
    Metric{"theoretical_occupancy", "Theoretical occupancy", Unit::percent, Accounting::none,
           "Warps that fit on an SM at once, as a share of its maximum: as Nsight Compute reports "
           "it, else from the threads, registers and shared memory of the launch.",
           "read_only_kernels", false},
    Metric{
        "limit_class", "Limit", Unit::none, Accounting::none,
        "What reaches 70% of its peak: math, memory, both or neither. Four rules: achieved "
        "FLOP/s and bytes/s; SM and DRAM throughput of Nsight Compute; arithmetic intensity "
        "against the ridge, which says which roof is lower; Nsight Compute's Speed of Light "
        "rule. Rates from shapes are lower bounds: below 70% the limit is unknown. Where a stride "
        "or a mask is assumed only the sure part counts, and tensors that fit in the L2 cache do "
        "not prove memory.",
        "read_only_op_instances, read_only_kernels"},
    Metric{
        "flop_utilization", "MFU and HFU", Unit::percent, Accounting::none,
        "FLOP of the range, each at the peak of its number format, as a share of the time of all "
        "GPUs in the range. MFU leaves out ops that recompute the forward pass, HFU counts them. "
        "Unknown FLOP count as none: a lower bound, unless a stride or a mask is assumed.",
        "read_only_op_instances, read_only_kernels", false},
    Metric{"limit_coverage", "Known share", Unit::percent, Accounting::none,
           "Part of the kernel time whose work is known, or that Nsight Compute measured.",
           "read_only_op_instances, read_only_kernels"},
    Metric{"gemm_tile", "Tiles and waves of a GEMM", Unit::count, Accounting::none,
           "Tile from the kernel's name. Tiles: M and N divided by it, rounded up, times the "
           "batch. Waves: tiles divided by the SMs, one block per SM assumed. Wave efficiency: "
           "waves divided by whole waves. Tile efficiency: elements of the result divided by those "
           "of all tiles.",
           "read_only_op_instances, read_only_kernels", false},
    Metric{"ncu_duration", "Duration by Nsight Compute", Unit::ns, Accounting::none,
           "Duration of a measured launch. Nsight Compute locks clocks to base and flushes caches "
           "unless told otherwise, so it differs from the duration in a profile.",
           "read_only_kernels", false},
    Metric{"ncu_counter", "Counters by Nsight Compute", Unit::none, Accounting::none,
           "The value for one launch, or the mean over the launches of a summary. Compute is the "
           "busiest pipe of the SM, memory the busiest of L1, L2 and DRAM. DRAM bytes are measured "
           "with cold caches.",
           "read_only_kernels", false},
    Metric{"time_at_stake", "Potential savings", Unit::ns, Accounting::none,
           "All the time that a finding covers, per iteration and per GPU that ran a kernel. It is "
           "an upper bound of the savings.",
           "read_only_op_instances, read_only_kernels, read_only_memcpys, read_only_memsets",
           false},
    Metric{"findings", "Findings", Unit::count, Accounting::none,
           "Number of findings about the range. Findings that cover the same time count once.",
           "read_only_op_instances, read_only_kernels, read_only_memcpys, read_only_memsets",
           false},
    Metric{"match_rate", "Match rate", Unit::percent, Accounting::none,
           "Share of the GPU time of ops whose names the baseline of a budget has, whatever the "
           "running numbers of layers. Without GPU time, the share of their CPU time.",
           "read_only_op_instances, read_only_kernels"},
    Metric{"new", "New ops, kernels and synchronizations", Unit::count, Accounting::none,
           "Names of the range that the baseline of a budget does not have: ops, whatever the "
           "running numbers of layers, kernels, and ops with a call that synchronizes.",
           "read_only_op_instances, read_only_kernels, read_only_cuda_syncs, "
           "read_only_cuda_calls"},
    Metric{"rank_own_work", "Own work", Unit::ns, Accounting::mean,
           "Iteration time minus exposed wait, over the iterations whose wait is known.",
           "iteration_list, read_only_kernels", false},
    Metric{"rank_wait", "Wait", Unit::ns, Accounting::mean,
           "Sum over collectives of the rank's duration minus the shortest among the members.",
           "read_only_kernels", false},
    Metric{"rank_exposed_wait", "Exposed wait", Unit::ns, Accounting::mean,
           "Lower bound of the part of the wait in which no other kernel runs on the GPU.",
           "read_only_kernels", false},
    Metric{"rank_sole_delay", "Sole delay", Unit::ns, Accounting::mean,
           "Time per iteration in which all other members of a collective waited for this rank.",
           "read_only_kernels", false},
    Metric{"rank_times_slowest", "Times slowest", Unit::count, Accounting::none,
           "Iterations in which the rank stands out as the slowest of its peers.",
           "iteration_list, read_only_kernels", false},
};

}  // namespace dlview::aggregate
