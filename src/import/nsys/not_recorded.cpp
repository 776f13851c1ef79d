#include "import/nsys/not_recorded.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/units.h"
#include "import/errors.h"
#include "import/not_recorded_list.h"
#include "profile/data_loading.h"
#include "profile/recorded.h"

namespace dlview::import::nsys {
namespace {

using profile::Trace;

constexpr const char* kExportAgain =
    "Export the whole report with the newest Nsight Systems: nsys export --type sqlite REPORT.";

bool has_gpu_work(const Trace& trace) {
  return trace.kernels.size() + trace.memcpys.size() + trace.memsets.size() +
             trace.graph_launches.size() >
         0;
}

void add_cuda(const Trace& trace, NotRecordedList& list) {
  if (!has_cuda(trace)) {
    list.add_if(true, profile::kNoGpuWorkAndCalls, "nsys profile --trace=cuda,nvtx");
    return;
  }
  list.add_if(!has_gpu_work(trace), profile::kNoGpuWork,
              "Check that the run used the GPU. If it did, end the program before the capture "
              "ends, or record with nsys profile --cuda-flush-interval=100.");
  list.add_if(trace.api_calls.size() == 0, profile::kNoApiCalls, "nsys profile --trace=cuda,nvtx");
  list.add_if(trace.graph_launches.size() > 0, "Kernels inside CUDA graphs",
              "nsys profile --cuda-graph-trace=node");
  const bool has_launches = trace.kernels.size() > 0 && trace.api_calls.size() > 0;
  list.add_if(has_launches && (trace.kernels.correlation.empty() || trace.kernels.process.empty()),
              "Which call launched a kernel", kExportAgain);
}

int64_t named_threads(const Trace& trace) {
  return std::ranges::count_if(
      trace.threads, [](const profile::TraceThread& thread) { return !thread.name.empty(); });
}

}  // namespace

bool has_cuda(const Trace& trace) {
  return has_gpu_work(trace) || trace.syncs.size() + trace.api_calls.size() > 0;
}

std::vector<profile::NotRecorded> list_not_recorded(const sqlite::Database& database,
                                                    const Trace& trace,
                                                    const profile::Profile& profile) {
  NotRecordedList list;
  add_cuda(trace, list);
  list.add_if(trace.nvtx.size() == 0, profile::kNoRanges,
              "nsys profile --trace=cuda,nvtx --pytorch=autograd-shapes-nvtx, or mark the program: "
              "torch.autograd.profiler.emit_nvtx(), torch.cuda.nvtx.range(\"step 1\").");
  const auto loads_data = [&](profile::StringId type) {
    return profile.text(type) == profile::kDataLoaderOpType;
  };
  list.add_if(trace.nvtx.size() > 0 && std::ranges::none_of(profile.ops.type, loads_data),
              profile::kNoDataLoader,
              "nsys profile --pytorch=autograd-nvtx, or torch.autograd.profiler.emit_nvtx(): "
              "PyTorch then marks the time in its DataLoader. Or add a range: "
              "torch.cuda.nvtx.range(\"DataLoader\").");
  list.add_if(trace.gpus.empty(), "Names, sizes and generations of the GPUs",
              database.has_table("TARGET_INFO_GPU")
                  ? kExportAgain
                  : "The export has no table TARGET_INFO_GPU. Export the report again with `nsys "
                    "export`, or record on the machine with the GPUs.");
  list.add_if(trace.os_calls.size() == 0, "I/O time",
              "nsys profile --trace=cuda,nvtx,osrt: dlview then counts the reads and writes of the "
              "threads that launch GPU activity.");
  const bool names_mpi = std::ranges::any_of(
      trace.nvtx_domains, [](const profile::NvtxDomain& domain) { return domain.name == "MPI"; });
  list.add_if(trace.mpi_calls.size() == 0 && !names_mpi, "MPI calls",
              "nsys profile --trace=cuda,nvtx,mpi, where the program uses MPI");
  list.add_if(has_gpu_work(trace) && trace.counters.size() == 0, "GPU metrics",
              "nsys profile --gpu-metrics-devices=all, as administrator, or where the driver lets "
              "all users read counters");
  list.add_if(has_gpu_work(trace) && trace.memory_usage.size() == 0, "GPU memory in use",
              "nsys profile --cuda-memory-usage=true");
  return std::move(list).take();
}

base::Error no_events(const sqlite::Database& database, const Trace& trace) {
  return {"The export has neither GPU activity nor NVTX ranges",
          fmt::format("{} contains {}, {} and {}", quoted(database.path()),
                      base::counted(std::ssize(trace.os_calls.name), "OS runtime calls"),
                      base::counted(std::ssize(trace.mpi_calls.name), "MPI calls"),
                      base::counted(named_threads(trace), "named threads")),
          "Record the run again with \"nsys profile --trace=cuda,nvtx "
          "--pytorch=autograd-shapes-nvtx COMMAND\", and export the report with \"nsys export "
          "--type sqlite REPORT\""};
}

}  // namespace dlview::import::nsys
