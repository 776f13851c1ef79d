#include "import/column_cache/plausible.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>

#include "base/fields.h"
#include "base/parallel.h"
#include "import/times.h"
#include "profile/recorded_work.h"

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
    require_below_or_none<kNoText>(ids, profile_.strings.size());
  }

  template <uint32_t kNone>
  void require_below_or_none(const Column<uint32_t>& values, std::size_t limit) {
    static_assert(kNone + 1 == uint32_t{0});
    for_pieces(values, [&](std::span<const uint32_t> piece) {
      uint32_t end = 0;
      for (const uint32_t value : piece) end = std::max(end, value + 1);
      require(end <= limit);
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

  // Every column has a value for each row of the table.
  template <typename Table>
  void require_sizes(const Table& table) {
    base::with_fields(table, [&, rows = table.size()](const auto&... members) {
      (require_size(members, [rows](std::size_t size) { return size == rows; }), ...);
    });
  }
  // The same, but a column that the file does not have is empty.
  template <typename Table>
  void require_sizes_or_none(const Table& table) {
    using base::with_fields;
    with_fields(table, [&, rows = table.size()](const auto&... members) {
      (require_size(members, [rows](std::size_t size) { return size == rows || size == 0; }), ...);
    });
  }
  template <typename T, typename Fits>
  void require_size(const Column<T>& column, const Fits& fits) {
    require(fits(column.size()));
  }
  template <typename T, typename Fits>
  void require_size(const std::vector<T>&, const Fits&) {}  // no column: tables of calls

  template <typename... T>
  void require_all(std::size_t rows, const Column<T>&... columns) {
    (require(columns.size() == rows), ...);
  }

  void check_strings();
  void check_ops();
  void check_instances();
  void check_kernels();
  void check_memory_ops();
  void check_other_events();
  void check_trace_work(const profile::Trace& trace);
  void check_counters(const profile::TraceCounters& counters);
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
  require_sizes(ops);
  require_texts(ops.id, ops.name, ops.type, ops.direction, ops.data_type, ops.data_format,
                ops.output_format, ops.parameters_format, ops.stack_trace);
  require_below(ops.tensor_core_support,
                static_cast<std::size_t>(profile::TensorCoreSupport::none) + 1);
}

void Check::check_instances() {
  const profile::OpInstances& all = profile_.instances;
  // Offsets have one value more.
  const auto is_offsets = [&all](const void* column) {
    return column == &all.first_kernel || column == &all.first_memory_op ||
           column == &all.first_sync || column == &all.first_api_call;
  };
  base::with_fields(all, [&](const auto&... columns) {
    (require(columns.size() == all.size() + (is_offsets(&columns) ? 1 : 0) ||
             (columns.empty() && static_cast<const void*>(&columns) == &all.forward)),
     ...);
  });
  require_below_or_none<profile::kNoRow>(all.forward, all.size());
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
  require_sizes(all);
  require_times(all.api_start_ns, all.api_stop_ns, all.gpu_start_ns, all.gpu_stop_ns);
  require_events_of_instances(all.instance, profile_.instances.first_kernel);
  require_below(all.uses_tensor_cores, 2);
  require_below(all.launch, profile_.launches.size());
  require_texts(all.name, all.long_name);

  const profile::Launches& launches = profile_.launches;
  require_sizes(launches);
  require_below(launches.device, profile_.devices.size());
  require_below(launches.thread, profile_.threads.size());
}

void Check::check_memory_ops() {
  const profile::MemoryOps& all = profile_.memory_ops;
  require_sizes(all);
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
    return profile::row_of_source_id(all.source_id[i]) < rows;
  });
}

void Check::check_other_events() {
  const profile::Syncs& syncs = profile_.syncs;
  require_sizes(syncs);
  require_times(syncs.api_start_ns, syncs.api_stop_ns);
  require_events_of_instances(syncs.instance, profile_.instances.first_sync);
  require_below(syncs.thread, profile_.threads.size());
  require_texts(syncs.name);

  const profile::ApiCalls& calls = profile_.api_calls;
  require_sizes(calls);
  require_times(calls.api_start_ns, calls.api_stop_ns);
  require_events_of_instances(calls.instance, profile_.instances.first_api_call);
  require_below(calls.thread, profile_.threads.size());
  require_texts(calls.name);

  const profile::UserRanges& ranges = profile_.user_ranges;
  require_sizes(ranges);
  require_times(ranges.start_ns, ranges.stop_ns);
  require_below(ranges.thread, profile_.threads.size());
  require_texts(ranges.name, ranges.path);
  const profile::NamesWithSlashes& names = profile_.names_with_slashes;
  require_sizes(names);
  require_texts(names.path, names.nesting);
}

void Check::check_trace_work(const profile::Trace& trace) {
  require(std::ranges::all_of(trace.threads, [&](const profile::TraceThread& thread) {
    return thread.process < trace.processes.size();
  }));
  const auto check_work = [this](const auto& work) {
    require_all(work.size(), work.end_ns);
    require_sizes_or_none(work);
  };
  check_work(trace.kernels);
  check_work(trace.memcpys);
  check_work(trace.memsets);
  check_work(trace.syncs);
  check_work(trace.graph_launches);
  const profile::TraceKernels& kernels = trace.kernels;
  for (const auto* ids : {&kernels.short_name, &kernels.demangled_name, &kernels.mangled_name}) {
    require_texts_or_none(*ids);
  }
  require_sizes_or_none(trace.cpu_page_faults);
  require_texts_or_none(trace.cpu_page_faults.instruction);
  require_all(trace.gpu_page_faults.size(), trace.gpu_page_faults.end_ns);
  require_sizes_or_none(trace.gpu_page_faults);
  const profile::TraceSyncEvents& sync_events = trace.sync_events;
  require_sizes(sync_events);
  require_times(sync_events.start_ns, sync_events.end_ns);
  require_each(sync_events.device_id,
               [&](std::size_t i) { return sync_events.device_id[i] >= -1; });
  require_texts(sync_events.name);
  const profile::TraceOverheads& overheads = trace.overheads;
  require_sizes(overheads);
  require_times(overheads.start_ns, overheads.end_ns);
  require_texts(overheads.name);
  const profile::TraceCollectives& collectives = trace.collectives;
  require_sizes(collectives);
  for (const auto* ids : {&collectives.name, &collectives.data_type, &collectives.group_name,
                          &collectives.group_description, &collectives.group_ranks}) {
    require_texts_or_none(*ids);
  }
  require_sizes(trace.allocations);
  require_sizes_or_none(trace.memory_usage);
  require_texts_or_none(trace.memory_usage.name);
  check_counters(trace.counters);
}

void Check::check_counters(const profile::TraceCounters& counters) {
  require_sizes(counters);
  require_each(counters.value, [&](std::size_t i) { return std::isfinite(counters.value[i]); });
  // Each row is of a series, and each series has a row.
  require(counters.series.empty() == (counters.size() == 0));
  std::size_t next = 0;
  for (const profile::TraceCounters::Series& series : counters.series) {
    require(next == 0 ? series.first == 0 : series.first >= next);
    require(series.first < counters.size());
    require(series.kind <= profile::CounterKind::sample);
    next = series.first + 1;
  }
}

void Check::check_calls(const profile::TraceCalls& calls) {
  require_sizes(calls);
  require_texts_or_none(calls.name);
  std::size_t last = 0;
  for (const profile::TraceCalls::Table& table : calls.tables) {
    require(table.first >= last && table.first <= calls.size());
    last = table.first;
  }
}

void Check::check_trace_calls(const profile::Trace& trace) {
  const profile::TraceApiCalls& calls = trace.api_calls;
  require_all(calls.size(), calls.end_ns);
  require_sizes_or_none(calls);
  require_below(calls.layer, static_cast<std::size_t>(profile::ApiLayer::other) + 1);
  require_texts_or_none(calls.name);
  const profile::TraceNvtx& nvtx = trace.nvtx;
  require_all(nvtx.size(), nvtx.end_ns, nvtx.kind, nvtx.text);
  require_below(nvtx.kind, static_cast<std::size_t>(profile::NvtxKind::start_end_range) + 1);
  require_sizes_or_none(nvtx);
  require_texts_or_none(nvtx.text);
  require_texts_or_none(nvtx.input_shapes);
  require_texts_or_none(nvtx.input_types);
  require_texts_or_none(nvtx.input_values);
  require_texts_or_none(nvtx.call_stack);
  if (!nvtx.event_kind.empty()) require_all(nvtx.size(), nvtx.thread);
  require_below(nvtx.event_kind, static_cast<std::size_t>(profile::HostEventKind::other) + 1);
  for (const profile::Row row : nvtx.forward) require(row == profile::kNoRow || row < nvtx.size());
  check_calls(trace.os_calls);
  check_calls(trace.mpi_calls);
}

void Check::check_samples(const profile::Trace& trace) {
  const profile::TraceSwitches& switches = trace.switches;
  require_sizes_or_none(switches);
  const profile::TraceFrames& frames = trace.frames;
  require_sizes(frames);
  require_texts_or_none(frames.function);
  require_texts_or_none(frames.module);
  for (Row row = 0; holds_ && row < frames.size(); ++row) {
    require(frames.caller[row] == profile::kNoRow || frames.caller[row] < row);
  }
  const profile::TraceSamples& samples = trace.samples;
  require_all(samples.size(), samples.frame);
  require_sizes_or_none(samples);
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
