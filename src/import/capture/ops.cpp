#include "import/capture/ops.h"

#include <algorithm>
#include <future>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/large_memory.h"
#include "base/parallel.h"
#include "base/stop_point.h"
#include "base/units.h"
#include "base/untouched_vector.h"
#include "import/capture/call_index.h"
#include "import/capture/events.h"
#include "import/capture/instances.h"
#include "import/capture/marker.h"
#include "import/capture/names.h"
#include "import/capture/op_list.h"
#include "import/capture/waiting.h"
#include "import/capture/work.h"

namespace dlview::import::capture {
namespace {

using profile::kNoRow;
using profile::kNoValue;
using profile::Row;
using profile::StringId;
using profile::ThreadId;

void set_model_config(const NvtxRanges& ranges, profile::ProfileBuilder& builder) {
  for (const RangeFacts& facts : ranges.facts) {
    if (facts.kind != RangeKind::marker_config) continue;
    if (const auto config = read_config_marker(builder.text(facts.text))) {
      builder.system.model_config = config;
    }
  }
}

void add_user_ranges(const profile::Trace& trace, const NvtxRanges& ranges, const OpSpans& spans,
                     profile::ProfileBuilder& builder) {
  std::unordered_map<OpPaths::Node, StringId> paths;
  for (const auto& [thread, number, node] : spans.user_ranges) {
    const NvtxRange& range = ranges.ranges[number];
    const base::Interval time = ranges.time_of(range);
    const auto [path, added] = paths.emplace(node, 0);
    if (added) {
      path->second = builder.intern(spans.paths.path(node, builder));
      builder.set_nesting(path->second, spans.paths.nesting(node, builder));
    }
    builder.add_user_range({.name = ranges.facts_of(range).name,
                            .path = path->second,
                            .start_ns = time.start_ns,
                            .stop_ns = time.stop_ns,
                            .number = ranges.facts_of(range).number,
                            .thread = builder.intern_thread(trace.numbers_of(thread))});
  }
}

void note_ranges(const profile::Trace& trace, const NvtxRanges& ranges,
                 const std::vector<Row>& numbers, const char* reason,
                 const profile::ProfileBuilder& builder, const TraceNotes& notes) {
  for (const Row number : numbers) {
    const NvtxRange& range = ranges.ranges[number];
    const RangeSource source = source_of(trace, notes, range);
    notes.log.add(source.table, reason, source.row,
                  [&] { return std::string(builder.text(ranges.facts_of(range).text)); });
  }
}

void note_missing_ranges(const EventInstances& instances, profile::ProfileBuilder& builder) {
  const auto note = [&](int64_t count, const std::string& what_became) {
    if (count == 0) return;
    builder.not_recorded.push_back({"NVTX ranges of threads that launched " +
                                        base::format_count(count) +
                                        " kernels and memory operations",
                                    what_became + ". --pytorch=autograd-shapes-nvtx records ranges "
                                                  "of its own"});
  };
  note(instances.given_work,
       "dlview assigns this GPU activity to the range open on the thread that waited for them, as "
       "in PyTorch's backward pass");
  note(instances.backward_work,
       "The kernel names indicate a backward pass. dlview assigns it to an op \"backward (thread "
       "N)\" in the range open on the first thread of the process");
}

// Where steps begin, by the numbered range of which there are most; empty when none is numbered.
std::vector<int64_t> step_starts(const NvtxRanges& ranges, const OpSpans& spans) {
  std::map<std::pair<OpPaths::Node, ThreadId>, std::vector<int64_t>> starts;
  for (const auto& [thread, number, node] : spans.user_ranges) {
    const NvtxRange& range = ranges.ranges[number];
    if (ranges.facts_of(range).number == kNoValue) continue;
    starts[{node, thread}].push_back(ranges.time_of(range).start_ns);
  }
  std::vector<int64_t> most;
  for (auto& [path, times] : starts) {
    if (times.size() > most.size()) most = std::move(times);
  }
  return most;
}

// Calls and their work with the builder's rows of the instances that they belong to.
struct PlacedEvents {
  CallIndex calls;
  base::LargeVector<Work> work;
  LaunchingThreads launching;
  KernelNameIds kernel_names;
  EventInstances instances;
};

void set_rows(base::UntouchedVector<Row>& numbers, const base::UntouchedVector<Row>& rows) {
  base::parallel_for(numbers.size(), kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    for (Row& number : std::span(numbers).subspan(begin, end - begin)) {
      if (number != kNoRow) number = rows[number];
    }
  });
}

// Calls and the work that they caused, and what is wrong with them.
struct CallsAndWork {
  // Notes go into `log`.
  CallsAndWork(const profile::Trace& trace, const DeviceRows& devices, const TraceNotes& notes)
      : calls(trace, {notes.tables, notes.left_out, log}),
        work(collect_work(trace, calls, devices, {notes.tables, notes.left_out, log})) {}

  QualityLog log;
  CallIndex calls;
  base::LargeVector<Work> work;
};

class NvtxOps : public OpSource {
 public:
  NvtxOps(const profile::Trace& trace, profile::ProfileBuilder& builder, const TraceNotes& notes)
      : trace_(trace), builder_(builder), notes_(notes) {}

  NvtxRanges read_ranges() override { return read_nvtx_ranges(trace_, builder_, notes_); }
  OpSpans find_spans(const NvtxRanges& ranges) override { return find_op_spans(ranges, builder_); }
  base::UntouchedVector<Row> spans_of_calls(const CallIndex& calls, const OpSpans& spans) override {
    return capture::spans_of_calls(trace_, calls, spans);
  }
  bool has_threads_without_ops() const override { return true; }

 private:
  const profile::Trace& trace_;
  profile::ProfileBuilder& builder_;
  const TraceNotes notes_;
};

// GPU activity of threads without ops, where another thread waits for it.
struct GivenCalls {
  std::vector<bool> is_given;  // to a range of another thread, by row of TraceApiCalls
  std::vector<BackwardStretch> backward;
};

GivenCalls give_calls(const CallPlaces& places, std::span<const Work> work,
                      profile::ProfileBuilder& builder) {
  const BackwardThreads backward_threads(places, work, builder);
  base::stop_point();
  GivenCalls given;
  given.is_given = give_calls_to_waiting(places, backward_threads);
  base::stop_point();
  given.backward = find_backward_stretches(places, backward_threads, builder);
  base::stop_point();
  return given;
}

// Adds ops, instances and the program's own ranges. What they are made from is given back.
PlacedEvents place_events(const profile::Trace& trace, const DeviceRows& devices, CallNames& names,
                          profile::ProfileBuilder& builder, const TraceNotes& notes,
                          OpSource& source) {
  const base::Progress* const job = base::current_job();
  // No task: half of one, which needs it at once and cannot do without.
  auto other = std::async(std::launch::async, [&] {
    const base::JobScope scope(job);
    return CallsAndWork(trace, devices, notes);
  });
  const NvtxRanges ranges = source.read_ranges();
  set_model_config(ranges, builder);
  OpSpans spans = source.find_spans(ranges);
  note_ranges(trace, ranges, spans.left_out, "too many open ranges on its thread", builder, notes);
  note_ranges(trace, ranges, spans.without_path,
              "moved to the top level: the names of nested ranges are too long", builder, notes);
  add_user_ranges(trace, ranges, spans, builder);
  names.keep_versions_in(spans.marked);
  auto [log, calls, work] = other.get();
  notes.log.append(std::move(log));
  base::stop_point();

  LaunchingThreads launching(trace, ranges, calls, work);
  base::UntouchedVector<Row> span_of_call = source.spans_of_calls(calls, spans);
  base::stop_point();
  const CallPlaces places{trace, ranges, calls, launching, spans, span_of_call};
  const GivenCalls given = source.has_threads_without_ops()
                               ? give_calls(places, work, builder)
                               : GivenCalls{std::vector<bool>(span_of_call.size()), {}};
  KernelNameIds kernel_names(trace, spans.marked, builder);
  base::stop_point();
  OpList ops(builder, step_starts(ranges, spans));
  EventInstances instances =
      make_instances({trace, ranges, spans, work, kernel_names, given.is_given, given.backward},
                     std::move(span_of_call), names, builder, ops, notes);
  const base::UntouchedVector<Row> rows = std::move(ops).finish();
  set_rows(instances.of_call, rows);
  set_rows(instances.of_work, rows);
  return {std::move(calls), std::move(work), std::move(launching), std::move(kernel_names),
          std::move(instances)};
}

}  // namespace

void build_ops(const profile::Trace& trace, const DeviceRows& devices,
               profile::ProfileBuilder& builder, const TraceNotes& notes) {
  NvtxOps source(trace, builder, notes);
  build_ops(trace, devices, builder, notes, source);
}

void build_ops(const profile::Trace& trace, const DeviceRows& devices,
               profile::ProfileBuilder& builder, const TraceNotes& notes, OpSource& source) {
  CallNames names(trace, builder);
  const PlacedEvents events = place_events(trace, devices, names, builder, notes, source);
  const EventInstances& instances = events.instances;
  note_missing_ranges(instances, builder);
  note_missing_work(trace, events.calls, events.work, builder);

  EventAdder adder(trace, names, events.kernel_names, builder, notes);
  const auto is_kernel = [](const Work& w) {
    return w.kind == WorkKind::kernel || w.kind == WorkKind::graph;
  };
  const std::span<const Work> work = events.work;
  const std::span<const Row> of_work = instances.of_work;
  const auto kernels =
      static_cast<std::size_t>(std::ranges::partition_point(work, is_kernel) - work.begin());
  adder.add_kernels(work.first(kernels), of_work.first(kernels));
  adder.add_others(work.subspan(kernels), of_work.subspan(kernels));
  base::stop_point();
  for (const Row call : events.calls.by_thread().rows) {
    const Row instance = instances.of_call[call];
    if (instance != kNoRow && !events.launching.causes_work(call)) adder.add_call(call, instance);
  }
}

}  // namespace dlview::import::capture
