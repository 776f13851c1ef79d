#include "import/capture/span_ops.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "import/capture/marker.h"
#include "profile/data_loading.h"
#include "profile/eligible_ops.h"
#include "profile/nesting.h"

namespace dlview::import::capture {
namespace {

constexpr uint64_t kOddFactor = 0x9e3779b97f4a7c15;

using profile::kNoRow;
using profile::StringId;
using profile::TensorCoreSupport;

constexpr const char* kOwnTime = " (own time)";

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

std::size_t SpanOps::HashOfKey::operator()(const Key& key) const {
  const uint64_t flags = static_cast<uint64_t>(key.kind) | (key.is_own_time ? 4U : 0U) |
                         (key.is_framework ? 8U : 0U) | (key.backward ? 16U : 0U);
  const uint64_t names =
      (uint64_t{key.node ^ key.marker} << 32 | (key.type ^ key.trace_marker)) * kOddFactor;
  return (names ^ names >> 32 ^ (uint64_t{key.sizes} << 5 | flags)) * kOddFactor;
}

SpanOps::SpanOps(const NvtxRanges& ranges, const OpSpans& spans, profile::ProfileBuilder& builder,
                 OpList& ops)
    : ranges_(ranges),
      spans_(spans),
      builder_(builder),
      ops_(ops),
      null_(builder.intern(kNotTold)),
      forward_(builder.intern("fprop")),
      backward_(builder.intern("bprop")) {}

OpList::Description SpanOps::blank() const {
  return {.op = {},
          .input_names = null_,
          .input_shapes = null_,
          .output_names = null_,
          .output_shapes = null_,
          .parameters = null_};
}

bool SpanOps::is_of_marker(const OpSpan& span) const {
  return span.forward != kNoRow &&
         facts_of(spans_.spans[span.forward]).kind == RangeKind::marker_op;
}

SpanOps::Key SpanOps::key_of(const OpSpan& span) const {
  const RangeFacts& facts = facts_of(span);
  if (facts.kind == RangeKind::marker_op) return marker_key(span, Key::Kind::forward_marker);
  if (is_of_marker(span)) {
    return marker_key(spans_.spans[span.forward], Key::Kind::backward_marker);
  }
  return {.is_own_time = span.is_own_time,
          .is_framework = facts.kind == RangeKind::framework_op,
          .backward = facts.backward,
          .node = span.node,
          .type = facts.type,
          .sizes = facts.sizes};
}

SpanOps::Key SpanOps::marker_key(const OpSpan& span, Key::Kind kind) const {
  const StringId trace =
      span.trace_marker == kNoRow ? 0 : ranges_.facts_of(ranges_.ranges[span.trace_marker]).text;
  return {.kind = kind, .marker = facts_of(span).text, .trace_marker = trace};
}

void SpanOps::add(const std::vector<Key>& keys) {
  descriptions_.clear();
  for (const Key& key : keys) {
    if (key.kind == Key::Kind::range) {
      descriptions_.push_back(ops_.describe(describe(key)));
      continue;
    }
    OpList::Description description = read_markers(key);
    if (key.kind == Key::Kind::backward_marker) description.op.direction = backward_;
    descriptions_.push_back(ops_.describe(description));
  }
}

OpList::Description SpanOps::read_markers(const Key& key) {
  const OpMarker marker = read_op_marker(builder_.text(key.marker)).value_or(OpMarker{});
  TraceMarker trace;
  if (key.trace_marker != 0) {
    trace = read_trace_marker(builder_.text(key.trace_marker)).value_or(TraceMarker{});
  }
  const auto intern = [this](const std::string& text) { return builder_.intern(text); };
  OpList::Description result = blank();
  result.op.name = intern(trace.op_name.empty() ? "/" + marker.op : trace.op_name);
  result.op.type = intern(marker.op);
  result.op.direction = forward_;
  result.op.data_type = intern(marker.data_type);
  result.op.data_format = intern(marker.data_format);
  result.op.output_format = intern(marker.output_format);
  result.op.parameters_format = intern(marker.parameters_format);
  result.op.stack_trace = intern(trace.stack_trace);
  result.op.tensor_core_support = support_of(marker.op);
  result.input_names = intern(marker.input_names);
  result.input_shapes = intern(marker.input_shapes);
  result.output_names = intern(marker.output_names);
  result.output_shapes = intern(marker.output_shapes);
  result.each_occurrence = true;
  return result;
}

OpList::Description SpanOps::describe(const Key& key) {
  std::string path = spans_.paths.path(key.node, builder_);
  std::string nesting = spans_.paths.nesting(key.node, builder_);
  const char* direction = key.is_framework ? "" : direction_of(path);
  const StringId name = spans_.paths.name(key.node);
  if (key.is_own_time && spans_.paths.has_inner(key.node)) {
    const std::string text(builder_.text(name));
    path.append("/").append(text).append(kOwnTime);
    nesting.append("/").append(profile::nesting_of_name(text)).append(kOwnTime);
  }
  OpList::Description result = blank();
  result.op.name = builder_.intern(path);
  builder_.set_nesting(result.op.name, nesting);
  result.op.tensor_core_support = TensorCoreSupport::unknown;
  if (key.is_framework) {
    result.op.type = profile::is_data_loader_range(builder_.text(key.type))
                         ? builder_.intern(profile::kDataLoaderOpType)
                         : key.type;
    result.op.direction = key.backward ? backward_ : forward_;
    const std::string type(builder_.text(key.type));
    result.op.tensor_core_support = support_of(type);
  } else {
    result.op.type = profile::is_data_loader_range(builder_.text(name))
                         ? builder_.intern(profile::kDataLoaderOpType)
                         : name;
    result.op.direction = builder_.intern(direction);
  }
  if (key.sizes != 0) result.input_shapes = key.sizes;
  return result;
}

}  // namespace dlview::import::capture
