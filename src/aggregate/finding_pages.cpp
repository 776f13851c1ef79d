#include "aggregate/finding_pages.h"

#include <algorithm>

#include "aggregate/definitions.h"
#include "aggregate/thresholds.h"

namespace dlview::aggregate {
namespace {

// Of calls that block the host (spec.md 60).
constexpr std::string_view kSavedIdle =
    "For each call, the idle gaps until the host blocks again, at most the time that the call "
    "blocked the host. A gap counts only if it ends with GPU activity launched after the call. "
    "Memory operations fill a gap only if their stream also runs kernels.";
// Of copies and memsets that block the host: without one, its GPU activity leaves a gap.
constexpr std::string_view kSavedIdleOfCopies =
    "For each call, the idle gaps until the host blocks again, at most the time that the call "
    "blocked the host. A gap extends from the GPU activity before the copy or memset to the one "
    "after it. It counts only if the latter was launched after the call. Memory operations fill a "
    "gap only if their stream also runs kernels.";

const std::vector<FindingPage>& all_pages() {
  static const std::vector<FindingPage> kPages{
      {"gpu_hardly_used",
       "GPU hardly used",
       "No kernel ran, or the GPU was busy for so little of the range that faster kernels do not "
       "help. DLProf's findings about kernels are omitted.",
       "The idle time, computed as for GPU idle.",
       {"hardly_used"},
       "Put model and inputs on the GPU. Record the part of the run that uses it.",
       "The capture covers start-up or compilation only, or GPU activity was not recorded."},
      {"gpu_idle",
       "GPU idle",
       "The GPU runs neither a kernel nor a memory operation. Findings about its causes are listed "
       "inside it.",
       "Duration of each iteration minus the time in which a kernel, memcpy or memset runs; mean "
       "over the GPUs that ran a kernel in the range.",
       {"saving"},
       "If the host is busy in the longest gaps, remove that code or let the host run ahead. If it "
       "sleeps, speed up the thread that it waits for, such as a data loader.",
       "The GPU waits for another process or machine, or the profiler itself slows the host down."},
      {"gpu_gaps",
       "Long idle gaps",
       "Single idle gaps that take a large part of an iteration.",
       "The sum of the idle gaps of each GPU that are longer than the threshold and lie wholly in "
       "the range; mean over GPUs.",
       {"gap", "saving"},
       "See what the host does in these gaps: it loads data, synchronizes or runs Python.",
       "Gaps between two phases of a run, such as training and evaluation, do not slow down "
       "steps."},
      {"gpu_time_util",
       "Time slices of low utilization",
       "The range is divided into 30 equal slices for each GPU. In some slices, the "
       "GPU is busy for only a small share.",
       "The idle time in these slices; mean over GPUs.",
       {"busy", "saving"},
       "See what these slices have in common: start-up, data loading, evaluation, checkpoints.",
       "The range holds phases that are not meant to use the GPU."},
      {"launch_bound",
       "Launch-bound: many tiny kernels",
       "The GPU finishes a kernel before the host has launched the next one, although the host "
       "launches without a pause.",
       "The sum of idle gaps that end with a kernel launched after the gap began; mean over GPUs. "
       "The gap and the time since the previous launch may be at most 100 µs and at most four "
       "times the thread's median launch interval. No call may block in between.",
       {"saving"},
       "Fuse kernels (torch.compile, foreach or fused optimizers), capture the step in a CUDA "
       "graph, or use a larger batch.",
       "Recording Python calls or call stacks makes launches slower than they are without a "
       "profiler."},
      {"scalar_reads",
       "Scalar reads",
       "The host copies 16 bytes or less from the GPU and waits for them, as .item(), print() or a "
       "condition on a tensor do. A synchronization right after the copy counts as part of it.",
       kSavedIdle,
       {"saving"},
       "Keep the value on the GPU, read it every few steps, or read the value of the previous "
       "step.",
       "The next step depends on the value, as in a loop that stops at a tolerance."},
      {"cuda_api_sync",
       "Synchronizations",
       "The host blocks until a stream, a GPU or a context has finished all queued GPU activity. "
       "Event "
       "synchronizations are not reported.",
       kSavedIdle,
       {"saving"},
       "Remove torch.cuda.synchronize(), or wait for an event.",
       "The wait is needed: another library or process uses the result."},
      {"blocking_allocations",
       "Allocations inside steps",
       "cudaMalloc, cudaFree and similar calls block the host. Warm-up iterations do not count.",
       kSavedIdle,
       {"saving"},
       "Allocate before the first step, use a caching allocator, or cudaMallocAsync. In PyTorch "
       "keep shapes constant, avoid empty_cache(), or set expandable_segments:True.",
       "The run has fewer than ten iterations: too few to detect a warm-up."},
      {"cuda_memcpy_async",
       "Pageable host-to-device copies",
       "cudaMemcpyAsync of pageable memory blocks the host like a synchronous copy. Copies of "
       "64 KiB and less return at once and do not count.",
       kSavedIdleOfCopies,
       {"saving"},
       "Pin the host memory: pin_memory=True in PyTorch's DataLoader with non_blocking=True, or "
       "cudaMallocHost.",
       "Memory that is used once costs more to pin than to copy."},
      {"cuda_memcpy_async_to_host",
       "Pageable device-to-host copies",
       "cudaMemcpyAsync to pageable memory returns only when the copy is done. Copies of 16 bytes "
       "or less are scalar reads.",
       kSavedIdleOfCopies,
       {"saving"},
       "Copy to pinned memory with non_blocking=True and wait for an event where the data is "
       "needed.",
       "The host needs the data at once."},
      {"cuda_memcpy_sync",
       "Synchronous copies",
       "cudaMemcpy blocks the host, except for device-to-device copies and host-to-device copies "
       "of "
       "up to 64 KiB.",
       kSavedIdleOfCopies,
       {"saving"},
       "Use cudaMemcpyAsync with pinned memory.",
       "The host needs the data at once."},
      {"cuda_memset_sync",
       "Synchronous memsets of host memory",
       "A memset of pinned or managed memory returns only when it is done.",
       kSavedIdleOfCopies,
       {"saving"},
       "Use cudaMemsetAsync.",
       "The host reads the memory right away."},
      {"exposed_copies_to_gpu",
       "Exposed host-to-device copies",
       "Host-to-device copies run while no kernel does. On a compute stream they "
       "cannot overlap with its kernels. Copies that block the host have findings of their own.",
       "The union of these copies minus the union of all kernels of the GPU; mean over GPUs.",
       {"saving"},
       "Prefetch the next batch on a separate stream, from pinned memory, or copy less.",
       "The copy starts as soon as its data is ready: data loading limits the run."},
      {"exposed_copies_to_host",
       "Exposed device-to-host copies",
       "Device-to-host copies run while no kernel does.",
       "The union of these copies minus the union of all kernels of the GPU; mean over GPUs.",
       {"saving"},
       "Copy to pinned memory on a separate stream, or keep the data on the GPU.",
       "The next kernel overwrites what is copied."},
      {"memory_operations_detector",
       "Exposed device-to-device copies and memsets",
       "Memsets, and copies within or between GPUs, run while no kernel runs.",
       "The union of these operations minus the union of all kernels of the GPU; mean over GPUs.",
       {"saving"},
       "Work in place, avoid copies of large tensors, and clear gradients with set_to_none=True.",
       "The data has to move, as in a pipeline over several GPUs."},
      {"exposed_communication_detector",
       "Exposed communication",
       "Communication kernels run while no other kernel does: no computation overlaps them.",
       "The union of communication kernels minus the union of all others; mean over GPUs.",
       {"saving"},
       "Overlap it with the backward pass, communicate less often or less data, or use a faster "
       "interconnect. If a few iterations account for most of it, look for a straggler rank.",
       "The kernel spins until other ranks arrive: their delay is the cause."},
      {"straggler_ranks",
       "Straggler ranks",
       "In a run of several ranks, the others wait in collectives until the slowest has come.",
       "Own work of the slowest rank minus the median own work of its peers (ranks that do the "
       "same work), averaged over the iterations.",
       {},
       "Compare the slowest rank with the typical one in the view Ranks.",
       "Waits are known only where the calls of all ranks were found."},
      {"layout_transposes",
       "Layout transposes",
       "Kernels convert tensors between NCHW and NHWC before and after convolutions.",
       "The union of these kernels minus the union of all others; mean over GPUs.",
       {"saving"},
       "Keep model and input in memory_format=torch.channels_last (PyTorch) or "
       "data_format='channels_last' (TensorFlow).",
       "An op in between has no kernel for the other layout, so that one more transpose appears."},
      {"cuda_core_products_detector",
       "GEMMs and convolutions on CUDA cores",
       "Judging by name, these kernels do not use the Tensor Cores that the GPU has. Only kernels "
       "of ops with unknown eligibility count.",
       "The union of these kernels minus the union of all others; mean over GPUs. Tensor Cores "
       "would take about an eighth of this time.",
       {"saving"},
       "Allow TF32, or run in half precision, with channels that are multiples of 8.",
       "The computation needs full FP32 or FP64."},
      {"fp32_gemm_headroom",
       "FP32 GEMMs that Tensor Cores could run",
       "GEMMs and convolutions in FP32 run on CUDA cores, although the GPU has Tensor Cores for "
       "TF32.",
       "For each call with known FLOP, its kernel time minus the larger of FLOP / rate and bytes / "
       "peak bandwidth. The rate is the 95th percentile of TF32 calls of at least 1 GFLOP in the "
       "range, else the TF32 peak of the GPU. Calls below 100 MFLOP, memory-bound ops and calls "
       "that would gain less than 20% do not count.",
       {"saving"},
       "Allow TF32 (torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32), or "
       "use FP16 or BF16 with AMP.",
       "The computation needs full FP32."},
      {"unaligned_sizes",
       "Sizes that Tensor Cores cannot use well",
       "K or N of a GEMM or convolution is not a multiple of 8 (FP16, BF16) or 16 (FP8, INT8), and "
       "its kernel is not one for aligned sizes.",
       "For each such call of at least 100 MFLOP, its kernel time minus the time at the rate of "
       "the best Tensor Core calls of the same data type, as for FP32 GEMMs. Calls that would gain "
       "less than 20% do not count.",
       {"saving"},
       "Pad channels, features or the vocabulary to such a multiple.",
       "The size is given by the data, or the library pads it itself."},
      {"tail_waves",
       "GEMMs that do not fill the GPU",
       "The blocks of a GEMM, convolution or attention kernel fill only part of the SMs in their "
       "last or only wave.",
       "Blocks / (SMs × blocks of the kernel that fit on an SM) is the number of waves. At "
       "most 1 - blocks / (SMs × blocks of the fullest SM) of the kernel time is lost. Kernels "
       "shorter "
       "than 10 µs, that lose less than 10%, that reach half of a roof, split-K, stream-K and "
       "persistent kernels do not count. Blocks that fit follow from registers and shared memory; "
       "where these are not recorded, one is assumed.",
       {"last_wave", "saving"},
       "Use a larger batch, merge GEMMs, or let split-K or a smaller tile fill the GPU.",
       "Another stream fills the idle SMs, or latency requires the small batch."},
      {"unfused_elementwise",
       "Chains of elementwise kernels to fuse",
       "Three or more elementwise or normalization kernels of about the same size run in a row on "
       "one stream. Each one reads and writes its tensors again.",
       "The kernel time of each chain minus its longest kernel: a fused kernel takes at least as "
       "long as that. Kernels are of about the same size if their bytes (without shapes: their "
       "threads) differ by at most 2.5 times. Without shapes, names of kernels decide.",
       {"saving"},
       "Fuse them: torch.compile, XLA, or one kernel by hand.",
       "The kernels work on independent tensors, as when gradients are added one by one."},
      {"low_occupancy",
       "Low occupancy",
       "Registers, shared memory or the block size let only few warps of a kernel run on an SM at "
       "once. Kernels of GEMMs and attention do not count: they need few warps.",
       "The sum of the times of these kernels, from 10 µs on, divided by the number of GPUs that "
       "ran a kernel. Theoretical occupancy: as measured by Nsight Compute, else from threads, "
       "registers and shared memory of the launch. Kernels that reach half of a roof, or have too "
       "few blocks for one wave, do not count.",
       {"occupancy", "saving"},
       "Use fewer registers (__launch_bounds__), less shared memory, or larger blocks.",
       "The kernel hides latency by instruction-level parallelism instead of warps."},
      {"eligible_without_tensor_cores",
       "Eligible ops without Tensor Cores",
       "Ops of an eligible type ran no kernel on Tensor Cores. Ops with a kernel of unknown use do "
       "not count.",
       "The sum of the kernel times of these ops, divided by the number of GPUs that ran a kernel.",
       {"saving"},
       "Run them in half precision, with channels and batch sizes that are multiples of 8.",
       "Their shapes are too small for Tensor Cores to help."},
      {"slow_iterations",
       "Slow iterations",
       "Single iterations take longer than the others (outliers). Their class is what differs "
       "most: GPU idle by host activity, exposed communication, memory operations, kernels. "
       "Warm-up iterations and iterations with little work do not count.",
       "For each outlier, the smaller of its extra duration and the extra time of its class; mean "
       "over all iterations of the range.",
       {},
       "Compare with the typical iteration. Exposed communication: look for the slower rank. "
       "Clocks: "
       "look for power and temperature limits. Checkpoints: write them asynchronously.",
       "The work is meant to differ, as in an iteration with an evaluation."},
      {"work_outside_iterations",
       "Kernels outside all iterations",
       "A large part of the kernels runs outside all iterations.",
       "",
       {"work_outside"},
       "Choose an iteration marker that covers them.",
       "They are a warm-up or an evaluation that is not of interest."},
      {"work_runs_later_detector",
       "The host runs ahead",
       "The kernels launched in the range run for more than three times its duration.",
       "",
       {},
       "Split the run by the GPU, or choose an iteration marker that synchronizes with the GPU.",
       "Several streams run at once: the sum of kernel times counts overlaps twice."},
      {"whole_graphs_detector",
       "CUDA graphs traced as a whole",
       "The capture records each launch of a CUDA graph as one unit, without its kernels.",
       "",
       {},
       "Record again with nsys profile --cuda-graph-trace=node.",
       "None, but tracing nodes slows the run down."},
      {"amp_detector",
       "No half precision (DLProf)",
       "Ops could use Tensor Cores, and none of them runs in half precision.",
       "The kernel time of eligible ops without Tensor Cores.",
       {},
       "Enable automatic mixed precision.",
       "The model does not converge in half precision."},
      {"no_fusion_detector",
       "No XLA (DLProf)",
       "A TensorFlow run without XLA ops.",
       "The time in which only kernels without Tensor Cores run.",
       {},
       "Enable XLA.",
       "Shapes vary, and XLA compiles for each new shape: this costs more than fusion saves."},
      {"underutilized_gpu_detector",
       "GPU underutilized (DLProf)",
       "GPUs run no kernel for most of the range, or some are not used at all.",
       "The time of data loader, CPU and Other. None for unused GPUs.",
       {"gpu_utilization"},
       "See GPU idle, or use the idle GPUs.",
       "The GPUs were meant for other processes."},
      {"dataloader_detector",
       "Data loader (DLProf)",
       "The data loader runs while the GPU does not, or no DALI op was found.",
       "The time in DataLoader ops in which the GPU is idle.",
       {"data_loader"},
       "Raise num_workers, pin the host memory, or use DALI.",
       "Only ops and ranges named as data loading count; without them the share is not recorded."},
      {"iteration_variation_detector",
       "Iterations vary (DLProf)",
       "The durations of the iterations differ a lot. It is listed under GPU idle or exposed "
       "communication if that explains at least half of the time above the median.",
       "The time above the median, averaged over the iterations.",
       {"iteration_variation"},
       "Look at the longest iterations, or choose the steady state.",
       "Iterations are meant to differ, as with shapes that vary."},
      {"cudnn_benchmark_detector",
       "cuDNN benchmark off (DLProf)",
       "Convolutions ran, and torch.backends.cudnn.benchmark is off.",
       "The kernel time of all convolutions.",
       {},
       "Set torch.backends.cudnn.benchmark = True.",
       "Input shapes vary, so that cuDNN would search again and again."},
      {"batch_size_detector",
       "GPU memory mostly free (DLProf)",
       "A larger batch would fit into the memory of the GPU.",
       "The time of data loader, CPU and Other.",
       {"gpu_memory"},
       "Use a larger batch.",
       "The batch size is part of the experiment."},
      {"configuration_detector",
       "Debugging switches (DLProf)",
       "Anomaly detection, gradient checks or the autograd profiler are on.",
       "",
       {},
       "Switch them off outside debugging.",
       "The run is meant for debugging."},
      {"no_iterations_detector",
       "No iterations (DLProf)",
       "No iteration marker was found or chosen: the run is one iteration.",
       "",
       {},
       "Choose an iteration marker. If a PyTorch trace has a single step, record several.",
       "Nothing in the run repeats."},
  };
  return kPages;
}

}  // namespace

std::span<const FindingPage> finding_pages() {
  return all_pages();
}

const FindingPage& finding_page(std::string_view detector) {
  static const FindingPage kNone{};
  const auto found = std::ranges::find(all_pages(), detector, &FindingPage::detector);
  return found == all_pages().end() ? kNone : *found;
}

std::vector<const FindingPage*> find_finding_pages(std::string_view search) {
  const SearchWords words(search);
  std::vector<const FindingPage*> found;
  for (const FindingPage& page : all_pages()) {
    if (words.are_in(
            {page.detector, page.title, page.meaning, page.formula, page.fix, page.wrong_when})) {
      found.push_back(&page);
    }
  }
  return found;
}

std::string thresholds_text(const FindingPage& page) {
  return to_text(page.thresholds, AdviceThresholds{});
}

}  // namespace dlview::aggregate
