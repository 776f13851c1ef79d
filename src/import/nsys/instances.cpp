#include "import/nsys/instances.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "import/nsys/marker.h"
#include "import/nsys/trace_values.h"
#include "import/nsys/waiting.h"
#include "profile/eligible_ops.h"

namespace dlview::import::nsys {
namespace {

using profile::GlobalId;
using profile::kNoRow;
using profile::kNoText;
using profile::Row;
using profile::StringId;
using profile::TensorCoreSupport;

constexpr const char* kNull = "null\n";
constexpr const char* kUnassociated = "unassociated_";
constexpr const char* kNoLaunch = "no_launch";
constexpr const char* kOwnTime = " (own time)";

// "cudaLaunchKernel_v7000" -> "cudaLaunchKernel"
std::string_view without_version(std::string_view name) {
  const std::size_t at = name.rfind("_v");
  if (at == std::string_view::npos || at + 2 == name.size()) return name;
  const std::string_view digits = name.substr(at + 2);
  const bool all_digits = std::all_of(digits.begin(), digits.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
  return all_digits ? name.substr(0, at) : name;
}

bool contains(std::string_view text, std::string_view lower_part) {
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  return std::search(text.begin(), text.end(), lower_part.begin(), lower_part.end(), same) !=
         text.end();
}

TensorCoreSupport support_of(std::string_view op_type) {
  return profile::is_eligible_op_type(op_type) ? TensorCoreSupport::eligible
                                               : TensorCoreSupport::none;
}

// What a person calls a range of the forward or the backward pass.
const char* direction_of(std::string_view path) {
  if (contains(path, "backward")) return "bprop";
  return contains(path, "forward") ? "fprop" : "";
}

}  // namespace

InstanceMaker::InstanceMaker(const profile::Trace& trace, const CallIndex& calls,
                             profile::ProfileBuilder& builder, OpList& ops)
    : trace_(trace), calls_(calls), builder_(builder), ops_(ops) {}

StringId InstanceMaker::call_name(Row call) {
  const StringId name = value_or(trace_.api_calls.name, call, kNoText);
  if (name == kNoText) return 0;
  if (marked_.contains(
          profile::process_of(value_or(trace_.api_calls.thread, call, profile::kNoValue))))
    return name;
  const auto [entry, added] = plain_names_.emplace(name, name);
  if (added) {
    const std::string plain(without_version(builder_.text(name)));
    entry->second = builder_.intern(plain);
  }
  return entry->second;
}

Row InstanceMaker::thread_row(GlobalId thread) {
  return builder_.intern_thread({profile::process_id_of(thread), profile::thread_id_of(thread)});
}

std::vector<Row> InstanceMaker::spans_of_calls(const std::vector<OpSpan>& spans) const {
  std::vector<Row> span_of_call(trace_.api_calls.size(), kNoRow);
  Row span = 0;
  for (const Row call : calls_.rows()) {
    const std::pair at{value_or(trace_.api_calls.thread, call, profile::kNoValue),
                       trace_.api_calls.start_ns[call]};
    while (span < spans.size() && std::pair(spans[span].thread, spans[span].stop_ns) < at) ++span;
    if (span == spans.size()) break;
    // Where one op ends and the next begins at the same instant, the call is the next one's.
    Row found = span;
    if (found + 1 < spans.size() &&
        std::pair(spans[found + 1].thread, spans[found + 1].start_ns) == at) {
      ++found;
    }
    if (spans[found].thread == at.first && spans[found].start_ns <= at.second) {
      span_of_call[call] = found;
    }
  }
  return span_of_call;
}

const OpList::Instance& InstanceMaker::read_markers(const OpSpan& span) {
  const StringId trace_id = span.trace_marker == nullptr ? 0 : span.trace_marker->text;
  const auto [entry, added] =
      markers_.emplace(std::pair(span.range->text, trace_id), OpList::Instance{});
  if (!added) return entry->second;
  const std::string op_text(builder_.text(span.range->text));
  const std::string trace_text(builder_.text(trace_id));
  const OpMarker marker = read_op_marker(op_text).value_or(OpMarker{});
  const TraceMarker trace = read_trace_marker(trace_text).value_or(TraceMarker{});
  const auto intern = [this](const std::string& text) { return builder_.intern(text); };
  profile::OpRow& op = entry->second.op;
  op.name = intern(trace.op_name.empty() ? "/" + marker.op : trace.op_name);
  op.type = intern(marker.op);
  op.direction = intern("fprop");
  op.data_type = intern(marker.data_type);
  op.data_format = intern(marker.data_format);
  op.output_format = intern(marker.output_format);
  op.parameters_format = intern(marker.parameters_format);
  op.stack_trace = intern(trace.stack_trace);
  op.tensor_core_support = support_of(marker.op);
  profile::OpInstanceRow& row = entry->second.row;
  row.input_names = intern(marker.input_names);
  row.input_shapes = intern(marker.input_shapes);
  row.output_names = intern(marker.output_names);
  row.output_shapes = intern(marker.output_shapes);
  row.parameters = intern(kNull);
  return entry->second;
}

void InstanceMaker::describe_marker(const OpSpan& span, OpList::Instance& instance) {
  const OpList::Instance& read = read_markers(span);
  instance.each_occurrence = true;
  instance.op = read.op;
  const profile::OpInstanceRow own = instance.row;
  instance.row = read.row;
  instance.row.cpu_start_ns = own.cpu_start_ns;
  instance.row.cpu_stop_ns = own.cpu_stop_ns;
  instance.row.thread = own.thread;
}

void InstanceMaker::describe_range(const OpSpans& spans, const OpSpan& span,
                                   OpList::Instance& instance) {
  const NvtxRange& range = *span.range;
  std::string path = spans.paths.path(span.node, builder_);
  const bool is_framework = range.kind == RangeKind::framework_op;
  const char* direction = is_framework ? range.backward ? "bprop" : "fprop" : direction_of(path);
  if (span.is_own_time && spans.paths.has_inner(span.node)) {
    path.append("/").append(builder_.text(range.name)).append(kOwnTime);
  }
  instance.op.name = builder_.intern(path);
  instance.op.type = is_framework ? range.type : range.name;
  instance.op.direction = builder_.intern(direction);
  instance.op.tensor_core_support = TensorCoreSupport::unknown;
  if (is_framework) {
    const std::string type(builder_.text(range.type));
    instance.op.tensor_core_support = support_of(type);
  }
  if (range.sizes != 0) instance.row.input_shapes = range.sizes;
}

std::vector<Row> InstanceMaker::add_spans(const OpSpans& spans,
                                          const std::vector<Row>& span_of_call) {
  std::vector<bool> is_instance(spans.spans.size());
  for (std::size_t i = 0; i < is_instance.size(); ++i) is_instance[i] = !spans.spans[i].needs_call;
  for (const Row span : span_of_call) {
    if (span != kNoRow) is_instance[span] = true;
  }
  std::vector<Row> instance_of_span(spans.spans.size(), kNoRow);
  Row count = 0;
  for (std::size_t i = 0; i < is_instance.size(); ++i) {
    if (is_instance[i]) instance_of_span[i] = count++;
  }
  const StringId null = builder_.intern(kNull);
  for (std::size_t i = 0; i < is_instance.size(); ++i) {
    if (!is_instance[i]) continue;
    const OpSpan& span = spans.spans[i];
    OpList::Instance instance;
    instance.row = {.cpu_start_ns = span.start_ns,
                    .cpu_stop_ns = span.stop_ns,
                    .thread = thread_row(span.thread),
                    .input_names = null,
                    .input_shapes = null,
                    .output_names = null,
                    .output_shapes = null,
                    .parameters = null};
    const bool of_marker =
        span.forward != kNoRow && spans.spans[span.forward].range->kind == RangeKind::marker_op;
    if (span.range->kind == RangeKind::marker_op) {
      describe_marker(span, instance);
    } else if (of_marker) {
      describe_marker(spans.spans[span.forward], instance);
      instance.op.direction = builder_.intern("bprop");
      instance.place_of = instance_of_span[span.forward];
    } else {
      describe_range(spans, span, instance);
    }
    ops_.add(instance);
  }
  return instance_of_span;
}

Row InstanceMaker::add_unassociated(std::string_view type, std::string_view kernel, GlobalId thread,
                                    base::Interval time, bool is_marked) {
  std::string name = kUnassociated + std::string(type);
  if (!kernel.empty()) name.append("/").append(kernel);
  const StringId null = builder_.intern(kNull);
  const std::string type_text(type);
  return ops_.add({.op = {.name = builder_.intern(name),
                          .type = builder_.intern(type_text),
                          .tensor_core_support = is_marked ? TensorCoreSupport::unassociated
                                                           : TensorCoreSupport::unknown},
                   .row = {.cpu_start_ns = time.start_ns,
                           .cpu_stop_ns = time.stop_ns,
                           .thread = thread_row(thread),
                           .input_names = null,
                           .input_shapes = null,
                           .output_names = null,
                           .output_shapes = null,
                           .parameters = null},
                   .each_occurrence = is_marked});
}

std::unordered_map<Row, StringId> InstanceMaker::kernels_of_calls(
    const std::vector<Work>& work) const {
  std::unordered_map<Row, StringId> kernels;
  for (const Work& w : work) {
    if (w.kind != WorkKind::kernel || w.call == kNoRow) continue;
    const StringId name = value_or(trace_.kernels.short_name, w.row, kNoText);
    const auto [entry, added] = kernels.emplace(w.call, name);
    if (!added && entry->second != name) entry->second = kNoText;
  }
  return kernels;
}

EventInstances InstanceMaker::make(const OpSpans& spans, const std::vector<Work>& work) {
  marked_ = spans.marked;
  std::vector<Row> span_of_call = spans_of_calls(spans.spans);
  std::vector<bool> is_given(span_of_call.size());
  for (std::size_t i = 0; i < is_given.size(); ++i) is_given[i] = span_of_call[i] == kNoRow;
  give_calls_to_waiting(trace_, calls_, spans, span_of_call);
  const std::vector<Row> instance_of_span = add_spans(spans, span_of_call);
  EventInstances result;
  for (const Work& w : work) {
    if (w.kind != WorkKind::sync && w.call != kNoRow && is_given[w.call] &&
        span_of_call[w.call] != kNoRow) {
      ++result.given_work;
    }
  }
  result.of_call.resize(span_of_call.size(), kNoRow);
  for (const Row call : calls_.rows()) {
    if (span_of_call[call] != kNoRow) result.of_call[call] = instance_of_span[span_of_call[call]];
  }

  const std::unordered_map<Row, StringId> kernels = kernels_of_calls(work);
  const auto text_of = [this](StringId id) {
    return id == kNoText ? std::string() : std::string(builder_.text(id));
  };
  for (const Work& w : work) {
    if (w.call == kNoRow) {
      const StringId kernel = w.kind == WorkKind::kernel
                                  ? value_or(trace_.kernels.short_name, w.row, kNoText)
                                  : kNoText;
      const GlobalId process = value_or(table_of(trace_, w.kind).process, w.row, GlobalId{0});
      const base::Interval time =
          w.kind == WorkKind::sync ? w.time : base::Interval{w.time.start_ns, w.time.start_ns};
      result.of_work.push_back(
          add_unassociated(kNoLaunch, text_of(kernel), process, time, marked_.contains(process)));
      continue;
    }
    Row& instance = result.of_call[w.call];
    if (instance == kNoRow) {
      const profile::TraceApiCalls& calls = trace_.api_calls;
      const GlobalId thread = value_or(calls.thread, w.call, profile::kNoValue);
      const bool is_marked = marked_.contains(profile::process_of(thread));
      const auto kernel = kernels.find(w.call);
      const bool named = !is_marked && kernel != kernels.end();
      instance = add_unassociated(text_of(call_name(w.call)),
                                  named ? text_of(kernel->second) : std::string(), thread,
                                  {calls.start_ns[w.call], calls.end_ns[w.call]}, is_marked);
    }
    result.of_work.push_back(instance);
  }
  return result;
}

}  // namespace dlview::import::nsys
