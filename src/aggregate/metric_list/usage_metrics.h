// Metrics of GPU utilization, resource usage and Tensor Cores.
#pragma once

#include <array>

#include "aggregate/metric.h"

namespace dlview::aggregate::metric_list {

inline constexpr std::array kUsageMetrics{
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
};

}  // namespace dlview::aggregate::metric_list
