#include "report/nsys/reports.h"

#include <algorithm>
#include <array>

#include "profile/kinds.h"
#include "report/names.h"
#include "report/nsys/declarations.h"
#include "report/nsys/gpu_events.h"
#include "report/nsys/ranges.h"

namespace dlview::report::nsys {
namespace {

constexpr std::string_view kRecordCuda = "Record with nsys profile --trace=cuda,nvtx.";
constexpr std::string_view kRecordKinds =
    "Record with nsys profile --trace=cuda,nvtx, and export with Nsight Systems 2022.4 or later.";

bool has_memory_operations(const profile::Trace& trace) {
  return trace.memcpys.size() + trace.memsets.size() > 0;
}
bool has_gpu_work(const profile::Trace& trace) {
  return trace.kernels.size() > 0 || has_memory_operations(trace);
}
bool has_ranges(const profile::Trace& trace, profile::NvtxKind kind) {
  return std::ranges::find(trace.nvtx.kind, kind) != trace.nvtx.kind.end();
}
bool has_any_range(const profile::Trace& trace) {
  return has_ranges(trace, profile::NvtxKind::push_pop_range) ||
         has_ranges(trace, profile::NvtxKind::start_end_range);
}

constexpr Needs kKernels{"CUDA kernels", kRecordCuda,
                         [](const profile::Trace& trace) { return trace.kernels.size() > 0; }};
constexpr Needs kGpuWork{"CUDA kernels, memcpys or memsets", kRecordCuda, has_gpu_work};
constexpr Needs kMemoryOps{
    "CUDA memcpys or memsets with the names of their kinds (exports from 2022.4 on)", kRecordKinds,
    [](const profile::Trace& trace) {
      return trace.names_copy_kinds && has_memory_operations(trace);
    }};
constexpr Needs kNamedGpuWork{
    "CUDA kernels, memcpys or memsets with the names of their kinds (exports from 2022.4 on)",
    kRecordKinds,
    [](const profile::Trace& trace) { return trace.names_copy_kinds && has_gpu_work(trace); }};
constexpr Needs kCalls{"CUDA API calls", kRecordCuda,
                       [](const profile::Trace& trace) { return trace.api_calls.size() > 0; }};
constexpr Needs kLaunches{
    "CUDA kernels with the API calls that launched them", kRecordCuda,
    [](const profile::Trace& trace) { return are_tied(trace.kernels, trace.api_calls); }};
constexpr Needs kRanges{"NVTX ranges", kRecordCuda, has_any_range};
constexpr Needs kPushPop{"NVTX push/pop ranges", kRecordCuda, [](const profile::Trace& trace) {
                           return has_ranges(trace, profile::NvtxKind::push_pop_range);
                         }};
constexpr Needs kStartEnd{"NVTX start/end ranges", kRecordCuda, [](const profile::Trace& trace) {
                            return has_ranges(trace, profile::NvtxKind::start_end_range);
                          }};
constexpr Needs kRangesAndWork{"NVTX ranges in which API calls launch GPU activity", kRecordCuda,
                               [](const profile::Trace& trace) {
                                 return has_any_range(trace) && has_gpu_work(trace) &&
                                        trace.api_calls.size() > 0;
                               }};

constexpr Needs kCallsAndWork{
    "CUDA API calls, and kernels or memory operations", kRecordCuda,
    [](const profile::Trace& trace) { return trace.api_calls.size() > 0 && has_gpu_work(trace); }};
constexpr Needs kCommunication{
    "communication kernels (NCCL or other libraries)", kRecordCuda,
    [](const profile::Trace& trace) { return trace.kernels.size() > 0; }};
constexpr Needs kOsCalls{"OS runtime calls", "Record with nsys profile --trace=cuda,nvtx,osrt.",
                         [](const profile::Trace& trace) { return trace.os_calls.size() > 0; }};
constexpr Needs kMpi{"MPI calls", "Record with nsys profile --trace=cuda,nvtx,mpi.",
                     [](const profile::Trace& trace) { return trace.mpi_calls.size() > 0; }};
constexpr std::string_view kRecordFaults =
    "Record with nsys profile --cuda-um-cpu-page-faults=true --cuda-um-gpu-page-faults=true.";
constexpr Needs kCpuFaults{
    "CUDA Unified Memory CPU page faults", kRecordFaults,
    [](const profile::Trace& trace) { return trace.cpu_page_faults.size() > 0; }};
constexpr Needs kUnifiedMemory{
    "CUDA Unified Memory transfers or page faults", kRecordFaults, [](const profile::Trace& trace) {
      const auto& moved = trace.memcpys.copy_kind;
      return trace.cpu_page_faults.size() > 0 || trace.gpu_page_faults.size() > 0 ||
             std::ranges::any_of(moved, profile::is_migration);
    }};

constexpr std::array kReports{
    ReportInfo{"cuda_api_gpu_sum", "apigpusum", "CUDA Summary (API/Kernels/MemOps)",
               "Time of API calls, kernels, memcpys and memsets, as % of the total.", kCallsAndWork,
               Reference::none, cuda_api_gpu_sum},
    ReportInfo{"cuda_api_sum", "cudaapisum", "CUDA API Summary", "CPU time of each CUDA API call.",
               kCalls, Reference::nsys_2023_4, cuda_api_sum},
    ReportInfo{"cuda_api_trace", "cudaapitrace", "CUDA API Trace",
               "Every CUDA API call in chronological order.", kCalls, Reference::none,
               cuda_api_trace},
    ReportInfo{"cuda_gpu_kern_gb_sum", "gpukerngbsum", "CUDA GPU Kernel/Grid/Block Summary",
               "GPU time per kernel, grid and block size.", kKernels, Reference::nsys_2023_4,
               cuda_gpu_kern_gb_sum},
    ReportInfo{"cuda_gpu_kern_hist", "", "CUDA GPU Kernel Duration Histogram",
               "Histogram of the durations of each kernel, in up to 30 equal bins.", kKernels,
               Reference::none, cuda_gpu_kern_hist},
    ReportInfo{"cuda_gpu_kern_pace", "", "CUDA GPU Kernel Pacing",
               "Every launch of each kernel, with the time since the previous one on its GPU.",
               kKernels, Reference::none, cuda_gpu_kern_pace},
    ReportInfo{"cuda_gpu_kern_sum", "gpukernsum", "CUDA GPU Kernel Summary",
               "GPU time per kernel name; overlaps count twice.", kKernels, Reference::nsys_2023_4,
               cuda_gpu_kern_sum},
    ReportInfo{"cuda_gpu_mem_size_sum", "gpumemsizesum", "CUDA GPU MemOps Summary (by Size)",
               "Bytes moved by memcpys and memsets, by kind.", kMemoryOps, Reference::nsys_2023_4,
               cuda_gpu_mem_size_sum},
    ReportInfo{"cuda_gpu_mem_time_sum", "gpumemtimesum", "CUDA GPU MemOps Summary (by Time)",
               "GPU time of memcpys and memsets, by kind.", kMemoryOps, Reference::nsys_2023_4,
               cuda_gpu_mem_time_sum},
    ReportInfo{"cuda_gpu_sum", "gpusum", "CUDA GPU Summary (Kernels/MemOps)",
               "Time of kernels, memcpys and memsets, as % of the total.", kNamedGpuWork,
               Reference::nsys_2023_4, cuda_gpu_sum},
    ReportInfo{"cuda_gpu_time_util_map", "", "CUDA GPU Time Utilization Map",
               "Utilization of each GPU in 30 equal time slices; overlaps count once.", kGpuWork,
               Reference::none, cuda_gpu_time_util_map},
    ReportInfo{"cuda_gpu_trace", "gputrace", "CUDA GPU Trace",
               "Every kernel, memcpy and memset in chronological order.", kGpuWork, Reference::none,
               cuda_gpu_trace},
    ReportInfo{"cuda_kern_exec_sum", "kernexecsum", "CUDA Kernel Launch & Exec Time Summary",
               "Launch latency and queue time of kernels: API call (A), queue (Q), kernel (K), "
               "total (T).",
               kLaunches, Reference::nsys_2023_4, cuda_kern_exec_sum},
    ReportInfo{"cuda_kern_exec_trace", "kernexectrace", "CUDA Kernel Launch & Exec Time Trace",
               "Every kernel with its API call and queue time, in launch order.", kLaunches,
               Reference::none, cuda_kern_exec_trace},
    ReportInfo{"mpi_event_sum", "", "MPI Event Summary", "CPU time of each MPI call.", kMpi,
               Reference::none, mpi_event_sum},
    ReportInfo{"nccl_gpu_overlap_trace", "", "NCCL GPU Overlap Trace",
               "Every communication kernel, with the time that compute kernels overlap.",
               kCommunication, Reference::none, nccl_gpu_overlap_trace},
    ReportInfo{"nvtx_gpu_proj_sum", "", "NVTX GPU Projection Summary",
               "GPU time of NVTX ranges: from the start of the first to the end of the last "
               "activity launched in them.",
               kRangesAndWork, Reference::nsys_2023_4, nvtx_gpu_proj_sum},
    ReportInfo{"nvtx_gpu_proj_trace", "nvtxgpuproj", "NVTX GPU Projection Trace",
               "Every NVTX range that launched GPU activity, in GPU order.", kRangesAndWork,
               Reference::none, nvtx_gpu_proj_trace},
    ReportInfo{"nvtx_kern_sum", "nvtxkernsum", "NVTX Range Kernel Summary",
               "Kernels launched in each NVTX range; a kernel counts in all enclosing ranges.",
               kRangesAndWork, Reference::nsys_2023_4, nvtx_kern_sum},
    ReportInfo{
        "nvtx_pace", "", "NVTX Pacing",
        "Every instance of each NVTX range, with the time since the previous one on its thread.",
        kRanges, Reference::none, nvtx_pace},
    ReportInfo{"nvtx_pushpop_sum", "nvtxppsum", "NVTX Push/Pop Range Summary",
               "CPU time of push/pop ranges.", kPushPop, Reference::nsys_2023_4, nvtx_pushpop_sum},
    ReportInfo{"nvtx_pushpop_trace", "nvtxpptrace", "NVTX Push/Pop Range Trace",
               "Every push/pop range in chronological order, with its nested ranges.", kPushPop,
               Reference::none, nvtx_pushpop_trace},
    ReportInfo{"nvtx_startend_sum", "nvtxsesum", "NVTX Start/End Range Summary",
               "CPU time of start/end ranges.", kStartEnd, Reference::none, nvtx_startend_sum},
    ReportInfo{"nvtx_sum", "nvtxsum", "NVTX Range Summary",
               "CPU time of NVTX ranges, including nested ranges.", kRanges, Reference::nsys_2023_4,
               nvtx_sum},
    ReportInfo{"osrt_sum", "osrtsum", "OS Runtime Summary", "CPU time of each OS runtime call.",
               kOsCalls, Reference::none, osrt_sum},
    ReportInfo{"um_cpu_page_faults_sum", "", "Unified Memory CPU Page Faults Summary",
               "Host functions that caused page faults of unified memory.", kCpuFaults,
               Reference::none, um_cpu_page_faults_sum},
    ReportInfo{"um_sum", "", "Unified Memory Analysis Summary",
               "The ten unified-memory addresses with the most migrated bytes.", kUnifiedMemory,
               Reference::none, um_sum},
    ReportInfo{"um_total_sum", "unifiedmemorytotals", "Unified Memory Totals Summary",
               "Migrated bytes and page faults of unified memory.", kUnifiedMemory, Reference::none,
               um_total_sum},
};

}  // namespace

std::vector<std::size_t> Input::rows(const profile::Column<int64_t>& start_ns) const {
  std::vector<std::size_t> rows;
  rows.reserve(start_ns.size());
  for (std::size_t row = 0; row < start_ns.size(); ++row) {
    if (counts(start_ns[row])) rows.push_back(row);
  }
  return rows;
}

std::vector<std::size_t> Input::rows(const profile::GpuWork& work) const {
  const profile::TraceApiCalls& calls = trace().api_calls;
  if (!window || !are_tied(work, calls)) return rows(work.start_ns);
  const Launches launches(calls);
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < work.size(); ++row) {
    const std::size_t call = launches.first(work, row);
    if (counts(call == Launches::kNone ? work.start_ns[row] : calls.start_ns[call])) {
      rows.push_back(row);
    }
  }
  return rows;
}

std::optional<Window> window_of(const aggregate::Iterations& iterations,
                                const aggregate::IterationRange& range) {
  const auto& rows = iterations.rows;
  if (range.first <= 0 && range.last + 1 >= static_cast<int64_t>(rows.size())) return std::nullopt;
  return Window{rows[static_cast<std::size_t>(range.first)].host_time().start_ns,
                rows[static_cast<std::size_t>(range.last)].host_time().stop_ns};
}

std::string_view remedy_of(const Needs& needs, const profile::Trace& trace) {
  if (trace.capture.recorder != profile::Recorder::pytorch_profiler) return needs.remedy;
  const bool is_recorded = needs.remedy == kRecordCuda || needs.remedy == kRecordKinds;
  if (!is_recorded || &needs == &kStartEnd) return "";
  return "Record with torch.profiler.profile(activities=[ProfilerActivity.CPU, "
         "ProfilerActivity.CUDA]).";
}

std::span<const ReportInfo> reports() {
  return kReports;
}

base::Result<std::vector<const ReportInfo*>> parse_report_list(std::string_view list) {
  std::vector<const ReportInfo*> chosen;
  for (const std::string_view name : split_names(list)) {
    const auto found = std::find_if(kReports.begin(), kReports.end(), [name](const auto& report) {
      return !name.empty() && (report.name == name || report.old_name == name);
    });
    if (found == kReports.end()) {
      std::vector<std::string_view> names;
      for (const ReportInfo& report : kReports) names.push_back(report.name);
      return unknown_name("report", name, names);
    }
    if (std::find(chosen.begin(), chosen.end(), &*found) == chosen.end()) chosen.push_back(&*found);
  }
  return chosen;
}

std::optional<Table> make_report(const ReportInfo& report, const Input& input) {
  std::optional<Table> table = report.make(input);
  if (!table) return std::nullopt;
  table->name = report.name;
  table->title = report.title;
  return table;
}

}  // namespace dlview::report::nsys
