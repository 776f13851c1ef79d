// A row for each event, in order of time.

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <string>
#include <unordered_map>

#include <fmt/format.h>

#include "profile/cuda_devices.h"
#include "report/nsys/cells.h"
#include "report/nsys/declarations.h"
#include "report/nsys/gpu_events.h"
#include "report/nsys/ranges.h"

namespace dlview::report::nsys {
namespace {

using aggregate::Unit;

using Rows = std::shared_ptr<const std::vector<std::size_t>>;

Rows in_order_of_time(std::vector<std::size_t> rows, const profile::Column<int64_t>& start_ns) {
  std::stable_sort(rows.begin(), rows.end(),
                   [&start_ns](std::size_t a, std::size_t b) { return start_ns[a] < start_ns[b]; });
  return std::make_shared<const std::vector<std::size_t>>(std::move(rows));
}

// A value of a column; nothing where the file has none.
template <typename T>
Cell value_of(const profile::Column<T>& column, std::size_t row) {
  constexpr int64_t null = sizeof(T) < sizeof(int64_t) ? -1 : profile::kNoValue;  // see trace.h
  if (row >= column.size() || column[row] == null) return {};
  return static_cast<int64_t>(column[row]);
}

// What the columns tell of an event.
struct GpuTrace : GpuEvents {
  Cell size(const GpuEvent& event) const {
    const std::optional<int64_t> size = bytes(event);
    return size ? Cell{*size} : Cell{};
  }
  // In bytes/s; nsys rounds the number of such events in a second down. Nothing where an int64 does
  // not hold it.
  Cell throughput(const GpuEvent& event) const {
    constexpr int64_t kSecond = 1'000'000'000;
    const std::optional<int64_t> size = bytes(event);
    const int64_t duration = duration_ns(event);
    if (duration <= 0 || !size) return {};
    const int64_t times = kSecond / duration;
    const int64_t most = std::numeric_limits<int64_t>::max() / std::max<int64_t>(times, 1);
    return -most <= *size && *size <= most ? Cell{*size * times} : Cell{};
  }
  Cell memory_kind(const GpuEvent& event, bool is_source) const {
    const auto name = [&event](const profile::Column<profile::MemoryKind>& kinds) -> Cell {
      if (event.row >= kinds.size()) return {};
      return memory_kind_name(kinds[event.row]);
    };
    if (event.kind == GpuEvent::Kind::copy) {
      return name(is_source ? trace().memcpys.src_kind : trace().memcpys.dst_kind);
    }
    const bool is_memset = event.kind == GpuEvent::Kind::memset;
    return is_memset && is_source ? name(trace().memsets.memory_kind) : Cell{};
  }
  // Contexts that are not green ones have the id 0.
  Cell green_context(const GpuEvent& event) const {
    const Cell id = value_of(work(event).green_context, event.row);
    return id == Cell{int64_t{0}} ? Cell{} : id;
  }
  // "NVIDIA A100 (0)".
  Cell device(const GpuEvent& event) const {
    const profile::GpuWork& of_event = work(event);
    if (event.row >= of_event.device_id.size()) return {};
    const int32_t id = of_event.device_id[event.row];
    const bool has_process = event.row < of_event.process.size();
    return fmt::format("{} ({})", device_name(has_process ? of_event.process[event.row] : 0, id),
                       id);
  }
  Cell name(const GpuEvent& event) const {
    if (event.kind == GpuEvent::Kind::memset) return kMemsetName;
    if (event.kind == GpuEvent::Kind::copy) {
      const auto& kinds = trace().memcpys.copy_kind;
      return copy_name(event.row < kinds.size() ? kinds[event.row] : profile::CopyKind::unknown);
    }
    const auto& names = trace().kernels.demangled_name;
    return event.row < names.size() ? Cell{text_of(profile, names[event.row])} : Cell{};
  }

 private:
  // Which GPU a process means by a CUDA ordinal, as far as the file tells.
  std::string_view device_name(profile::ThreadId process, int64_t ordinal) const {
    const auto name = [this](const auto& is_meant) {
      const auto gpu = std::ranges::find_if(trace().gpus, is_meant);
      return gpu == trace().gpus.end() ? std::string_view() : std::string_view(gpu->name);
    };
    if (const auto told = profile::recorded_gpu(trace(), process, ordinal)) {
      return name([&](const profile::TraceGpu& gpu) { return gpu.id == *told; });
    }
    const std::string_view of_system =
        name([&](const profile::TraceGpu& gpu) { return gpu.cuda_device == ordinal; });
    if (!of_system.empty()) return of_system;
    return name([&](const profile::TraceGpu& gpu) { return gpu.id == ordinal; });
  }
};

// In order of time; of equal starts kernels, then copies, then memsets, each in the file's order,
// as nsys has them.
std::shared_ptr<const GpuTrace> gpu_trace(const Input& input) {
  using enum GpuEvent::Kind;
  const auto trace = std::make_shared<GpuTrace>(GpuTrace{{input.profile, {}}});
  for (const GpuEvent::Kind kind : {kernel, copy, memset}) trace->append(kind, input);
  std::stable_sort(trace->events.begin(), trace->events.end(),
                   [&trace](const GpuEvent& a, const GpuEvent& b) {
                     return trace->start_ns(a) < trace->start_ns(b);
                   });
  return trace;
}

std::function<Cell(std::size_t)> of_kernel(const std::shared_ptr<const GpuTrace>& events,
                                           Cell (*value)(const profile::TraceKernels&,
                                                         std::size_t)) {
  return [events, value](std::size_t row) {
    const GpuEvent& event = events->events[row];
    if (event.kind != GpuEvent::Kind::kernel) return Cell{};
    return value(events->trace().kernels, event.row);
  };
}

std::function<Cell(std::size_t)> of_work(
    const std::shared_ptr<const GpuTrace>& events,
    profile::GpuWork::Column<int64_t> profile::GpuWork::*column) {
  return [events, column](std::size_t row) {
    const GpuEvent& event = events->events[row];
    return value_of(events->work(event).*column, event.row);
  };
}

void append_launch_columns(std::vector<Column>& columns,
                           const std::shared_ptr<const GpuTrace>& events) {
  using profile::Dim3;
  struct Part {
    std::string_view letter;
    int32_t Dim3::*value;
  };
  static constexpr std::array<Part, 3> kParts{{{"X", &Dim3::x}, {"Y", &Dim3::y}, {"Z", &Dim3::z}}};
  const auto append = [&](std::string_view id, std::string_view title,
                          profile::KernelColumns::Column<Dim3> profile::TraceKernels::*sizes) {
    for (const Part& part : kParts) {
      columns.push_back(integer_column(
          fmt::format("{}_{}", id, part.letter), fmt::format("{}{}", title, part.letter),
          Unit::none, [events, sizes, value = part.value](std::size_t row) {
            const GpuEvent& event = events->events[row];
            const profile::Column<Dim3>& column = events->trace().kernels.*sizes;
            if (event.kind != GpuEvent::Kind::kernel || event.row >= column.size()) return Cell{};
            return Cell{static_cast<int64_t>(column[event.row].*value)};
          }));
    }
  };
  append("grid", "Grd", &profile::TraceKernels::grid);
  append("block", "Blk", &profile::TraceKernels::block);
  columns.push_back(
      integer_column("registers_per_thread", "Reg/Trd", Unit::count,
                     of_kernel(events, [](const profile::TraceKernels& kernels, std::size_t row) {
                       return value_of(kernels.registers_per_thread, row);
                     })));
  columns.push_back(
      integer_column("static_shared_memory", "StcSMem", Unit::bytes,
                     of_kernel(events, [](const profile::TraceKernels& kernels, std::size_t row) {
                       return value_of(kernels.static_shared_bytes, row);
                     })));
  columns.push_back(
      integer_column("dynamic_shared_memory", "DymSMem", Unit::bytes,
                     of_kernel(events, [](const profile::TraceKernels& kernels, std::size_t row) {
                       return value_of(kernels.dynamic_shared_bytes, row);
                     })));
}

}  // namespace

std::optional<Table> cuda_gpu_trace(const Input& input) {
  const std::shared_ptr<const GpuTrace> events = gpu_trace(input);
  if (events->events.empty()) return std::nullopt;
  const auto of_event = [&events](auto value) {
    return [events, value](std::size_t row) { return Cell{value(*events, events->events[row])}; };
  };
  using Event = const GpuEvent&;
  using Events = const GpuTrace&;
  Table table;
  table.row_count = events->events.size();
  table.columns = {
      integer_column("start", "Start", Unit::ns,
                     of_event([](Events all, Event event) { return all.start_ns(event); })),
      integer_column("duration", "Duration", Unit::ns,
                     of_event([](Events all, Event event) { return all.duration_ns(event); })),
      integer_column("correlation_id", "CorrId", Unit::none,
                     of_work(events, &profile::GpuWork::correlation))};
  append_launch_columns(table.columns, events);
  const std::vector<Column> others{
      integer_column("bytes", "Bytes", Unit::bytes,
                     of_event([](Events all, Event event) { return all.size(event); })),
      integer_column("throughput", "Throughput", Unit::bytes_per_second,
                     of_event([](Events all, Event event) { return all.throughput(event); })),
      word_column("src_memory_kind", "SrcMemKd",
                  of_event([](Events all, Event event) { return all.memory_kind(event, true); })),
      word_column("dst_memory_kind", "DstMemKd",
                  of_event([](Events all, Event event) { return all.memory_kind(event, false); })),
      text_column("device", "Device",
                  of_event([](Events all, Event event) { return all.device(event); })),
      integer_column("context", "Ctx", Unit::none, of_work(events, &profile::GpuWork::context)),
      integer_column("green_context", "GreenCtx", Unit::none,
                     of_event([](Events all, Event event) { return all.green_context(event); })),
      integer_column("stream", "Strm", Unit::none, of_work(events, &profile::GpuWork::stream)),
      text_column("name", "Name",
                  of_event([](Events all, Event event) { return all.name(event); }))};
  table.columns.insert(table.columns.end(), others.begin(), others.end());
  return table;
}

std::optional<Table> cuda_api_trace(const Input& input) {
  const profile::TraceApiCalls& calls = input.trace().api_calls;
  const Rows rows = in_order_of_time(input.rows(calls.start_ns), calls.start_ns);
  if (rows->empty() || !is_recorded(calls.name, calls.size())) return std::nullopt;
  const auto of_call = [&rows](auto value) {
    return [rows, value](std::size_t row) { return Cell{value((*rows)[row])}; };
  };
  const auto of_thread = [&](auto value) {
    return of_call([&trace = input.trace(), value](std::size_t call) {
      if (call >= trace.api_calls.thread.size()) return Cell{};
      const profile::TraceThread* const thread = trace.thread(trace.api_calls.thread[call]);
      return thread == nullptr ? Cell{} : value(*thread);
    });
  };
  const auto of_numbers = [&](int64_t profile::Thread::*number) {
    return of_call([&trace = input.trace(), number](std::size_t call) {
      if (call >= trace.api_calls.thread.size()) return Cell{};
      return Cell{trace.numbers_of(trace.api_calls.thread[call]).*number};
    });
  };
  Table table;
  table.row_count = rows->size();
  table.columns = {
      integer_column("start", "Start", Unit::ns,
                     of_call([&calls](std::size_t call) { return calls.start_ns[call]; })),
      integer_column("duration", "Duration", Unit::ns, of_call([&calls](std::size_t call) {
                       return calls.end_ns[call] - calls.start_ns[call];
                     })),
      text_column("name", "Name", of_call([&calls, &profile = input.profile](std::size_t call) {
                    return call_label(text_of(profile, calls.name[call]));
                  })),
      integer_column("result", "Result", Unit::none, of_call([&calls](std::size_t call) {
                       return value_of(calls.return_value, call);
                     })),
      integer_column("correlation_id", "CorrID", Unit::none, of_call([&calls](std::size_t call) {
                       return value_of(calls.correlation, call);
                     })),
      integer_column("pid", "Pid", Unit::none, of_numbers(&profile::Thread::process_id)),
      integer_column("tid", "Tid", Unit::none, of_numbers(&profile::Thread::thread_id)),
      integer_column("thread_priority", "T-Pri", Unit::none,
                     of_thread([](const profile::TraceThread& thread) {
                       return thread.priority ? Cell{*thread.priority} : Cell{};
                     })),
      text_column("thread_name", "Thread Name", of_thread([](const profile::TraceThread& thread) {
                    return thread.name.empty() ? Cell{} : Cell{std::string_view(thread.name)};
                  }))};
  return table;
}

}  // namespace dlview::report::nsys
