#include "import/pytorch/trace_ops.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "base/number_distinct.h"
#include "base/parallel.h"
#include "base/parallel_algorithms.h"
#include "base/stop_point.h"
#include "import/capture/trace_rows.h"
#include "import/pytorch/tensor_layout.h"
#include "import/pytorch/trace_texts.h"
#include "import/times.h"
#include "profile/data_loading.h"
#include "profile/data_types.h"
#include "profile/python_frames.h"

namespace dlview::import::pytorch {
namespace {

using capture::RangeFacts;
using capture::RangeKind;
using profile::kNoRow;
using profile::Row;
using profile::StringId;
using profile::ThreadId;
using std::string_view;

// The autograd engine alone runs it. Traces of 2021 have no evaluation around it, and it has no
// sequence number and no thread of a forward op.
constexpr string_view kAccumulation = "torch::autograd::AccumulateGrad";

// So many ranges or modules around an op are in its path, the innermost.
constexpr std::size_t kMostAround = 256;

// PyTorch's own "none" is -1; kNoValue is below 0, too.
bool is_true_sequence(const HostEvent& event) {
  return event.sequence_number >= 0;
}
bool runs_for_forward_thread(const HostEvent& event) {
  return event.forward_thread > 0;  // kNoValue is below
}

}  // namespace

std::size_t TraceOps::HashOfFacts::operator()(const FactsKey& key) const {
  constexpr uint64_t kOddFactor = 0x9e3779b97f4a7c15;
  const uint64_t names = (uint64_t{key.name} << 32 | key.inputs) * kOddFactor;
  return (names ^ names >> 32 ^ uint64_t{key.call_stack} << 3 ^ static_cast<uint64_t>(key.role)) *
         kOddFactor;
}

bool TraceOps::ForwardOp::operator<(const ForwardOp& other) const {
  return std::tuple(process, sequence_number, start_ns, -stop_ns, row) <
         std::tuple(other.process, other.sequence_number, other.start_ns, -other.stop_ns,
                    other.row);
}

TraceOps::TraceOps(const TraceEvents& events, const profile::Trace& trace,
                   std::span<const ThreadId> threads, profile::ProfileBuilder& builder,
                   const capture::TraceNotes& notes)
    : events_(events),
      trace_(trace),
      threads_(threads),
      builder_(builder),
      notes_(notes),
      forest_(host_forest()),
      modules_(module_forest()) {}

base::UntouchedVector<Row> TraceOps::usable_rows(std::size_t first, std::size_t count,
                                                 string_view table) const {
  TimeBudget budget(builder_.device_count());
  base::UntouchedVector<Row> rows;
  rows.reserve(count);
  const profile::TraceNvtx& ranges = trace_.nvtx;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % capture::kRowsAtOnce == 0) base::stop_point();
    const base::Interval time{ranges.start_ns[first + i], ranges.end_ns[first + i]};
    const char* problem = time_problem(time.start_ns, time.stop_ns);
    if (problem == nullptr && !budget.add_cpu(time)) problem = kTooMuchTime;
    if (problem == nullptr) {
      rows.push_back(static_cast<Row>(i));
      continue;
    }
    notes_.add(table, problem, i, [&] {
      return std::string(builder_.text(ranges.text[first + i])) + " from " +
             std::to_string(time.start_ns) + " ns";
    });
  }
  return rows;
}

profile::EventForest TraceOps::host_forest() const {
  base::UntouchedVector<Row> rows = usable_rows(0, events_.host.size(), notes_.tables.ranges);
  std::erase_if(rows, [&](Row row) { return events_.host[row].kind == HostEvent::Kind::other; });
  return profile::EventForest(
      rows.size(), [&](std::size_t i) { return threads_[events_.host[rows[i]].thread]; },
      [&](std::size_t i) -> profile::EventForest::Event {
        return {trace_.nvtx.start_ns[rows[i]], trace_.nvtx.end_ns[rows[i]], rows[i]};
      });
}

profile::EventForest TraceOps::module_forest() const {
  const std::size_t first = events_.host.size();
  base::UntouchedVector<Row> rows = usable_rows(first, events_.modules.size(), "python_function");
  std::erase_if(rows, [&](Row row) {
    return !builder_.text(events_.modules[row].name).starts_with(profile::kModulePrefix);
  });
  return profile::EventForest(
      rows.size(), [&](std::size_t i) { return threads_[events_.modules[rows[i]].thread]; },
      [&](std::size_t i) -> profile::EventForest::Event {
        return {trace_.nvtx.start_ns[first + rows[i]], trace_.nvtx.end_ns[first + rows[i]],
                rows[i]};
      });
}

void TraceOps::read_names() {
  const auto key = [this](std::size_t i) {
    const HostEvent& event = events_.host[i];
    const bool is_annotation = event.kind == HostEvent::Kind::annotation;
    return uint64_t{event.name} << 2 | (event.is_triton ? 2U : 0U) | (is_annotation ? 1U : 0U);
  };
  auto names = base::number_distinct<std::hash<uint64_t>>(events_.host.size(), key);
  name_of_row_ = std::move(names.of_item);
  for (const uint64_t each : names.keys) {
    NameFacts facts{.name = static_cast<StringId>(each >> 2)};
    const string_view name = builder_.text(facts.name);
    const bool is_triton = (each & 2) != 0, is_annotation = (each & 1) != 0;
    facts.is_op = !is_annotation && op_name(name, false, is_triton).has_value();
    facts.is_op_with_sequence_number = !is_annotation && op_name(name, true, is_triton).has_value();
    facts.is_evaluation =
        name.starts_with(kEvaluation) || (!is_annotation && name == kAccumulation);
    facts.is_annotation = is_annotation;
    facts.is_step = name.starts_with("ProfilerStep#");
    facts.is_optimizer = name.starts_with("Optimizer.");
    facts.is_loader = profile::is_data_loader_range(name);
    names_.push_back(facts);
  }
  std::unordered_map<StringId, StringId> known;
  module_names_.resize(events_.modules.size());
  for (std::size_t i = 0; i < modules_.size(); ++i) {
    const Row row = modules_[i].row;
    const StringId whole = events_.modules[row].name;
    const auto [entry, is_new] = known.try_emplace(whole, 0);
    if (is_new) {
      const std::string name(builder_.text(whole).substr(profile::kModulePrefix.size()));
      entry->second = builder_.intern(name);
    }
    module_names_[row] = entry->second;
  }
}

void TraceOps::find_roles() {
  places_.resize(forest_.size());
  const std::vector<ThreadId>& threads = forest_.threads().threads;
  base::parallel_for(threads.size(), 1, [this](std::size_t begin, std::size_t end) {
    for (std::size_t thread = begin; thread < end; ++thread) find_roles(thread);
  });
}

void TraceOps::find_roles(std::size_t thread) {
  const profile::ThreadPlaces& threads = forest_.threads();
  for (std::size_t i = threads.first[thread]; i < threads.first[thread + 1]; ++i) {
    if (i % capture::kRowsAtOnce == 0) base::stop_point();
    const HostEvent& event = host(i);
    const NameFacts& name = name_facts(i);
    const Row parent = forest_.parent(i);
    const Place around = parent == kNoRow ? Place{.owner = kNoRow} : places_[parent];
    const bool has_op_around = parent != kNoRow && is_op(places_[around.owner].role);
    Place& place = places_[i];
    place.is_in_backward =
        around.is_in_backward || runs_for_forward_thread(event) || name.is_evaluation;
    place.is_in_optimizer = around.is_in_optimizer || (name.is_optimizer && !has_op_around);
    place.backward_op = around.backward_op;
    if (place.backward_op == kNoRow && runs_for_forward_thread(event)) {
      place.backward_op = static_cast<Row>(i);
      if (has_op_around && places_[around.owner].backward_inside == kNoRow) {
        places_[around.owner].backward_inside = static_cast<Row>(i);
      }
    }
    const bool is_op_here = is_true_sequence(event) ? name.is_op_with_sequence_number : name.is_op;
    const bool is_again = is_true_sequence(event) && event.forward_thread == 0;
    if (!has_op_around) {
      place.role = !is_op_here             ? Role::range
                   : place.is_in_backward  ? Role::backward
                   : place.is_in_optimizer ? Role::undirected
                                           : Role::forward;
    } else if (is_op_here && is_again && places_[around.owner].role == Role::backward) {
      place.role = Role::recomputed;
    } else {
      place.role = Role::part;
    }
    place.owner = place.role == Role::part ? around.owner : static_cast<Row>(i);
    const bool is_group = place.role == Role::range && !name.is_step;
    place.range = is_group ? static_cast<Row>(i) : around.range;
  }
}

void TraceOps::find_modules() {
  const profile::ThreadPlaces& threads = forest_.threads();
  base::parallel_for(threads.threads.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t thread = begin; thread < end; ++thread) {
      profile::OpenEvents open(modules_, threads.threads[thread]);
      for (std::size_t i = threads.first[thread]; i < threads.first[thread + 1]; ++i) {
        if (i % capture::kRowsAtOnce == 0) base::stop_point();
        places_[i].module = open.at(forest_[i].start_ns);
      }
    }
  });
}

TraceOps::FactsKey TraceOps::facts_key(std::size_t place) const {
  const Role role = places_[place].role;
  if (role == Role::part) return {.role = role};
  const HostEvent& event = host(place);
  const uint32_t name = name_of_row_[forest_[place].row];
  if (role == Role::range) return {.name = name, .role = role};
  return {name, role, event.inputs, event.call_stack};
}

RangeFacts TraceOps::make_facts(const FactsKey& key) const {
  if (key.role == Role::part) return {};
  const StringId text = names_[key.name].name;
  if (key.role == Role::range) return {.text = text, .name = text};
  RangeFacts facts{.text = text,
                   .kind = RangeKind::framework_op,
                   .backward = key.role == Role::backward,
                   .has_direction = key.role != Role::undirected};
  std::string name(op_name(builder_.text(text), true, true).value_or(builder_.text(text)));
  facts.type = builder_.intern(std::string(op_type(name)));
  if (key.role == Role::recomputed) name += profile::kRecomputed;
  facts.name = builder_.intern(name);
  if (key.inputs < events_.op_inputs.size()) {
    const OpInputs& inputs = events_.op_inputs[key.inputs];
    facts.sizes = inputs.dims;
    facts.parameters = inputs.concrete;
    facts.data_type = builder_.intern(profile::data_type_of(builder_.text(inputs.types)));
    if (inputs.strides != 0 && is_convolution(builder_.text(facts.type))) {
      facts.data_format =
          builder_.intern(layout_of(builder_.text(inputs.dims), builder_.text(inputs.strides)));
    }
  }
  if (key.call_stack != 0) {
    std::string stack(builder_.text(key.call_stack));
    std::ranges::replace(stack, ';', '\n');
    facts.stack_trace = builder_.intern(stack);
  }
  return facts;
}

capture::NvtxRanges TraceOps::read_ranges() {
  read_names();
  base::stop_point();
  find_roles();
  find_modules();
  base::stop_point();
  const auto facts = base::number_distinct<HashOfFacts>(
      forest_.size(), [this](std::size_t i) { return facts_key(i); });
  capture::NvtxRanges result{.ranges = base::UntouchedVector<capture::NvtxRange>(forest_.size()),
                             .threads = forest_.threads().threads,
                             .first = forest_.threads().first,
                             .facts = base::UntouchedVector<RangeFacts>(facts.keys.size()),
                             .times = capture::RangeTimes(trace_)};
  base::parallel_for(forest_.size(), capture::kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      result.ranges[i] = {facts.of_item[i], forest_[i].row};
    }
  });
  capture::CountedTexts counted;
  for (std::size_t i = 0; i < facts.keys.size(); ++i) {
    RangeFacts& of_key = result.facts[i];
    of_key = make_facts(facts.keys[i]);
    if (facts.keys[i].role != Role::range) continue;
    const bool is_annotation = names_[facts.keys[i].name].is_annotation;
    const string_view text = builder_.text(of_key.text);
    const capture::NumberedName numbered = capture::split_number(text);
    const bool counts = numbered.meaning == capture::NumberedName::Meaning::counts;
    if (is_annotation && !counts) {
      if (const std::optional<std::string> name = without_step_arguments(text)) {
        of_key.name = builder_.intern(*name);
        continue;
      }
    }
    if (!numbered.number) continue;
    // "Torch-Compiled Region: 0/1" is the name of a region.
    if (!counts && !is_annotation) continue;
    of_key.number = *numbered.number;
    const std::string name(numbered.name);
    counted.emplace(static_cast<uint32_t>(i),
                    capture::RangeFactsReader::Counted{builder_.intern(name), numbered.meaning});
  }
  capture::set_numbers(result, counted);
  return result;
}

void TraceOps::find_forward_ops() {
  std::vector<ForwardOp> candidates;
  const profile::ThreadPlaces& threads = forest_.threads();
  const auto forward_op = [&](std::size_t thread, std::size_t i) -> ForwardOp {
    return {profile::process_of(threads.threads[thread]),
            host(i).sequence_number,
            forest_[i].start_ns,
            forest_[i].stop_ns,
            forest_[i].row,
            static_cast<Row>(i)};
  };
  const auto for_each_event = [&](const auto& use) {
    for (std::size_t thread = 0; thread < threads.threads.size(); ++thread) {
      base::stop_point();
      for (std::size_t i = threads.first[thread]; i < threads.first[thread + 1]; ++i) {
        if (i % capture::kRowsAtOnce == 0) base::stop_point();
        use(thread, i);
      }
    }
  };
  for_each_event([&](std::size_t thread, std::size_t i) {
    const HostEvent& event = host(i);
    const bool is_forward = event.forward_thread == 0 || event.forward_thread == kNoValue;
    if (is_forward && is_true_sequence(event)) candidates.push_back(forward_op(thread, i));
  });
  base::parallel_sort(candidates.begin(), candidates.end());
  for_each_event([&](std::size_t thread, std::size_t i) {
    if (places_[i].backward_op != i) return;
    ++backward_ops_;
    if (!is_true_sequence(host(i))) return;
    // The last that begins earlier.
    ForwardOp here = forward_op(thread, i);
    here.stop_ns = INT64_MAX;
    here.row = 0;
    const auto next = std::lower_bound(candidates.begin(), candidates.end(), here);
    if (next == candidates.begin()) return;
    const ForwardOp& last = *std::prev(next);
    if (last.process != here.process || last.sequence_number != here.sequence_number) return;
    forward_.emplace(static_cast<Row>(i), last.place);
  });
}

base::LargeVector<Row> TraceOps::forward_rows() const {
  base::LargeVector<Row> rows(trace_.nvtx.size(), kNoRow);
  for (std::size_t i = 0; i < forest_.size(); ++i) {
    if (i % capture::kRowsAtOnce == 0) base::stop_point();
    if (places_[i].backward_op != i) continue;
    const auto found = forward_.find(static_cast<Row>(i));
    rows[forest_[i].row] = forest_[found == forward_.end() ? i : found->second].row;
  }
  return rows;
}

TraceOps::Node TraceOps::group(Row range, Row module, const capture::NvtxRanges& ranges,
                               capture::OpSpans& spans) {
  const auto [entry, is_new] =
      groups_.try_emplace(uint64_t{range} << 32 | module, capture::OpPaths::kRoot);
  if (!is_new) return entry->second;
  base::stop_point();
  struct Around {
    int64_t start_ns = 0, stop_ns = 0;
    StringId name = 0;
  };
  std::vector<Around> around;
  for (Row each = range; each != kNoRow && around.size() < kMostAround;) {
    const profile::EventForest::Event& event = forest_[each];
    around.push_back({event.start_ns, event.stop_ns, ranges.facts_of(ranges.ranges[each]).name});
    const Row parent = forest_.parent(each);
    each = parent == kNoRow ? kNoRow : places_[parent].range;
  }
  const std::size_t ranges_around = around.size();
  for (Row each = module; each != kNoRow && around.size() < ranges_around + kMostAround;
       each = modules_.parent(each)) {
    const profile::EventForest::Event& event = modules_[each];
    around.push_back({event.start_ns, event.stop_ns, module_names_[event.row]});
  }
  // The outermost first. Modules and ranges are timed by two clocks, so that they may cross.
  std::reverse(around.begin(), around.begin() + static_cast<std::ptrdiff_t>(ranges_around));
  std::reverse(around.begin() + static_cast<std::ptrdiff_t>(ranges_around), around.end());
  std::ranges::stable_sort(around, [](const Around& a, const Around& b) {
    return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.stop_ns > b.stop_ns;
  });
  Node node = capture::OpPaths::kRoot;
  for (const Around& each : around) {
    const auto below = spans.paths.below(node, each.name, builder_);
    if (!below) break;
    node = *below;
  }
  groups_[uint64_t{range} << 32 | module] = node;
  return node;
}

Row TraceOps::forward_op(Row place) const {
  const Place& here = places_[place];
  const Row backward = here.backward_op != kNoRow ? here.backward_op : here.backward_inside;
  const auto found = forward_.find(backward);
  return found == forward_.end() ? kNoRow : found->second;
}

Row TraceOps::forward_span(Row place) const {
  const Row forward = forward_op(place);
  if (forward == kNoRow) return kNoRow;
  const Row owner = places_[forward].owner;
  return is_op(places_[owner].role) ? first_span_[owner] : kNoRow;  // each op has a span
}

TraceOps::Node TraceOps::node_of(Row i, const capture::NvtxRanges& ranges,
                                 capture::OpSpans& spans) {
  const Place& place = places_[i];
  const Row parent = forest_.parent(i);
  Row range = parent == kNoRow ? kNoRow : places_[parent].range, module = place.module;
  if (const Row forward = is_op(place.role) ? forward_op(i) : kNoRow; forward != kNoRow) {
    range = places_[forward].range;
    module = places_[forward].module;
  }
  const Node around = group(range, module, ranges, spans);
  const StringId name = ranges.facts_of(ranges.ranges[i]).name;
  if (const auto node = spans.paths.below(around, name, builder_)) return *node;
  spans.without_path.push_back(i);
  return *spans.paths.below(capture::OpPaths::kRoot, name, builder_);
}

template <typename Add>
void TraceOps::for_each_stretch(const Add& add) const {
  base::LargeVector<int64_t> given_until_ns(forest_.size());  // of owners
  base::LargeVector<uint8_t> has_stretch(forest_.size());
  std::vector<Row> open;  // owners, the innermost last; each holds those after it
  const auto give = [&](Row owner, int64_t until_ns) {
    has_stretch[owner] = 1;
    add(owner, given_until_ns[owner], until_ns);
  };
  const auto close = [&](Row owner) {
    const profile::EventForest::Event& event = forest_[owner];
    // An op has an instance even if others fill it.
    const bool needs_one = is_op(places_[owner].role) || event.start_ns == event.stop_ns;
    const bool has_time = given_until_ns[owner] < event.stop_ns;
    if (has_time || (needs_one && has_stretch[owner] == 0)) give(owner, event.stop_ns);
  };
  for (std::size_t i = 0; i < forest_.size(); ++i) {
    if (i % capture::kRowsAtOnce == 0) base::stop_point();
    if (places_[i].owner != i) continue;
    const profile::EventForest::Event& event = forest_[i];
    const Row parent = forest_.parent(i);
    const Row around = parent == kNoRow ? kNoRow : places_[parent].owner;
    while (!open.empty() && open.back() != around) {
      close(open.back());
      open.pop_back();
    }
    if (around != kNoRow) {
      if (given_until_ns[around] < event.start_ns) give(around, event.start_ns);
      given_until_ns[around] = std::max(given_until_ns[around], event.stop_ns);
    }
    given_until_ns[i] = event.start_ns;
    open.push_back(static_cast<Row>(i));
  }
  for (; !open.empty(); open.pop_back()) close(open.back());
}

capture::OpSpans TraceOps::find_spans(const capture::NvtxRanges& ranges) {
  find_forward_ops();
  capture::OpSpans result;
  const profile::ThreadPlaces& threads = forest_.threads();
  base::LargeVector<Node> nodes(forest_.size());
  std::vector<bool> has_ops(threads.threads.size());
  for (std::size_t thread = 0; thread < threads.threads.size(); ++thread) {
    base::stop_point();
    for (std::size_t i = threads.first[thread]; i < threads.first[thread + 1]; ++i) {
      if (i % capture::kRowsAtOnce == 0) base::stop_point();
      const auto place = static_cast<Row>(i);
      if (places_[i].owner != place) continue;
      nodes[i] = node_of(place, ranges, result);
      if (is_op(places_[i].role)) {
        has_ops[thread] = true;
      } else {
        result.user_ranges.push_back({threads.threads[thread], place, nodes[i]});
      }
    }
  }
  first_span_.assign(forest_.size() + 1, 0);
  for_each_stretch([this](Row owner, int64_t, int64_t) { ++first_span_[owner + 1]; });
  for (std::size_t i = 0; i < forest_.size(); ++i) first_span_[i + 1] += first_span_[i];
  result.spans.resize(first_span_.back());
  base::LargeVector<Row> next(first_span_.begin(), first_span_.end());
  for_each_stretch([&](Row owner, int64_t start_ns, int64_t stop_ns) {
    const auto thread = static_cast<std::size_t>(
        std::ranges::upper_bound(threads.first, std::size_t{owner}) - threads.first.begin() - 1);
    const bool is_range = !is_op(places_[owner].role);
    // The time in a loader counts even if it calls no API.
    const bool needs_call = is_range && has_ops[thread] && !name_facts(owner).is_loader;
    result.spans[next[owner]++] = {.start_ns = start_ns,
                                   .stop_ns = stop_ns,
                                   .thread = threads.threads[thread],
                                   .range = owner,
                                   .node = nodes[owner],
                                   .forward = is_range ? kNoRow : forward_span(owner),
                                   .is_own_time = is_range,
                                   .needs_call = needs_call};
  });
  return result;
}

base::UntouchedVector<Row> TraceOps::spans_of_calls(const capture::CallIndex& calls,
                                                    const capture::OpSpans& spans) {
  const profile::ThreadGroups& by_thread = calls.by_thread();
  const profile::TraceApiCalls& table = trace_.api_calls;
  base::UntouchedVector<Row> span_of_call(table.size());
  std::ranges::fill(span_of_call, kNoRow);
  base::parallel_for(by_thread.threads.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t thread = begin; thread < end; ++thread) {
      profile::OpenEvents open(forest_, by_thread.threads[thread]);
      for (std::size_t i = by_thread.first[thread]; i < by_thread.first[thread + 1]; ++i) {
        if (i % capture::kRowsAtOnce == 0) base::stop_point();
        const Row call = by_thread.rows[i];
        const int64_t time_ns = table.start_ns[call];
        const Row place = open.at(time_ns);
        if (place == kNoRow) continue;
        const Row owner = places_[place].owner;
        // The stretch of the owner that began last; stretches of an owner do not overlap.
        const auto first = spans.spans.begin() + static_cast<std::ptrdiff_t>(first_span_[owner]);
        const auto last = spans.spans.begin() + static_cast<std::ptrdiff_t>(first_span_[owner + 1]);
        const auto next = std::upper_bound(
            first, last, time_ns,
            [](int64_t time, const capture::OpSpan& span) { return time < span.start_ns; });
        if (first == last) continue;
        span_of_call[call] =
            static_cast<Row>((next == first ? first : std::prev(next)) - spans.spans.begin());
      }
    }
  });
  return span_of_call;
}

}  // namespace dlview::import::pytorch
