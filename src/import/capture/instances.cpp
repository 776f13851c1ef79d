#include "import/capture/instances.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "base/blocks.h"
#include "base/parallel.h"
#include "base/stop_point.h"
#include "import/capture/op_list.h"
#include "import/capture/trace_rows.h"
#include "import/times.h"
#include "profile/nesting.h"

namespace dlview::import::capture {
namespace {

using profile::kNoRow;
using profile::kNoText;
using profile::kNoValue;
using profile::Row;
using profile::StringId;
using profile::TensorCoreSupport;
using profile::ThreadId;

using Rows = base::UntouchedVector<Row>;

class InstanceMaker {
 public:
  InstanceMaker(const Capture& capture, CallNames& names, profile::ProfileBuilder& builder,
                OpList& ops)
      : capture_(capture),
        trace_(capture.trace),
        spans_(capture.spans),
        work_(capture.work),
        names_(names),
        builder_(builder),
        ops_(ops),
        no_launch_(builder.intern("no_launch")),
        span_ops_(capture.ranges, capture.spans, builder, ops),
        budget_(builder.device_count()) {}

  EventInstances make(Rows span_of_call, const TraceNotes& notes);

 private:
  // Those that are instances, in their order.
  Rows chosen_spans(const Rows& span_of_call) const;
  // Returns the instance of each span; kNoRow = it is none.
  Rows add_spans(const Rows& span_of_call, std::size_t instances_to_come);
  // Work without a call, or whose call is in no span.
  std::vector<std::size_t> work_without_instance(const Rows& span_of_call) const;
  // By row of TraceApiCalls: the name of the kernels that it launched, 0 when they differ. Only of
  // calls without an instance.
  std::vector<StringId> kernels_of_calls(const std::vector<std::size_t>& work) const;
  bool is_marked(ThreadId thread) const {
    return spans_.marked.contains(profile::process_of(thread));
  }
  // kNoRow when its time does not fit.
  Row add_backward(const BackwardStretch& stretch);
  void add_outside(const std::vector<std::size_t>& outside, EventInstances& result,
                   const TraceNotes& notes);
  Row add_without_call(const Work& work);
  Row add_call(Row call, StringId kernel);
  // kNoRow when its time does not fit.
  Row add_unassociated(StringId type, StringId kernel, ThreadId thread, base::Interval time);
  Row thread_row(ThreadId thread) { return builder_.intern_thread(trace_.numbers_of(thread)); }

  const Capture& capture_;
  const profile::Trace& trace_;
  const OpSpans& spans_;
  const std::span<const Work> work_;
  CallNames& names_;
  profile::ProfileBuilder& builder_;
  OpList& ops_;
  const StringId no_launch_;
  SpanOps span_ops_;
  TimeBudget budget_;
  std::map<std::tuple<StringId, StringId, bool>, uint32_t> unassociated_;
  std::map<OpPaths::Node, uint32_t> backward_;
};

Rows InstanceMaker::chosen_spans(const Rows& span_of_call) const {
  const base::UntouchedVector<OpSpan>& spans = spans_.spans;
  base::UntouchedVector<uint8_t> is_chosen(spans.size());
  base::Blocks<std::size_t> blocks(spans.size(), kRowsAtOnce);
  blocks.for_each([&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) is_chosen[i] = spans[i].needs_call ? 0 : 1;
  });
  base::parallel_for(span_of_call.size(), kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    for (const Row span : std::span(span_of_call).subspan(begin, end - begin)) {
      if (span == kNoRow || !spans[span].needs_call) continue;
      std::atomic_ref(is_chosen[span]).store(1, std::memory_order_relaxed);
    }
  });
  blocks.for_each([&](std::size_t& count, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) count += is_chosen[i];
  });
  Rows chosen(base::sums_before(blocks.states()));
  blocks.for_each([&](std::size_t& next, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (is_chosen[i] != 0) chosen[next++] = static_cast<Row>(i);
    }
  });
  return chosen;
}

Rows InstanceMaker::add_spans(const Rows& span_of_call, std::size_t instances_to_come) {
  const base::UntouchedVector<OpSpan>& spans = spans_.spans;
  const Rows chosen = chosen_spans(span_of_call);
  Rows instance_of_span(spans.size());
  base::parallel_for(spans.size(), kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    std::fill(instance_of_span.begin() + begin, instance_of_span.begin() + end, kNoRow);
  });
  base::parallel_for(chosen.size(), kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) instance_of_span[chosen[i]] = static_cast<Row>(i);
  });
  std::map<ThreadId, Row> threads;
  for (auto next = chosen.begin(); next != chosen.end();) {
    const ThreadId thread = spans[*next].thread;
    threads.emplace(thread, thread_row(thread));
    next = std::partition_point(next, chosen.end(),
                                [&](Row span) { return spans[span].thread == thread; });
  }
  base::Blocks<int64_t> sums_ns(chosen.size(), kRowsAtOnce);
  sums_ns.for_each([&](int64_t& sum_ns, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      sum_ns += spans[chosen[i]].stop_ns - spans[chosen[i]].start_ns;
    }
  });
  // Ranges were read within the same budget, and spans take no more time than they.
  for (const int64_t sum_ns : sums_ns.states()) budget_.add_cpu({0, sum_ns});
  const base::UntouchedVector<uint32_t> descriptions = span_ops_.find_all(
      chosen.size(), [&](std::size_t i) -> const OpSpan& { return spans[chosen[i]]; });
  ops_.add_first(chosen.size(), instances_to_come, [&](std::size_t i) -> OpList::Instance {
    const OpSpan& span = spans[chosen[i]];
    const Row forward = span.forward == kNoRow ? kNoRow : instance_of_span[span.forward];
    return {.start_ns = span.start_ns,
            .stop_ns = span.stop_ns,
            .description = descriptions[i],
            .thread = threads.at(span.thread),
            .place_of = span_ops_.is_of_marker(span) ? forward : kNoRow,
            .forward = forward};
  });
  return instance_of_span;
}

Row InstanceMaker::add_unassociated(StringId type, StringId kernel, ThreadId thread,
                                    base::Interval time) {
  if (!budget_.add_cpu(time)) return kNoRow;
  const bool marked = is_marked(thread);
  const auto [entry, added] = unassociated_.emplace(std::tuple(type, kernel, marked), 0);
  if (added) {
    std::string name = std::string(profile::kUnassociated) + std::string(builder_.text(type));
    std::string nesting = name;
    if (kernel != 0) {
      name.append("/").append(builder_.text(kernel));
      nesting.append("/").append(profile::nesting_of_name(builder_.text(kernel)));
    }
    OpList::Description description = span_ops_.blank();
    description.op.name = builder_.intern(name);
    builder_.set_nesting(description.op.name, nesting);
    description.op.type = type;
    description.op.tensor_core_support =
        marked ? TensorCoreSupport::unassociated : TensorCoreSupport::unknown;
    description.each_occurrence = marked;
    entry->second = ops_.describe(description);
  }
  return ops_.add({.start_ns = time.start_ns,
                   .stop_ns = time.stop_ns,
                   .description = entry->second,
                   .thread = thread_row(thread)});
}

std::vector<std::size_t> InstanceMaker::work_without_instance(const Rows& span_of_call) const {
  base::Blocks<std::vector<std::size_t>> blocks(work_.size(), kRowsAtOnce);
  blocks.for_each([&](std::vector<std::size_t>& found, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Row call = work_[i].call;
      if (call == kNoRow || span_of_call[call] == kNoRow) found.push_back(i);
    }
  });
  std::vector<std::size_t> all;
  for (const auto& found : blocks.states()) all.insert(all.end(), found.begin(), found.end());
  return all;
}

std::vector<StringId> InstanceMaker::kernels_of_calls(const std::vector<std::size_t>& work) const {
  if (work.empty()) return {};
  std::vector<StringId> kernels(trace_.api_calls.size(), kNoText);
  for (const std::size_t i : work) {
    const Work& w = work_[i];
    if (w.kind != WorkKind::kernel || w.call == kNoRow) continue;
    const StringId name = capture_.kernel_names.of(w.row);
    StringId& known = kernels[w.call];
    known = known == kNoText || known == name ? name : 0;
  }
  return kernels;
}

Row InstanceMaker::add_without_call(const Work& work) {
  const StringId kernel = work.kind == WorkKind::kernel ? capture_.kernel_names.of(work.row) : 0;
  const ThreadId process = value_or(table_of(trace_, work.kind).process, work.row, kNoValue);
  base::Interval time = time_of(trace_, work);
  if (work.kind != WorkKind::sync) time.stop_ns = time.start_ns;
  return add_unassociated(no_launch_, kernel, process, time);
}

Row InstanceMaker::add_call(Row call, StringId kernel) {
  const profile::TraceApiCalls& calls = trace_.api_calls;
  const ThreadId thread = value_or(calls.thread, call, kNoValue);
  const bool is_named = !is_marked(thread) && kernel != kNoText;
  return add_unassociated(names_.find(call), is_named ? kernel : 0, thread,
                          {calls.start_ns[call], calls.end_ns[call]});
}

Row InstanceMaker::add_backward(const BackwardStretch& stretch) {
  const profile::TraceApiCalls& calls = trace_.api_calls;
  base::Interval time{calls.start_ns[stretch.calls.front()], INT64_MIN};
  for (const Row call : stretch.calls) time.stop_ns = std::max(time.stop_ns, calls.end_ns[call]);
  if (!budget_.add_cpu(time)) return kNoRow;
  const auto [entry, added] = backward_.emplace(stretch.node, 0);
  if (added) {
    OpList::Description description = span_ops_.blank();
    description.op.name = builder_.intern(spans_.paths.path(stretch.node, builder_));
    builder_.set_nesting(description.op.name, spans_.paths.nesting(stretch.node, builder_));
    description.op.type = builder_.intern("backward");
    description.op.direction = builder_.intern("bprop");
    description.op.tensor_core_support = TensorCoreSupport::unknown;
    entry->second = ops_.describe(description);
  }
  return ops_.add({.start_ns = time.start_ns,
                   .stop_ns = time.stop_ns,
                   .description = entry->second,
                   .thread = thread_row(stretch.thread)});
}

EventInstances InstanceMaker::make(Rows span_of_call, const TraceNotes& notes) {
  const std::vector<std::size_t> outside = work_without_instance(span_of_call);
  const Rows instance_of_span = add_spans(span_of_call, outside.size());
  base::stop_point();
  EventInstances result;
  for (const Work& w : work_) {
    if (w.kind == WorkKind::sync || w.call == kNoRow) continue;
    if (capture_.is_given[w.call]) ++result.given_work;
  }
  base::parallel_for(span_of_call.size(), kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    for (Row& span : std::span(span_of_call).subspan(begin, end - begin)) {
      if (span != kNoRow) span = instance_of_span[span];
    }
  });
  result.of_call = std::move(span_of_call);
  for (const BackwardStretch& stretch : capture_.backward) {
    const Row instance = add_backward(stretch);
    for (const Row call : stretch.calls) result.of_call[call] = instance;
  }
  result.of_work.resize(work_.size());
  base::parallel_for(work_.size(), kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Row call = work_[i].call;
      result.of_work[i] = call == kNoRow ? kNoRow : result.of_call[call];
    }
  });
  for (const std::size_t i : outside) {
    const Work& w = work_[i];
    if (w.kind != WorkKind::sync && w.call != kNoRow && result.of_call[w.call] != kNoRow) {
      ++result.backward_work;
    }
  }
  add_outside(outside, result, notes);
  return result;
}

void InstanceMaker::add_outside(const std::vector<std::size_t>& outside, EventInstances& result,
                                const TraceNotes& notes) {
  const std::vector<StringId> kernels = kernels_of_calls(outside);
  for (const std::size_t i : outside) {
    const Work& w = work_[i];
    if (w.call == kNoRow) {
      result.of_work[i] = add_without_call(w);
    } else {
      Row& of_call = result.of_call[w.call];
      if (of_call == kNoRow) of_call = add_call(w.call, kernels[w.call]);
      result.of_work[i] = of_call;
    }
    if (result.of_work[i] != kNoRow) continue;
    notes.add(table_name(notes.tables, w.kind), kTooMuchTime, w.row,
              [] { return std::string("left out"); });
  }
}

}  // namespace

EventInstances make_instances(const Capture& capture, Rows span_of_call, CallNames& names,
                              profile::ProfileBuilder& builder, OpList& ops,
                              const TraceNotes& notes) {
  return InstanceMaker(capture, names, builder, ops).make(std::move(span_of_call), notes);
}

}  // namespace dlview::import::capture
