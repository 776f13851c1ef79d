#include "import/nsys/instances.h"

#include <map>
#include <string>
#include <tuple>

#include "import/nsys/span_ops.h"
#include "import/nsys/trace_values.h"
#include "import/nsys/waiting.h"
#include "import/times.h"

namespace dlview::import::nsys {
namespace {

using profile::GlobalId;
using profile::kNoRow;
using profile::kNoText;
using profile::kNoValue;
using profile::Row;
using profile::StringId;
using profile::TensorCoreSupport;

constexpr const char* kUnassociated = "unassociated_";

class InstanceMaker {
 public:
  InstanceMaker(const Capture& capture, CallNames& names, profile::ProfileBuilder& builder,
                OpList& ops)
      : trace_(capture.trace),
        calls_(capture.calls),
        spans_(capture.spans),
        work_(capture.work),
        names_(names),
        builder_(builder),
        ops_(ops),
        no_launch_(builder.intern("no_launch")),
        span_ops_(capture.ranges, capture.spans, builder, ops),
        budget_(builder.device_count()) {}

  EventInstances make(const TraceNotes& notes);

 private:
  // The span of each call, by row of TraceApiCalls.
  std::vector<Row> spans_of_calls() const;
  // Returns the instance of each span; kNoRow = it is none.
  std::vector<Row> add_spans(const std::vector<Row>& span_of_call);
  // By row of TraceApiCalls: the name of the kernels that it launched, 0 when they differ. Only of
  // calls without an instance.
  std::vector<StringId> kernels_of_calls(const std::vector<Row>& of_call) const;
  bool is_marked(GlobalId thread) const {
    return spans_.marked.contains(profile::process_of(thread));
  }
  Row add_without_call(const Work& work);
  Row add_call(Row call, StringId kernel);
  // kNoRow when its time does not fit.
  Row add_unassociated(StringId type, StringId kernel, GlobalId thread, base::Interval time);
  Row thread_row(GlobalId thread) {
    return builder_.intern_thread({profile::process_id_of(thread), profile::thread_id_of(thread)});
  }

  const profile::Trace& trace_;
  const CallIndex& calls_;
  const OpSpans& spans_;
  const std::vector<Work>& work_;
  CallNames& names_;
  profile::ProfileBuilder& builder_;
  OpList& ops_;
  const StringId no_launch_;
  SpanOps span_ops_;
  TimeBudget budget_;
  std::map<std::tuple<StringId, StringId, bool>, uint32_t> unassociated_;
};

std::vector<Row> InstanceMaker::spans_of_calls() const {
  const base::UntouchedVector<OpSpan>& spans = spans_.spans;
  const ThreadGroups& calls = calls_.by_thread();
  std::vector<Row> span_of_call(trace_.api_calls.size(), kNoRow);
  Row span = 0;
  for (std::size_t i = 0; i < calls.threads.size(); ++i) {
    const GlobalId thread = calls.threads[i];
    for (std::size_t place = calls.first[i]; place < calls.first[i + 1]; ++place) {
      const Row call = calls.rows[place];
      const std::pair at{thread, trace_.api_calls.start_ns[call]};
      while (span < spans.size() && std::pair(spans[span].thread, spans[span].stop_ns) < at) {
        ++span;
      }
      if (span == spans.size()) return span_of_call;
      // Where one op ends and the next begins at the same instant, the call is the next one's.
      Row found = span;
      if (found + 1 < spans.size() &&
          std::pair(spans[found + 1].thread, spans[found + 1].start_ns) == at) {
        ++found;
      }
      if (spans[found].thread == thread && spans[found].start_ns <= at.second) {
        span_of_call[call] = found;
      }
    }
  }
  return span_of_call;
}

std::vector<Row> InstanceMaker::add_spans(const std::vector<Row>& span_of_call) {
  const base::UntouchedVector<OpSpan>& spans = spans_.spans;
  std::vector<bool> is_instance(spans.size());
  for (std::size_t i = 0; i < spans.size(); ++i) is_instance[i] = !spans[i].needs_call;
  for (const Row span : span_of_call) {
    if (span != kNoRow) is_instance[span] = true;
  }
  std::vector<Row> instance_of_span(spans.size(), kNoRow);
  Row count = 0;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    if (is_instance[i]) instance_of_span[i] = count++;
  }
  ops_.reserve(count);
  GlobalId thread = kNoValue;
  Row of_thread = kNoRow;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    if (!is_instance[i]) continue;
    const OpSpan& span = spans[i];
    if (of_thread == kNoRow || span.thread != thread) of_thread = thread_row(thread = span.thread);
    budget_.add_cpu({span.start_ns, span.stop_ns});
    ops_.add({.start_ns = span.start_ns,
              .stop_ns = span.stop_ns,
              .description = span_ops_.find(span),
              .thread = of_thread,
              .place_of = span_ops_.is_of_marker(span) ? instance_of_span[span.forward] : kNoRow});
  }
  return instance_of_span;
}

Row InstanceMaker::add_unassociated(StringId type, StringId kernel, GlobalId thread,
                                    base::Interval time) {
  if (!budget_.add_cpu(time)) return kNoRow;
  const bool marked = is_marked(thread);
  const auto [entry, added] = unassociated_.emplace(std::tuple(type, kernel, marked), 0);
  if (added) {
    std::string name = kUnassociated + std::string(builder_.text(type));
    if (kernel != 0) name.append("/").append(builder_.text(kernel));
    OpList::Description description = span_ops_.blank();
    description.op.name = builder_.intern(name);
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

std::vector<StringId> InstanceMaker::kernels_of_calls(const std::vector<Row>& of_call) const {
  std::vector<StringId> kernels(of_call.size(), kNoText);
  for (const Work& w : work_) {
    if (w.kind != WorkKind::kernel || w.call == kNoRow || of_call[w.call] != kNoRow) continue;
    const StringId recorded = value_or(trace_.kernels.short_name, w.row, kNoText);
    const StringId name = recorded == kNoText ? 0 : recorded;
    StringId& known = kernels[w.call];
    known = known == kNoText || known == name ? name : 0;
  }
  return kernels;
}

Row InstanceMaker::add_without_call(const Work& work) {
  const StringId kernel = work.kind == WorkKind::kernel
                              ? value_or(trace_.kernels.short_name, work.row, kNoText)
                              : kNoText;
  const GlobalId process = value_or(table_of(trace_, work.kind).process, work.row, GlobalId{0});
  base::Interval time = time_of(trace_, work);
  if (work.kind != WorkKind::sync) time.stop_ns = time.start_ns;
  return add_unassociated(no_launch_, kernel == kNoText ? 0 : kernel, process, time);
}

Row InstanceMaker::add_call(Row call, StringId kernel) {
  const profile::TraceApiCalls& calls = trace_.api_calls;
  const GlobalId thread = value_or(calls.thread, call, kNoValue);
  const bool is_named = !is_marked(thread) && kernel != kNoText;
  return add_unassociated(names_.find(call), is_named ? kernel : 0, thread,
                          {calls.start_ns[call], calls.end_ns[call]});
}

EventInstances InstanceMaker::make(const TraceNotes& notes) {
  std::vector<Row> span_of_call = spans_of_calls();
  const std::vector<bool> is_given = give_calls_to_waiting(trace_, calls_, spans_, span_of_call);
  const std::vector<Row> instance_of_span = add_spans(span_of_call);
  EventInstances result;
  for (const Work& w : work_) {
    if (w.kind != WorkKind::sync && w.call != kNoRow && is_given[w.call]) ++result.given_work;
  }
  for (Row& span : span_of_call) {
    if (span != kNoRow) span = instance_of_span[span];
  }
  result.of_call = std::move(span_of_call);

  const std::vector<StringId> kernels = kernels_of_calls(result.of_call);
  result.of_work.reserve(work_.size());
  for (const Work& w : work_) {
    if (w.call != kNoRow && result.of_call[w.call] == kNoRow) {
      result.of_call[w.call] = add_call(w.call, kernels[w.call]);
    }
    const Row instance = w.call == kNoRow ? add_without_call(w) : result.of_call[w.call];
    result.of_work.push_back(instance);
    if (instance != kNoRow) continue;
    notes.add(table_name(w.kind), kTooMuchTime, w.row, [] { return std::string("left out"); });
  }
  return result;
}

}  // namespace

EventInstances make_instances(const Capture& capture, CallNames& names,
                              profile::ProfileBuilder& builder, OpList& ops,
                              const TraceNotes& notes) {
  return InstanceMaker(capture, names, builder, ops).make(notes);
}

}  // namespace dlview::import::nsys
