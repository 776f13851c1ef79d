// The numbers on screen, declared once: what each is called, how it is computed and from which
// rows. Tooltips, `dlview definitions` and docs/definitions.md read these declarations.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace dlview::aggregate {

enum class Unit : uint8_t { none, ns, percent, count, bytes, bytes_per_second };
// How overlapping times are treated; see aggregation.h.
enum class Accounting : uint8_t { none, sum, union_, exclusive, mean };

struct Metric {
  std::string_view id;     // "gpu_utilization"
  std::string_view title;  // "GPU utilization"
  Unit unit;
  Accounting accounting;
  std::string_view formula;  // one or two sentences in the words of the guide
  std::string_view source;   // the tables of a DLProf database it comes from
  // False: filters do not change it (spec.md 22, 25).
  bool obeys_filters = true;
};

// In the order of the sections of definitions.h.
inline constexpr std::array kMetrics{
    Metric{"wall_time", "Wall clock time", Unit::ns, Accounting::none,
           "Stop of the last iteration of the range minus start of the first one.",
           "iteration_list", false},
    Metric{"range_time", "Duration of the range", Unit::ns, Accounting::sum,
           "Durations (stop - start) of the range's iterations added up. This is the 100% of "
           "every share and utilization.",
           "iteration_list", false},
    Metric{"average_iteration", "Average iteration time", Unit::ns, Accounting::mean,
           "Wall clock time divided by the number of iterations in the range.", "iteration_list",
           false},
    Metric{"iteration_deviation", "Standard deviation", Unit::ns, Accounting::none,
           "Population standard deviation of the durations of the range's iterations.",
           "iteration_list", false},
    Metric{"median_iteration", "Median iteration time", Unit::ns, Accounting::none,
           "The middle one of the range's iteration durations (nearest rank).", "iteration_list",
           false},
    Metric{"total_iterations", "Total iterations", Unit::count, Accounting::none,
           "Iterations found: one more than the instances of the key op, for the run begins before "
           "the first; ranges that cut are one iteration each.",
           "iteration_list", false},
    Metric{"profiled_iterations", "Iterations in the range", Unit::count, Accounting::none,
           "Stop - start + 1. DLProf calls them profiled iterations.", "iteration_list", false},
    Metric{"start_iteration", "Start iteration", Unit::none, Accounting::none,
           "First iteration of the range; it counts.", "iteration_list", false},
    Metric{"stop_iteration", "Stop iteration", Unit::none, Accounting::none,
           "Last iteration of the range; it counts.", "iteration_list", false},
    Metric{"iteration_start", "Start of an iteration", Unit::ns, Accounting::none,
           "Since the beginning of the recording. Split by the host, an iteration begins where the "
           "key op starts or, cut at its ends, behind its end; iteration 0 begins with the "
           "recording. Split by the GPU, an iteration begins with the first kernel it launches.",
           "iteration_list", false},
    Metric{"iteration_duration", "Duration of an iteration", Unit::ns, Accounting::none,
           "Its stop minus its start. The ns between a stop and the next start belongs to no "
           "iteration.",
           "iteration_list", false},
    Metric{"iteration_range", "Range of an iteration", Unit::ns, Accounting::none,
           "Of a run that NVTX ranges cut: how long the iteration's own range is. An iteration "
           "begins with its range and lasts to the next one, so that nothing between is lost. "
           "Split by the GPU: from the first to the last kernel launched in the range.",
           "NVTX_EVENTS", false},
    Metric{
        "iteration_gpu_time", "GPU time of an iteration", Unit::ns, Accounting::exclusive,
        "Time during the iteration in which a kernel ran, whichever iteration launched it, with or "
        "without Tensor Cores; mean over all GPUs of the machine, or over those that filters keep. "
        "Its share is of the duration of the iteration.",
        "read_only_kernels, read_only_gpu_infos"},
    Metric{
        "launched_kernel_time", "GPU time of launched kernels", Unit::ns, Accounting::sum,
        "Durations of the kernels that an iteration launched, added up, whenever they ran. Where "
        "the host runs ahead, much of it passes in later iterations.",
        "read_only_kernels"},
    Metric{"steady_range", "Steady range", Unit::none, Accounting::none,
           "The longest range without outliers that begins and ends with five iterations in a row "
           "whose durations are near the median: within 10%, or within three median absolute "
           "deviations where the run is less even than that, but never further than 25%. Of "
           "equal "
           "ones it is the last.",
           "iteration_list", false},
    Metric{"typical_iteration", "Typical iteration", Unit::none, Accounting::none,
           "The iteration whose resource usage lies nearest to the median of every category, among "
           "those of the steady range, or of the run where none is steady. It is one that ran, no "
           "average.",
           "iteration_list, read_only_op_instances, read_only_kernels, read_only_memcpys, "
           "read_only_memsets",
           false},
    Metric{"outlier", "Outlier", Unit::none, Accounting::none,
           "An iteration whose duration is off the median by more than 25% and by more than "
           "five "
           "median absolute deviations. Its class is what differs most from the typical iteration: "
           "exposed communication, memory operations, kernels (clocks if all change alike, "
           "else kernel count or durations), or GPU idle by host activity (data loading, "
           "synchronization, host "
           "busy, checkpoint or I/O). Warm-up comes before the steady iterations. Start-up, little "
           "work and a host that ran ahead have less than a quarter of the kernels or of the time.",
           "iteration_list, read_only_op_instances, read_only_kernels, read_only_memcpys, "
           "read_only_memsets",
           false},
    Metric{"iteration_difference", "Difference of two iterations", Unit::ns, Accounting::exclusive,
           "The time of each category in the one iteration minus that in the other.",
           "read_only_op_instances, read_only_kernels, read_only_memcpys, read_only_memsets",
           false},
    Metric{"op_difference", "Difference of an op", Unit::ns, Accounting::none,
           "GPU time or CPU time of the op in the one iteration minus that in the other, whichever "
           "of the two differs more; instances added. For GPU idle: the time in which "
           "neither a kernel nor a memory operation runs, mean over the GPUs.",
           "read_only_op_instances, read_only_kernels, read_only_memcpys, read_only_memsets",
           false},
    Metric{"kernel_difference", "Difference of a kernel", Unit::ns, Accounting::sum,
           "Durations of all kernels of that name in the one iteration minus those in the other, "
           "overlaps counted twice.",
           "read_only_kernels", false},
    Metric{"key_op_score", "Score of a key op", Unit::percent, Accounting::none,
           "How likely a person is to call it a step, by its name, kernels and times. Lower for "
           "epochs, warm-up steps, helper threads, ranges inside others and API calls. An export "
           "opens split at the best one from a score of 30% on.",
           "read_only_op_instances, read_only_ops", false},
    Metric{"key_op_instances", "Instances of a key op", Unit::count, Accounting::none,
           "On the thread that has most of them. Several per step would cut a step into pieces.",
           "read_only_op_instances", false},
    Metric{"key_op_period", "Period of a key op", Unit::ns, Accounting::none,
           "Median distance between two starts in a row.", "read_only_op_instances", false},
    Metric{"key_op_regularity", "Regularity of a key op", Unit::percent, Accounting::none,
           "100% minus the sum of all deviations from the period, in percent of the sum of all "
           "distances.",
           "read_only_op_instances", false},
    Metric{
        "key_op_coverage", "Coverage of a key op", Unit::percent, Accounting::none,
        "The part of the run between its first start and one period behind its last. The run of an "
        "export begins with its first kernel, and warm-up ranges are no part of it.",
        "read_only_op_instances", false},
    Metric{"gpu_utilization", "GPU utilization", Unit::percent, Accounting::union_,
           "Time in which at least one kernel ran on a device, overlaps counted once, divided by "
           "the duration of the range; the mean over all GPUs (of an export those that worked at "
           "all), or over those that filters keep. Memory operations do not count.",
           "read_only_kernels, read_only_gpu_infos"},
    Metric{"gpu_utilization_used", "GPU utilization, used GPUs", Unit::percent, Accounting::union_,
           "The same, but the mean over the GPUs that ran a kernel in the range.",
           "read_only_kernels, read_only_gpu_infos"},
    Metric{"gpu_idle", "GPU idle", Unit::percent, Accounting::union_, "100% minus GPU utilization.",
           "read_only_kernels, read_only_gpu_infos"},
    Metric{"device_utilization", "Utilization of a GPU", Unit::percent, Accounting::union_,
           "Time in which at least one kernel ran on this GPU, overlaps counted once, divided by "
           "the duration of the range.",
           "read_only_kernels, read_only_gpu_infos"},
    Metric{"idle_gap", "Idle gap", Unit::ns, Accounting::none,
           "A stretch between two pieces of a GPU's work, kernels, copies or memsets of whatever "
           "process, in which it is idle. It lies wholly in the range.",
           "read_only_kernels, read_only_memcpys, read_only_memsets"},
    Metric{
        "gap_cause", "Cause of an idle gap", Unit::none, Accounting::exclusive,
        "What took most of the gap in the thread that launched the work that ends it: a call "
        "that waits for a GPU, another CUDA API call, data loading, an op, nothing that was "
        "recorded, or the launch itself, from its call to the start of the work. \"Already "
        "launched\": the work was launched before the gap began, and waited for other work or for "
        "the GPU itself.",
        "read_only_kernels, read_only_memcpys, read_only_memsets, read_only_cuda_syncs, "
        "read_only_cuda_calls, read_only_op_instances"},
    Metric{
        "breakdown", "Resource usage", Unit::percent, Accounting::exclusive,
        "Each instant of an iteration belongs to the first category that is active on the "
        "device: Tensor Core kernels, other kernels, memory, data loader, I/O, CPU, other. Mean "
        "over all GPUs (of an export those that worked at all), or over those that filters keep; "
        "shares of the duration of the range.",
        "read_only_kernels, read_only_memcpys, read_only_memsets, read_only_op_instances"},
    Metric{"breakdown_tensor_core_kernels", "Tensor Core kernels", Unit::ns, Accounting::exclusive,
           "Time in which a kernel that uses Tensor Cores ran.", "read_only_kernels"},
    Metric{"breakdown_other_kernels", "Other kernels", Unit::ns, Accounting::exclusive,
           "Time in which kernels ran, none of them known to use Tensor Cores: where the name of a "
           "kernel does not tell, it counts here.",
           "read_only_kernels"},
    Metric{"breakdown_memory", "Memory", Unit::ns, Accounting::exclusive,
           "Time in which a memcpy or memset ran and no kernel.",
           "read_only_memcpys, read_only_memsets"},
    Metric{"breakdown_data_loader", "Data loader", Unit::ns, Accounting::exclusive,
           "Time in ops of type DataLoader while the GPU did nothing.", "read_only_op_instances",
           false},
    Metric{
        "breakdown_io", "I/O", Unit::ns, Accounting::exclusive,
        "Known only for the range of a stored aggregation of a DLProf run with OS-runtime tracing.",
        "iteration_aggregation_list", false},
    Metric{"breakdown_cpu", "CPU", Unit::ns, Accounting::exclusive,
           "Time in any op on any thread while the GPU did nothing.", "read_only_op_instances",
           false},
    Metric{"breakdown_other", "Other", Unit::ns, Accounting::exclusive,
           "The rest: nothing that was recorded ran; under filters, nothing that they keep.",
           "iteration_list"},
    Metric{
        "communication", "Communication", Unit::ns, Accounting::union_,
        "Time in which a kernel ran that moves data between GPUs, known by its name (NCCL and "
        "others). It stands beside the seven categories, and its kernels count in theirs. Mean "
        "over all GPUs (of an export those that worked at all), or over those that filters keep; "
        "its share is of the duration of the range.",
        "read_only_kernels"},
    Metric{"communication_exposed", "Exposed communication", Unit::ns, Accounting::union_,
           "The part of communication in which no other kernel ran on the same GPU: the time that "
           "computation waits for it. Copies hide nothing.",
           "read_only_kernels"},
    Metric{"communication_overlapped", "Overlapped communication", Unit::ns, Accounting::union_,
           "The part of communication in which another kernel ran on the same GPU, too.",
           "read_only_kernels"},
    Metric{
        "tensor_core_efficiency", "Tensor Core kernel efficiency", Unit::percent, Accounting::sum,
        "GPU time of the kernels that use Tensor Cores divided by the GPU time of all kernels of "
        "ops that are eligible or use them. 100% means that eligible ops run Tensor Core "
        "kernels only; 50% may be half of the time or half of the ops. Where nothing tells "
        "which "
        "ops are eligible, those that use none are left out: the efficiency is that of the known "
        "part of the kernel time, whose share is shown beside it.",
        "read_only_kernels, read_only_ops"},
    Metric{"tensor_core_missed", "Kernels without Tensor Cores", Unit::ns, Accounting::sum,
           "GPU time of the kernels that use no Tensor Cores, of ops that are eligible for them or "
           "use them in other kernels.",
           "read_only_kernels, read_only_ops"},
    Metric{
        "tensor_core_untold", "Kernel time of unknown eligibility", Unit::ns, Accounting::sum,
        "GPU time of the kernels of ops that use no Tensor Cores while nothing tells whether they "
        "could. The efficiency leaves it out.",
        "read_only_kernels, read_only_ops"},
    Metric{"tensor_core_eligible", "TC eligible", Unit::none, Accounting::none,
           "The op's type can use Tensor Cores, whatever its shapes and data type.",
           "read_only_ops.tc_support_status", false},
    Metric{"tensor_core_using", "Using TC", Unit::none, Accounting::none,
           "At least one kernel that the op launched in the range uses Tensor Cores, by its name. "
           "What a name does not tell is unknown, and counts as no.",
           "read_only_kernels.uses_tc"},
    Metric{
        "tensor_core_rules", "Tensor Cores by the present rules", Unit::none, Accounting::none,
        "DLProf stored for each kernel whether it uses Tensor Cores, by a list of names of 2021. "
        "dlview's rules know the names of later libraries, take the generation of the GPU into "
        "account, and say unknown where a name tells nothing.",
        "read_only_kernels.uses_tc, read_only_kernels.long_name_id", false},
    Metric{
        "op_gpu_time", "GPU time of an op", Unit::ns, Accounting::union_,
        "For each instance the time in which at least one of its kernels, memcpys or memsets ran, "
        "per device and added; summed over the instances.",
        "read_only_kernels, read_only_memcpys, read_only_memsets"},
    Metric{"gpu_time_per_iteration", "GPU time per iteration", Unit::ns, Accounting::mean,
           "GPU time divided by the number of iterations in the range. It is summed over GPUs.",
           "read_only_kernels, read_only_memcpys, read_only_memsets, iteration_list"},
    Metric{"gpu_time_share", "Share of GPU time", Unit::percent, Accounting::none,
           "GPU time divided by the GPU time of all ops in the range. In a table of kernels: by "
           "the time of all its kernels. Filters do not change this total.",
           "read_only_kernels, read_only_memcpys, read_only_memsets"},
    Metric{"gpu_time_over_iterations", "GPU time over iterations", Unit::ns, Accounting::mean,
           "GPU time in each iteration of the range, from 0 to the maximum of the row. With more "
           "than 40 iterations, a bar is the mean of several.",
           "read_only_kernels, read_only_memcpys, read_only_memsets, iteration_list"},
    Metric{"op_self_time", "Self time", Unit::ns, Accounting::none,
           "Time of an NVTX range in which no range inside it is open. An op contains no other op, "
           "so its self time is its total time.",
           "read_only_op_instances, read_only_kernels, read_only_memcpys, read_only_memsets"},
    Metric{"op_total_time", "Total time", Unit::ns, Accounting::sum,
           "Self time of the row and of all ops inside it. The times of ops exclude each other, so "
           "no time counts twice.",
           "read_only_op_instances, read_only_kernels, read_only_memcpys, read_only_memsets"},
    Metric{"op_cpu_time", "CPU time of an op", Unit::ns, Accounting::sum,
           "Stop minus start of each instance on its thread, summed over the instances.",
           "read_only_op_instances"},
    Metric{"op_overhead_time", "CPU overhead of an op", Unit::ns, Accounting::sum,
           "CPU time minus the durations of all CUDA API calls of the instance.",
           "read_only_op_instances, read_only_kernels, read_only_memcpys, read_only_memsets, "
           "read_only_cuda_syncs, read_only_cuda_calls"},
    Metric{"op_idle_time", "GPU idle of an op", Unit::ns, Accounting::sum,
           "Between an instance's first GPU start and last GPU stop on a device, the time in which "
           "none of its kernels, memcpys or memsets ran there; devices and instances added.",
           "read_only_kernels, read_only_memcpys, read_only_memsets"},
    Metric{"op_average", "Average, minimum and maximum of ops", Unit::ns, Accounting::none,
           "Of single instances in the range: the sum divided by their number, the smallest, and "
           "the largest.",
           "read_only_op_instances, read_only_kernels, read_only_memcpys, read_only_memsets"},
    Metric{"op_calls", "Calls", Unit::count, Accounting::none,
           "Number of instances of the op in the range. Of a range's own time each stretch between "
           "the ranges inside it is one.",
           "read_only_op_instances"},
    Metric{
        "unassociated_ops", "Work outside every op", Unit::none, Accounting::none,
        "An op \"unassociated_\" and the name of the call is the CUDA calls, and the work that "
        "they launched, outside of every op and range; the name of the kernel may stand behind "
        "it. \"unassociated_no_launch\" is GPU work whose launch is not in the file, as when the "
        "capture began after it: it has no time on the CPU.",
        "read_only_op_instances, read_only_kernels, read_only_memcpys, read_only_memsets, "
        "read_only_cuda_calls"},
    Metric{"op_count", "Ops", Unit::count, Accounting::none,
           "Distinct ops with an instance in the range.", "read_only_op_instances, read_only_ops"},
    Metric{"eligible_op_count", "TC eligible ops", Unit::count, Accounting::none,
           "Distinct ops with an instance in the range whose type can use Tensor Cores.",
           "read_only_op_instances, read_only_ops"},
    Metric{"tensor_core_op_count", "Ops using TC", Unit::count, Accounting::none,
           "Distinct ops that launched a kernel with Tensor Cores in the range.",
           "read_only_kernels"},
    Metric{"kernel_gpu_time", "Kernel GPU time", Unit::ns, Accounting::sum,
           "Durations of all kernels added up, overlaps counted twice; memory operations likewise.",
           "read_only_kernels, read_only_memcpys, read_only_memsets"},
    Metric{"kernel_gpu_time_tensor_core", "Tensor Core kernel GPU time", Unit::ns, Accounting::sum,
           "Durations of the kernels that use Tensor Cores added up, overlaps counted twice.",
           "read_only_kernels"},
    Metric{"kernel_gpu_time_memory", "Memory GPU time", Unit::ns, Accounting::sum,
           "Durations of all memcpys and memsets added up, overlaps counted twice.",
           "read_only_memcpys, read_only_memsets"},
    Metric{"kernel_gpu_time_other", "Other kernel GPU time", Unit::ns, Accounting::sum,
           "Durations of the kernels that use no Tensor Cores added up, overlaps counted twice. "
           "Unless they stand apart as unknown, those are among them whose names do not tell.",
           "read_only_kernels"},
    Metric{"kernel_gpu_time_unknown", "GPU time of kernels whose use of Tensor Cores is unknown",
           Unit::ns, Accounting::sum,
           "Durations added up, overlaps counted twice, of the kernels whose names do not tell "
           "whether they use Tensor Cores: whole CUDA graphs, generated code, and names that no "
           "rule knows in ops that could use them. Everywhere else they count as using none.",
           "read_only_kernels"},
    Metric{"kernel_duration", "GPU time of a kernel", Unit::ns, Accounting::none,
           "Its GPU stop minus its GPU start.", "read_only_kernels"},
    Metric{"kernel_average", "Average, minimum and maximum of kernels", Unit::ns, Accounting::none,
           "Of the single launches in the range: the sum of their durations divided by their "
           "number, the shortest, and the longest.",
           "read_only_kernels"},
    Metric{"kernel_api_start", "API start", Unit::ns, Accounting::none,
           "When the call that launched the kernel began on its thread, since the beginning of the "
           "recording.",
           "read_only_kernels"},
    Metric{"kernel_launches", "Kernel launches", Unit::count, Accounting::none,
           "Number of kernels launched by the op instances of the range, whenever they ran.",
           "read_only_kernels"},
    Metric{"kernel_names", "Kernel names", Unit::count, Accounting::none,
           "Number of distinct kernel names; for memory, of distinct API names. Not launches.",
           "read_only_kernels"},
    Metric{"launch_latency", "Launch latency", Unit::ns, Accounting::none,
           "From the start of the API call that launches a kernel or begins a copy to its start on "
           "the GPU.",
           "read_only_kernels, read_only_memcpys, read_only_memsets", false},
    Metric{"queue_time", "Queue time", Unit::ns, Accounting::none,
           "From the end of that API call to the start on the GPU: what waits there for the work "
           "before it. None where it starts while the call still runs.",
           "read_only_kernels, read_only_memcpys, read_only_memsets", false},
    Metric{"time_at_stake", "Potential savings", Unit::ns, Accounting::none,
           "An upper bound of what a finding could save: all the time that it covers, per "
           "iteration and per GPU that ran a kernel.",
           "read_only_op_instances, read_only_kernels, read_only_memcpys, read_only_memsets",
           false},
};

}  // namespace dlview::aggregate
