// cuda_kern_exec_trace: each kernel with the call that launched it and its time in the queue.

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "report/nsys/cells.h"
#include "report/nsys/declarations.h"
#include "report/nsys/gpu_events.h"

namespace dlview::report::nsys {
namespace {

using aggregate::Unit;

struct TracedLaunch {
  int64_t call_start = 0, call_end = 0, kernel_start = 0, kernel_end = 0;
  std::size_t kernel = 0, call = 0;  // rows

  // A kernel that begins as its call ends was in the queue, for 0 ns (spec.md 16).
  bool was_queued() const { return kernel_start >= call_end; }
};

std::vector<TracedLaunch> launches_by_time(const Input& input) {
  const profile::Trace& trace = input.trace();
  std::vector<TracedLaunch> traced;
  for (const auto& [kernel, call] : find_launches(input)) {
    if (call == Launches::kNone) continue;
    traced.push_back({trace.api_calls.start_ns[call], trace.api_calls.end_ns[call],
                      trace.kernels.start_ns[kernel], trace.kernels.end_ns[kernel], kernel, call});
  }
  std::ranges::stable_sort(traced, {}, [](const TracedLaunch& launch) {
    return std::tuple(launch.call_start, launch.kernel_start);
  });
  return traced;
}

}  // namespace

std::optional<Table> cuda_kern_exec_trace(const Input& input) {
  const profile::Trace& trace = input.trace();
  const profile::TraceKernels& kernels = trace.kernels;
  const profile::TraceApiCalls& calls = trace.api_calls;
  if (!are_tied(kernels, calls) || !is_recorded(kernels.device_id, kernels.size()) ||
      !is_recorded(kernels.demangled_name, kernels.size()) ||
      !is_recorded(calls.name, calls.size())) {
    return std::nullopt;
  }
  const auto rows = std::make_shared<const std::vector<TracedLaunch>>(launches_by_time(input));
  if (rows->empty()) return std::nullopt;
  const auto of_launch = [&rows](auto value) {
    return [rows, value](std::size_t row) { return Cell{value((*rows)[row])}; };
  };
  const auto size = [&](const profile::Column<profile::Dim3>& sizes) {
    return of_launch([&sizes](const TracedLaunch& launch) {
      return launch.kernel < sizes.size() ? Cell{dimensions(sizes[launch.kernel])} : Cell{};
    });
  };
  const auto time = [&](std::string id, std::string title, auto value) {
    return integer_column(std::move(id), std::move(title), Unit::ns, of_launch(value));
  };
  Table table;
  table.row_count = rows->size();
  table.columns = {
      time("api_start", "API Start", [](const TracedLaunch& l) { return l.call_start; }),
      time("api_duration", "API Dur",
           [](const TracedLaunch& l) { return l.call_end - l.call_start; }),
      time("queue_start", "Queue Start",
           [](const TracedLaunch& l) { return l.was_queued() ? Cell{l.call_end} : Cell{}; }),
      time("queue_duration", "Queue Dur",
           [](const TracedLaunch& l) {
             return l.was_queued() ? Cell{l.kernel_start - l.call_end} : Cell{};
           }),
      time("kernel_start", "Kernel Start", [](const TracedLaunch& l) { return l.kernel_start; }),
      time("kernel_duration", "Kernel Dur",
           [](const TracedLaunch& l) { return l.kernel_end - l.kernel_start; }),
      time("total_duration", "Total Dur",
           [](const TracedLaunch& l) { return std::max(l.call_end, l.kernel_end) - l.call_start; }),
      integer_column("pid", "PID", Unit::none,
                     of_launch([&trace = input.trace()](const TracedLaunch& l) {
                       return trace.numbers_of(trace.api_calls.thread[l.call]).process_id;
                     })),
      integer_column("tid", "TID", Unit::none,
                     of_launch([&trace = input.trace()](const TracedLaunch& l) {
                       return trace.numbers_of(trace.api_calls.thread[l.call]).thread_id;
                     })),
      integer_column("dev_id", "DevId", Unit::none, of_launch([&kernels](const TracedLaunch& l) {
                       return int64_t{kernels.device_id[l.kernel]};
                     })),
      text_column("api_function", "API Function",
                  of_launch([&calls, &profile = input.profile](const TracedLaunch& l) {
                    return call_label(text_of(profile, calls.name[l.call]));
                  })),
      word_column("grid_xyz", "GridXYZ", size(kernels.grid)),
      word_column("block_xyz", "BlockXYZ", size(kernels.block)),
      text_column("kernel_name", "Kernel Name",
                  of_launch([&kernels, &profile = input.profile](const TracedLaunch& l) {
                    return text_of(profile, kernels.demangled_name[l.kernel]);
                  }))};
  return table;
}

}  // namespace dlview::report::nsys
