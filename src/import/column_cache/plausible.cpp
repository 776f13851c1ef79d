#include "import/column_cache/plausible.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <span>
#include <type_traits>

#include "base/parallel.h"
#include "import/times.h"

namespace dlview::import::column_cache {
namespace {

using profile::Column;
using profile::kNoText;
using profile::Row;
using profile::StringId;

constexpr std::size_t kValuesAtOnce = std::size_t{1} << 16;

class Check {
 public:
  explicit Check(const profile::Profile& profile) : profile_(profile) {}

  bool run();

 private:
  // Of all values, by their place.
  template <typename T, typename Holds>
  void require_each(const Column<T>& values, const Holds& holds) {
    base::parallel_for(values.size(), kValuesAtOnce, [&](std::size_t begin, std::size_t end) {
      bool all = true;
      for (std::size_t i = begin; i < end; ++i) all &= holds(i);
      if (!all) holds_ = false;
    });
  }

  template <typename T, typename Use>
  void for_pieces(const Column<T>& values, const Use& use) {
    base::parallel_for(values.size(), kValuesAtOnce, [&](std::size_t begin, std::size_t end) {
      use(values.span().subspan(begin, end - begin));
    });
  }

  void require(bool holds) {
    if (!holds) holds_ = false;
  }

  // Loops without a branch and of one width, so that the compiler takes many values at once.
  template <typename T>
  void require_below(const Column<T>& values, std::size_t limit) {
    using Number = std::make_unsigned_t<T>;
    for_pieces(values, [&](std::span<const T> piece) {
      Number most = 0;
      for (const T value : piece) most = std::max(most, static_cast<Number>(value));
      require(most < limit);
    });
  }

  template <typename... T>
  void require_texts(const Column<T>&... ids) {
    (require_below(ids, profile_.strings.size()), ...);
  }

  // kNoText is one too.
  void require_texts_or_none(const Column<StringId>& ids) {
    static_assert(kNoText + 1 == StringId{0});
    for_pieces(ids, [&](std::span<const StringId> piece) {
      StringId end = 0;
      for (const StringId id : piece) end = std::max(end, id + 1);
      require(end <= profile_.strings.size());
    });
  }

  // As an import accepts them: sums of other times could overflow.
  template <typename... T>
  void require_times(const Column<T>&... times_ns) {
    (require_below(times_ns, static_cast<std::size_t>(kLatestNs) + 1), ...);
  }

  // Offsets that divide rows 0 to `rows`.
  template <typename T>
  void require_offsets(const Column<T>& offsets, std::size_t groups, std::size_t rows) {
    require(offsets.size() == groups + 1);
    if (!holds_) return;
    const T* const offset = offsets.span().data();
    base::parallel_for(groups, kValuesAtOnce, [&](std::size_t begin, std::size_t end) {
      T descents = 0;
      for (std::size_t i = begin; i < end; ++i) descents |= offset[i] > offset[i + 1] ? 1 : 0;
      require(descents == 0);
    });
    require(offset[0] == 0 && offset[groups] == rows);
  }

  // Events and instances say the same of each other: rows [first[i], first[i + 1]) are of instance
  // i.
  void require_events_of_instances(const Column<Row>& instance, const Column<Row>& first) {
    if (!holds_) return;
    const Row* const of = instance.span().data();
    require_each(profile_.instances.op, [&, offset = first.span().data()](std::size_t i) {
      Row others = 0;
      for (Row k = offset[i]; k < offset[i + 1]; ++k) others |= of[k] ^ static_cast<Row>(i);
      return others == 0;
    });
  }

  template <typename... T>
  void require_sizes(std::size_t size, const Column<T>&... columns) {
    (require(columns.size() == size), ...);
  }
  // A column that the file does not have is empty.
  template <typename... T>
  void require_sizes_or_none(std::size_t size, const Column<T>&... columns) {
    (require(columns.size() == size || columns.empty()), ...);
  }

  void check_strings();
  void check_ops();
  void check_instances();
  void check_kernels();
  void check_memory_ops();
  void check_other_events();
  void check_work(const profile::GpuWork& work);
  void check_trace_work(const profile::Trace& trace);
  void check_trace_calls(const profile::Trace& trace);
  void check_samples(const profile::Trace& trace);
  void check_calls(const profile::TraceCalls& calls);

  const profile::Profile& profile_;
  std::atomic<bool> holds_{true};
};

void Check::check_strings() {
  require_offsets(profile_.strings.offsets(), profile_.strings.size(),
                  profile_.strings.bytes().size());
  require(profile_.strings.size() > 0);
}

void Check::check_ops() {
  const profile::Ops& ops = profile_.ops;
  require_sizes(ops.size(), ops.name, ops.type, ops.direction, ops.data_type, ops.data_format,
                ops.output_format, ops.parameters_format, ops.stack_trace, ops.tensor_core_support,
                ops.source_id);
  require_texts(ops.id, ops.name, ops.type, ops.direction, ops.data_type, ops.data_format,
                ops.output_format, ops.parameters_format, ops.stack_trace);
  require_below(ops.tensor_core_support,
                static_cast<std::size_t>(profile::TensorCoreSupport::none) + 1);
}

void Check::check_instances() {
  const profile::OpInstances& all = profile_.instances;
  require_sizes(all.size(), all.cpu_start_ns, all.cpu_stop_ns, all.thread, all.input_names,
                all.input_shapes, all.output_names, all.output_shapes, all.parameters,
                all.source_id);
  require_times(all.cpu_start_ns, all.cpu_stop_ns);
  require_below(all.op, profile_.ops.size());
  require_below(all.thread, profile_.threads.size());
  require_texts(all.input_names, all.input_shapes, all.output_names, all.output_shapes,
                all.parameters);
  require_offsets(all.first_kernel, all.size(), profile_.kernels.size());
  require_offsets(all.first_memory_op, all.size(), profile_.memory_ops.size());
  require_offsets(all.first_sync, all.size(), profile_.syncs.size());
  require_offsets(all.first_api_call, all.size(), profile_.api_calls.size());
}

void Check::check_kernels() {
  const profile::Kernels& all = profile_.kernels;
  require_sizes(all.size(), all.instance, all.long_name, all.uses_tensor_cores, all.api_start_ns,
                all.api_stop_ns, all.gpu_start_ns, all.gpu_stop_ns, all.launch, all.source_id);
  require_times(all.api_start_ns, all.api_stop_ns, all.gpu_start_ns, all.gpu_stop_ns);
  require_events_of_instances(all.instance, profile_.instances.first_kernel);
  require_below(all.uses_tensor_cores, 2);
  require_below(all.launch, profile_.launches.size());
  require_texts(all.name, all.long_name);

  const profile::Launches& launches = profile_.launches;
  require_sizes(launches.size(), launches.block, launches.device, launches.thread);
  require_below(launches.device, profile_.devices.size());
  require_below(launches.thread, profile_.threads.size());
}

void Check::check_memory_ops() {
  const profile::MemoryOps& all = profile_.memory_ops;
  require_sizes(all.size(), all.instance, all.kind, all.copy_kind, all.bytes, all.api_start_ns,
                all.api_stop_ns, all.gpu_start_ns, all.gpu_stop_ns, all.device, all.thread,
                all.source_id);
  require_times(all.api_start_ns, all.api_stop_ns, all.gpu_start_ns, all.gpu_stop_ns);
  require_events_of_instances(all.instance, profile_.instances.first_memory_op);
  require_below(all.kind, static_cast<std::size_t>(profile::MemoryOpKind::memset) + 1);
  require_texts(all.name);
  require_below(all.device, profile_.devices.size());
  require_below(all.thread, profile_.threads.size());
  if (!profile_.trace || !holds_) return;
  // Those of an export are rows of its trace, from 1.
  const profile::Trace& trace = *profile_.trace;
  require_each(all.source_id, [&](std::size_t i) {
    const std::size_t rows =
        all.kind[i] == profile::MemoryOpKind::memcpy ? trace.memcpys.size() : trace.memsets.size();
    return static_cast<std::size_t>(all.source_id[i] - 1) < rows;
  });
}

void Check::check_other_events() {
  const profile::Syncs& syncs = profile_.syncs;
  require_sizes(syncs.size(), syncs.instance, syncs.api_start_ns, syncs.api_stop_ns,
                syncs.sync_type, syncs.event_id, syncs.device_id, syncs.thread, syncs.source_id);
  require_times(syncs.api_start_ns, syncs.api_stop_ns);
  require_events_of_instances(syncs.instance, profile_.instances.first_sync);
  require_below(syncs.thread, profile_.threads.size());
  require_texts(syncs.name);

  const profile::ApiCalls& calls = profile_.api_calls;
  require_sizes(calls.size(), calls.instance, calls.api_start_ns, calls.api_stop_ns, calls.thread,
                calls.source_id);
  require_times(calls.api_start_ns, calls.api_stop_ns);
  require_events_of_instances(calls.instance, profile_.instances.first_api_call);
  require_below(calls.thread, profile_.threads.size());
  require_texts(calls.name);

  const profile::UserRanges& ranges = profile_.user_ranges;
  require_sizes(ranges.size(), ranges.path, ranges.start_ns, ranges.stop_ns, ranges.number,
                ranges.thread);
  require_times(ranges.start_ns, ranges.stop_ns);
  require_below(ranges.thread, profile_.threads.size());
  require_texts(ranges.name, ranges.path);
  const profile::NamesWithSlashes& names = profile_.names_with_slashes;
  require_sizes(names.size(), names.nesting);
  require_texts(names.path, names.nesting);
}

void Check::check_work(const profile::GpuWork& work) {
  require_sizes(work.size(), work.end_ns);
  require_sizes_or_none(work.size(), work.correlation, work.process, work.device_id, work.context,
                        work.green_context, work.stream, work.graph_node);
}

void Check::check_trace_work(const profile::Trace& trace) {
  require(std::ranges::all_of(trace.threads, [&](const profile::TraceThread& thread) {
    return thread.process < trace.processes.size();
  }));
  const profile::TraceKernels& kernels = trace.kernels;
  check_work(kernels);
  require_sizes_or_none(kernels.size(), kernels.short_name, kernels.demangled_name,
                        kernels.mangled_name, kernels.grid, kernels.block,
                        kernels.registers_per_thread, kernels.static_shared_bytes,
                        kernels.dynamic_shared_bytes);
  for (const auto* ids : {&kernels.short_name, &kernels.demangled_name, &kernels.mangled_name}) {
    require_texts_or_none(*ids);
  }
  const profile::TraceMemcpys& memcpys = trace.memcpys;
  check_work(memcpys);
  require_sizes_or_none(memcpys.size(), memcpys.bytes, memcpys.copy_kind, memcpys.src_kind,
                        memcpys.dst_kind, memcpys.virtual_address);
  check_work(trace.memsets);
  require_sizes_or_none(trace.memsets.size(), trace.memsets.bytes, trace.memsets.memory_kind);
  check_work(trace.syncs);
  require_sizes_or_none(trace.syncs.size(), trace.syncs.sync_type, trace.syncs.event);
  check_work(trace.graph_launches);
  require_sizes_or_none(trace.graph_launches.size(), trace.graph_launches.graph,
                        trace.graph_launches.graph_exec);
  const profile::TraceCpuFaults& cpu_faults = trace.cpu_page_faults;
  require_sizes_or_none(cpu_faults.size(), cpu_faults.address, cpu_faults.instruction);
  require_texts_or_none(cpu_faults.instruction);
  const profile::TraceGpuFaults& gpu_faults = trace.gpu_page_faults;
  require_sizes(gpu_faults.size(), gpu_faults.end_ns);
  require_sizes_or_none(gpu_faults.size(), gpu_faults.address, gpu_faults.count);
}

void Check::check_calls(const profile::TraceCalls& calls) {
  require_sizes(calls.size(), calls.end_ns, calls.thread, calls.name);
  require_texts_or_none(calls.name);
  std::size_t last = 0;
  for (const profile::TraceCalls::Table& table : calls.tables) {
    require(table.first >= last && table.first <= calls.size());
    last = table.first;
  }
}

void Check::check_trace_calls(const profile::Trace& trace) {
  const profile::TraceApiCalls& calls = trace.api_calls;
  require_sizes(calls.size(), calls.end_ns);
  require_sizes_or_none(calls.size(), calls.event_class, calls.thread, calls.correlation,
                        calls.name, calls.return_value);
  require_texts_or_none(calls.name);
  const profile::TraceNvtx& nvtx = trace.nvtx;
  require_sizes(nvtx.size(), nvtx.end_ns, nvtx.event_type, nvtx.text);
  require_sizes_or_none(nvtx.size(), nvtx.thread, nvtx.end_thread, nvtx.domain, nvtx.range_id,
                        nvtx.category, nvtx.colour, nvtx.source_row);
  require_texts_or_none(nvtx.text);
  check_calls(trace.os_calls);
  check_calls(trace.mpi_calls);
}

void Check::check_samples(const profile::Trace& trace) {
  const profile::TraceSwitches& switches = trace.switches;
  require_sizes_or_none(switches.size(), switches.thread, switches.cpu, switches.is_running);
  const profile::TraceFrames& frames = trace.frames;
  require_sizes(frames.size(), frames.function, frames.module);
  require_texts_or_none(frames.function);
  require_texts_or_none(frames.module);
  for (Row row = 0; holds_ && row < frames.size(); ++row) {
    require(frames.caller[row] == profile::kNoRow || frames.caller[row] < row);
  }
  const profile::TraceSamples& samples = trace.samples;
  require_sizes(samples.size(), samples.frame);
  require_sizes_or_none(samples.size(), samples.thread);
  for_pieces(samples.frame, [&](std::span<const Row> piece) {
    const auto is_frame = [&](Row row) { return row == profile::kNoRow || row < frames.size(); };
    require(std::ranges::all_of(piece, is_frame));
  });
}

bool Check::run() {
  check_strings();
  check_ops();
  check_instances();
  check_kernels();
  check_memory_ops();
  check_other_events();
  if (profile_.trace) {
    check_trace_work(*profile_.trace);
    check_trace_calls(*profile_.trace);
    check_samples(*profile_.trace);
  }
  return holds_;
}

}  // namespace

bool is_plausible(const profile::Profile& profile) {
  return Check(profile).run();
}

}  // namespace dlview::import::column_cache
