#include "import/capture/op_list.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "base/sort_runs.h"
#include "import/capture/marker.h"
#include "import/capture/range_facts.h"
#include "profile/data_loading.h"
#include "profile/data_types.h"
#include "profile/eligible_ops.h"
#include "profile/nesting.h"

namespace dlview::import::capture {
namespace {

using profile::kNoRow;
using profile::Row;
using profile::StringId;
using profile::TensorCoreSupport;

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return result;
}

constexpr uint64_t kOddFactor = 0x9e3779b97f4a7c15;

constexpr const char* kSelfTime = " (self time)";

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

uint32_t OpList::describe(const Description& description) {
  descriptions_.push_back(description);
  return static_cast<uint32_t>(descriptions_.size() - 1);
}

Row OpList::add(const Instance& instance) {
  instances_.push_back(instance);
  return static_cast<Row>(instances_.size() - 1);
}

base::UntouchedVector<Row> OpList::order_of_start() const {
  base::UntouchedVector<Row> order(instances_.size());
  std::iota(order.begin(), order.end(), Row{0});
  base::sort_runs(std::span(order),
                  [this](Row a, Row b) { return instances_[a].start_ns < instances_[b].start_ns; });
  return order;
}

std::vector<uint32_t> OpList::number_names() const {
  std::map<std::tuple<StringId, StringId, StringId>, uint32_t> numbers;
  std::vector<uint32_t> names;
  names.reserve(descriptions_.size());
  for (const Description& d : descriptions_) {
    const std::tuple name{d.op.name, d.op.type, d.op.direction};
    names.push_back(numbers.emplace(name, static_cast<uint32_t>(numbers.size())).first->second);
  }
  return names;
}

// By description: 0 = no data type, 1 = one of integers, 2 = another one.
std::vector<uint8_t> OpList::rank_data_types() const {
  std::vector<uint8_t> ranks;
  ranks.reserve(descriptions_.size());
  for (const Description& description : descriptions_) {
    const std::string_view type = builder_.text(description.op.data_type);
    ranks.push_back(type.empty() ? 0 : profile::is_of_integers(type) ? 1 : 2);
  }
  return ranks;
}

void OpList::find_ops(std::span<const Row> order) {
  struct Seen {
    std::size_t iteration = SIZE_MAX;
    uint32_t count = 0;
  };
  const std::vector<uint32_t> names = number_names();
  const std::vector<uint8_t> data_types = rank_data_types();
  std::vector<Seen> seen(descriptions_.size());              // by name
  std::vector<Row> first_ops(descriptions_.size(), kNoRow);  // by name, of place 0
  std::unordered_map<uint64_t, Row> other_ops;               // by name and place
  base::LargeVector<uint32_t> places(instances_.size());
  op_of_.resize(instances_.size());
  std::size_t iteration = 0;
  for (const Row i : order) {
    const Instance& instance = instances_[i];
    const uint32_t name = names[instance.description];
    while (iteration < iteration_starts_ns_.size() &&
           iteration_starts_ns_[iteration] <= instance.start_ns) {
      ++iteration;
    }
    if (instance.place_of != kNoRow) {
      places[i] = places[instance.place_of];
    } else if (descriptions_[instance.description].each_occurrence) {
      Seen& before = seen[name];
      if (before.iteration != iteration) before = {iteration, 0};
      places[i] = before.count++;
    }
    Row& op = places[i] == 0
                  ? first_ops[name]
                  : other_ops.try_emplace(uint64_t{name} << 32 | places[i], kNoRow).first->second;
    if (op == kNoRow) {
      op = static_cast<Row>(first_of_op_.size());
      first_of_op_.push_back(i);
      typed_of_op_.push_back(instance.description);
    } else if (data_types[instance.description] > data_types[typed_of_op_[op]]) {
      typed_of_op_[op] = instance.description;
    }
    op_of_[i] = op;
  }
}

std::vector<Row> OpList::add_ops() {
  std::map<std::string, int64_t> counts;  // by type in capitals
  std::vector<std::pair<std::string, std::string>> names;
  for (const Row first : first_of_op_) {
    const profile::OpRow& op = descriptions_[instances_[first].description].op;
    const std::string type = upper(builder_.text(op.type));
    names.emplace_back(builder_.text(op.name), type + "_" + std::to_string(++counts[type]));
  }
  std::vector<Row> order(names.size());
  std::iota(order.begin(), order.end(), Row{0});
  std::sort(order.begin(), order.end(), [&](Row a, Row b) { return names[a] < names[b]; });
  std::vector<Row> rows(names.size());
  for (const Row op : order) {
    profile::OpRow row = descriptions_[instances_[first_of_op_[op]].description].op;
    row.data_type = descriptions_[typed_of_op_[op]].op.data_type;
    row.id = builder_.intern(names[op].second);
    rows[op] = builder_.add_op(row);
  }
  return rows;
}

void OpList::add_forward_instances(std::span<const Row> order, std::span<const Row> rows) {
  const auto is_backward = [](const Instance& instance) { return instance.forward != kNoRow; };
  if (std::ranges::none_of(instances_, is_backward)) return;
  base::UntouchedVector<Row> forward(order.size());
  base::parallel_for(order.size(), kInstancesAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Row caused_by = instances_[order[i]].forward;
      forward[i] = caused_by == kNoRow ? kNoRow : rows[caused_by];
    }
  });
  builder_.set_forward_instances(forward);
}

base::UntouchedVector<Row> OpList::finish() && {
  const base::UntouchedVector<Row> order = order_of_start();
  find_ops(order);
  const std::vector<Row> op_rows = add_ops();
  builder_.add_instances(order.size(), [&](std::size_t i) -> profile::OpInstanceRow {
    const Instance& instance = instances_[order[i]];
    const Description& description = descriptions_[instance.description];
    return {.op = op_rows[op_of_[order[i]]],
            .cpu_start_ns = instance.start_ns,
            .cpu_stop_ns = instance.stop_ns,
            .thread = instance.thread,
            .input_names = description.input_names,
            .input_shapes = description.input_shapes,
            .output_names = description.output_names,
            .output_shapes = description.output_shapes,
            .parameters = description.parameters};
  });
  base::UntouchedVector<Row> rows(order.size());
  base::parallel_for(order.size(), kInstancesAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) rows[order[i]] = static_cast<Row>(i);
  });
  add_forward_instances(order, rows);
  return rows;
}

std::size_t SpanOps::HashOfKey::operator()(const Key& key) const {
  const uint64_t flags = static_cast<uint64_t>(key.kind) | (key.is_own_time ? 4U : 0U) |
                         (key.is_framework ? 8U : 0U) | (key.backward ? 16U : 0U);
  const uint64_t more =
      (uint64_t{key.data_type} << 32 | (key.parameters ^ key.stack_trace)) * kOddFactor;
  const uint64_t names =
      (uint64_t{key.node ^ key.marker} << 32 | (key.type ^ key.trace_marker)) * kOddFactor;
  return (names ^ names >> 32 ^ more >> 16 ^ (uint64_t{key.sizes} << 5 | flags)) * kOddFactor;
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
          .has_direction = facts.has_direction,
          .node = span.node,
          .type = facts.type,
          .sizes = facts.sizes,
          .data_type = facts.data_type,
          .data_format = facts.data_format,
          .parameters = facts.parameters,
          .stack_trace = facts.stack_trace};
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
    path.append("/").append(text).append(kSelfTime);
    nesting.append("/").append(profile::nesting_of_name(text)).append(kSelfTime);
  }
  OpList::Description result = blank();
  result.op.name = builder_.intern(path);
  builder_.set_nesting(result.op.name, nesting);
  result.op.tensor_core_support = TensorCoreSupport::unknown;
  if (key.is_framework) {
    result.op.type = profile::is_data_loader_range(builder_.text(key.type))
                         ? builder_.intern(profile::kDataLoaderOpType)
                         : key.type;
    if (key.has_direction) result.op.direction = key.backward ? backward_ : forward_;
    result.op.data_type = key.data_type;
    result.op.data_format = key.data_format;
    result.op.stack_trace = key.stack_trace;
    // The type lacks the namespace, by which ops of libraries are known.
    result.op.tensor_core_support = support_of(builder_.text(key.type));
    if (result.op.tensor_core_support == TensorCoreSupport::none) {
      result.op.tensor_core_support = support_of(builder_.text(name));
    }
  } else {
    result.op.type = profile::is_data_loader_range(builder_.text(name))
                         ? builder_.intern(profile::kDataLoaderOpType)
                         : name;
    result.op.direction = builder_.intern(direction);
  }
  if (key.sizes != 0) result.input_shapes = key.sizes;
  if (key.parameters != 0) result.parameters = key.parameters;
  return result;
}

}  // namespace dlview::import::capture
