#include "report/nsys/reports.h"

#include <algorithm>
#include <array>

#include "report/names.h"
#include "report/nsys/declarations.h"
#include "report/nsys/launches.h"

namespace dlview::report::nsys {
namespace {

constexpr std::string_view kKernels = "CUDA kernels";
constexpr std::string_view kMemoryOps =
    "CUDA copies or memsets with the names of their kinds (exports from 2022.4 on)";
constexpr std::string_view kGpuWork = "CUDA kernels, copies or memsets";
constexpr std::string_view kNamedGpuWork =
    "CUDA kernels, copies or memsets with the names of their kinds (exports from 2022.4 on)";
constexpr std::string_view kCalls = "CUDA API calls";
constexpr std::string_view kLaunches = "CUDA kernels with the API calls that launched them";
constexpr std::string_view kRanges = "NVTX ranges";
constexpr std::string_view kPushPop = "NVTX push/pop ranges";
constexpr std::string_view kStartEnd = "NVTX start/end ranges";
constexpr std::string_view kRangesAndWork =
    "NVTX ranges with CUDA work that API calls launched in them";

constexpr std::array kReports{
    ReportInfo{"cuda_api_sum", "cudaapisum", "CUDA API Summary", kCalls, cuda_api_sum},
    ReportInfo{"cuda_api_trace", "cudaapitrace", "CUDA API Trace", kCalls, cuda_api_trace},
    ReportInfo{"cuda_gpu_kern_gb_sum", "gpukerngbsum", "CUDA GPU Kernel/Grid/Block Summary",
               kKernels, cuda_gpu_kern_gb_sum},
    ReportInfo{"cuda_gpu_kern_sum", "gpukernsum", "CUDA GPU Kernel Summary", kKernels,
               cuda_gpu_kern_sum},
    ReportInfo{"cuda_gpu_mem_size_sum", "gpumemsizesum", "CUDA GPU MemOps Summary (by Size)",
               kMemoryOps, cuda_gpu_mem_size_sum},
    ReportInfo{"cuda_gpu_mem_time_sum", "gpumemtimesum", "CUDA GPU MemOps Summary (by Time)",
               kMemoryOps, cuda_gpu_mem_time_sum},
    ReportInfo{"cuda_gpu_sum", "gpusum", "CUDA GPU Summary (Kernels/MemOps)", kNamedGpuWork,
               cuda_gpu_sum},
    ReportInfo{"cuda_gpu_trace", "gputrace", "CUDA GPU Trace", kGpuWork, cuda_gpu_trace},
    ReportInfo{"cuda_kern_exec_sum", "kernexecsum", "CUDA Kernel Launch & Exec Time Summary",
               kLaunches, cuda_kern_exec_sum},
    ReportInfo{"nvtx_gpu_proj_sum", "", "NVTX GPU Projection Summary", kRangesAndWork,
               nvtx_gpu_proj_sum},
    ReportInfo{"nvtx_kern_sum", "nvtxkernsum", "NVTX Range Kernel Summary", kRangesAndWork,
               nvtx_kern_sum},
    ReportInfo{"nvtx_pushpop_sum", "nvtxppsum", "NVTX Push/Pop Range Summary", kPushPop,
               nvtx_pushpop_sum},
    ReportInfo{"nvtx_pushpop_trace", "nvtxpptrace", "NVTX Push/Pop Range Trace", kPushPop,
               nvtx_pushpop_trace},
    ReportInfo{"nvtx_startend_sum", "nvtxsesum", "NVTX Start/End Range Summary", kStartEnd,
               nvtx_startend_sum},
    ReportInfo{"nvtx_sum", "nvtxsum", "NVTX Range Summary", kRanges, nvtx_sum},
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
  return Window{rows[static_cast<std::size_t>(range.first)].start_ns,
                rows[static_cast<std::size_t>(range.last)].stop_ns};
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
