// Metrics of ops, groups, kernels and memory operations, and of what limits them.
#pragma once

#include <array>

#include "aggregate/metric.h"

namespace dlview::aggregate::metric_list {

inline constexpr std::array kOpMetrics{
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
};

}  // namespace dlview::aggregate::metric_list
