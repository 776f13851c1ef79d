#include "report/nsys/reports.h"

#include <algorithm>
#include <array>

#include "report/names.h"
#include "report/nsys/declarations.h"
#include "report/nsys/launches.h"
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
bool has_ranges(const profile::Trace& trace, int16_t event_type) {
  return std::ranges::find(trace.nvtx.event_type, event_type) != trace.nvtx.event_type.end();
}
bool has_any_range(const profile::Trace& trace) {
  return has_ranges(trace, profile::kPushPopRange) || has_ranges(trace, profile::kStartEndRange);
}

constexpr Needs kKernels{"CUDA kernels", kRecordCuda,
                         [](const profile::Trace& trace) { return trace.kernels.size() > 0; }};
constexpr Needs kGpuWork{"CUDA kernels, copies or memsets", kRecordCuda, has_gpu_work};
constexpr Needs kMemoryOps{
    "CUDA copies or memsets with the names of their kinds (exports from 2022.4 on)", kRecordKinds,
    [](const profile::Trace& trace) {
      return trace.names_copy_kinds && has_memory_operations(trace);
    }};
constexpr Needs kNamedGpuWork{
    "CUDA kernels, copies or memsets with the names of their kinds (exports from 2022.4 on)",
    kRecordKinds,
    [](const profile::Trace& trace) { return trace.names_copy_kinds && has_gpu_work(trace); }};
constexpr Needs kCalls{"CUDA API calls", kRecordCuda,
                       [](const profile::Trace& trace) { return trace.api_calls.size() > 0; }};
constexpr Needs kLaunches{
    "CUDA kernels with the API calls that launched them", kRecordCuda,
    [](const profile::Trace& trace) { return are_tied(trace.kernels, trace.api_calls); }};
constexpr Needs kRanges{"NVTX ranges", kRecordCuda, has_any_range};
constexpr Needs kPushPop{"NVTX push/pop ranges", kRecordCuda, [](const profile::Trace& trace) {
                           return has_ranges(trace, profile::kPushPopRange);
                         }};
constexpr Needs kStartEnd{"NVTX start/end ranges", kRecordCuda, [](const profile::Trace& trace) {
                            return has_ranges(trace, profile::kStartEndRange);
                          }};
constexpr Needs kRangesAndWork{"NVTX ranges with CUDA work that API calls launched in them",
                               kRecordCuda, [](const profile::Trace& trace) {
                                 return has_any_range(trace) && has_gpu_work(trace) &&
                                        trace.api_calls.size() > 0;
                               }};

constexpr std::array kReports{
    ReportInfo{"cuda_api_sum", "cudaapisum", "CUDA API Summary",
               "How long the CPU was in each CUDA API call.", kCalls, cuda_api_sum},
    ReportInfo{"cuda_api_trace", "cudaapitrace", "CUDA API Trace",
               "Every CUDA API call in order of time.", kCalls, cuda_api_trace},
    ReportInfo{"cuda_gpu_kern_gb_sum", "gpukerngbsum", "CUDA GPU Kernel/Grid/Block Summary",
               "How long kernels ran, launches of other grids and blocks apart.", kKernels,
               cuda_gpu_kern_gb_sum},
    ReportInfo{"cuda_gpu_kern_sum", "gpukernsum", "CUDA GPU Kernel Summary",
               "How long the kernels of each name ran; times that overlap count twice.", kKernels,
               cuda_gpu_kern_sum},
    ReportInfo{"cuda_gpu_mem_size_sum", "gpumemsizesum", "CUDA GPU MemOps Summary (by Size)",
               "How many bytes copies and memsets moved, by their kind.", kMemoryOps,
               cuda_gpu_mem_size_sum},
    ReportInfo{"cuda_gpu_mem_time_sum", "gpumemtimesum", "CUDA GPU MemOps Summary (by Time)",
               "How long copies and memsets took, by their kind.", kMemoryOps,
               cuda_gpu_mem_time_sum},
    ReportInfo{"cuda_gpu_sum", "gpusum", "CUDA GPU Summary (Kernels/MemOps)",
               "How long kernels, copies and memsets took, as shares of one whole.", kNamedGpuWork,
               cuda_gpu_sum},
    ReportInfo{"cuda_gpu_trace", "gputrace", "CUDA GPU Trace",
               "Every kernel, copy and memset in order of time.", kGpuWork, cuda_gpu_trace},
    ReportInfo{"cuda_kern_exec_sum", "kernexecsum", "CUDA Kernel Launch & Exec Time Summary",
               "The way of kernels: in the API call (A), in the queue (Q), on the GPU (K), and all "
               "of it (T).",
               kLaunches, cuda_kern_exec_sum},
    ReportInfo{"nvtx_gpu_proj_sum", "", "NVTX GPU Projection Summary",
               "How long ranges lasted on the GPU: from the start of the first to the end of the "
               "last work launched in them.",
               kRangesAndWork, nvtx_gpu_proj_sum},
    ReportInfo{"nvtx_kern_sum", "nvtxkernsum", "NVTX Range Kernel Summary",
               "Which kernels were launched in a range; they count in each range around the call.",
               kRangesAndWork, nvtx_kern_sum},
    ReportInfo{"nvtx_pushpop_sum", "nvtxppsum", "NVTX Push/Pop Range Summary",
               "How long push/pop ranges lasted on the CPU.", kPushPop, nvtx_pushpop_sum},
    ReportInfo{"nvtx_pushpop_trace", "nvtxpptrace", "NVTX Push/Pop Range Trace",
               "Every push/pop range in order of time, with those inside it.", kPushPop,
               nvtx_pushpop_trace},
    ReportInfo{"nvtx_startend_sum", "nvtxsesum", "NVTX Start/End Range Summary",
               "How long start/end ranges lasted on the CPU.", kStartEnd, nvtx_startend_sum},
    ReportInfo{"nvtx_sum", "nvtxsum", "NVTX Range Summary",
               "How long ranges lasted on the CPU, those inside them included.", kRanges, nvtx_sum},
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
