#include "aggregate/limits/instance_work.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>  // join

#include "aggregate/host_events.h"
#include "aggregate/range_sums.h"
#include "base/number_distinct.h"
#include "base/stop_point.h"
#include "profile/data_types.h"
#include "profile/recorded.h"

namespace dlview::aggregate {
namespace {

using profile::InstanceIndex;
using profile::KernelIndex;
using profile::kNoRow;
using profile::kNoText;
using profile::OpIndex;
using profile::Profile;
using profile::Row;
using profile::StringId;

// The texts that a work follows from, by their ids.
struct CallTexts {
  StringId name = 0, data_type = 0, shapes = 0, types = 0, values = 0, output_shapes = 0;
  bool is_backward = false;
  bool operator==(const CallTexts&) const = default;
};

struct HashOfTexts {
  std::size_t operator()(const CallTexts& texts) const {
    constexpr uint64_t kOddFactor = 0x9e3779b97f4a7c15;
    uint64_t hash = texts.is_backward ? 1 : 0;
    for (const StringId id : {texts.name, texts.data_type, texts.shapes, texts.types, texts.values,
                              texts.output_shapes}) {
      hash = (hash ^ id) * kOddFactor;
      hash ^= hash >> 32;
    }
    return hash;
  }
};

// Works of distinct texts, computed once each.
class Works {
 public:
  explicit Works(const Profile& profile) : profile_(profile) {
    works_.emplace_back().why_unknown = "No op around the launch";
  }

  // The number in works() of each call.
  std::vector<uint32_t> numbers_of(const std::vector<CallTexts>& calls) {
    for (const CallTexts& call : calls) learn_output(call);
    std::vector<uint32_t> numbers;
    for (const CallTexts& call : calls) numbers.push_back(number_of(call));
    return numbers;
  }
  uint32_t number_of(const CallTexts& call) {
    const auto [place, is_new] = known_.try_emplace(call, 0);
    if (is_new) place->second = add(call);
    return place->second;
  }
  // A work that is unknown for this reason.
  uint32_t number_of(std::string why_unknown) {
    OpWork work;
    work.why_unknown = std::move(why_unknown);
    return number_of(std::move(work));
  }
  std::vector<OpWork>& works() { return works_; }

 private:
  OpCall call_of(const CallTexts& call) const {
    return {.name = profile_.text(call.name),
            .is_backward = call.is_backward,
            .data_type = profile_.text(call.data_type),
            .input_shapes = shapes_text(profile_, call.shapes),
            .input_types = profile_.text(call.types),
            .output_shapes = shapes_text(profile_, call.output_shapes),
            .parameters = profile_.text(call.values)};
  }
  uint32_t add(const CallTexts& texts) {
    base::stop_point();
    OpCall call = call_of(texts);
    const bool needs_output = call.parameters.empty() && call.output_shapes.empty();
    if (const auto sizes = needs_output ? convolution_sizes(call) : std::nullopt) {
      const auto found = outputs_.find({sizes->input, sizes->weight});
      if (found != outputs_.end()) call.output_shapes = found->second;
    }
    return number_of(work_of(call));
  }
  // Of the backward call of a convolution. Calls that differ in their strides alone have several
  // outputs: then none is known.
  void learn_output(const CallTexts& texts) {
    const auto sizes = convolution_sizes(call_of(texts));
    if (!sizes || sizes->output.empty()) return;
    const std::string output = fmt::format("[[{}]]", fmt::join(sizes->output, ","));
    const auto place = outputs_.try_emplace({sizes->input, sizes->weight}, output);
    if (place.first->second != output) place.first->second.clear();
  }
  uint32_t number_of(OpWork work) {
    const std::size_t hash = std::hash<std::string>()(work.formula + work.why_unknown) ^
                             static_cast<std::size_t>(work.flops.value_or(-1)) ^
                             (static_cast<std::size_t>(work.bytes.value_or(-1)) << 1);
    const auto [first, last] = numbers_of_works_.equal_range(hash);
    for (auto place = first; place != last; ++place) {
      if (works_[place->second] == work) return place->second;
    }
    const auto number = static_cast<uint32_t>(works_.size());
    numbers_of_works_.emplace(hash, number);
    works_.push_back(std::move(work));
    return number;
  }

  const Profile& profile_;
  std::vector<OpWork> works_;
  std::unordered_multimap<std::size_t, uint32_t> numbers_of_works_;  // by hash
  std::unordered_map<CallTexts, uint32_t, HashOfTexts> known_;
  // Of convolutions by input and weight, as JSON; empty = several.
  std::map<std::pair<std::vector<int64_t>, std::vector<int64_t>>, std::string> outputs_;
};

// How much a formula says of the ops around it: a GEMM in a linear layer is its work, a copy in it
// is not, and a fill in a pooling's gradient is not that work either.
enum class Weight : uint8_t { none, move, light, heavy };
Weight weight_of(const OpWork& work) {
  if (!work.flops && !work.bytes) return Weight::none;
  if (work.kind == WorkKind::copy) return Weight::move;
  const bool is_heavy = work.kind == WorkKind::gemm || work.kind == WorkKind::convolution ||
                        work.kind == WorkKind::attention;
  return is_heavy ? Weight::heavy : Weight::light;
}

StringId text_or_none(const profile::Column<StringId>& column, std::size_t row) {
  return column.empty() || column[row] == kNoText ? 0 : column[row];
}

// Host events of a PyTorch trace and their works.
class EventWorks {
 public:
  EventWorks(const Profile& profile, Works& works)
      : profile_(profile),
        forest_(forest_of_events(
            profile,
            [](profile::HostEventKind kind) { return kind == profile::HostEventKind::op; })),
        works_of_place_(forest_.size()) {
    const profile::TraceNvtx& nvtx = profile.trace->nvtx;
    const auto numbered =
        base::number_distinct<HashOfTexts>(forest_.size(), [&](std::size_t place) {
          const std::size_t row = forest_[place].row;
          return CallTexts{.name = nvtx.text[row] == kNoText ? 0 : nvtx.text[row],
                           .shapes = text_or_none(nvtx.input_shapes, row),
                           .types = text_or_none(nvtx.input_types, row),
                           .values = text_or_none(nvtx.input_values, row)};
        });
    const std::vector<uint32_t> numbers = works.numbers_of(numbered.keys);
    for (std::size_t place = 0; place < forest_.size(); ++place) {
      works_of_place_[place] = numbers[numbered.of_item[place]];
    }
  }

  // The place of the event whose work each kernel does: the innermost one with a formula around its
  // call, else the innermost one; kNoRow = none.
  std::vector<Row> calls_of_kernels(Works& all) {
    const uint32_t counted_inside = all.number_of("Work counted in an inner op");
    const std::vector<OpWork>& works = all.works();
    // Work counts once: an event whose inner events have it has none of its own.
    std::vector<Weight> below(forest_.size(), Weight::none);
    for (std::size_t place = forest_.size(); place-- > 0;) {
      const Row parent = forest_.parent(place);
      if (parent == kNoRow) continue;
      below[parent] =
          std::max({below[parent], below[place], weight_of(works[works_of_place_[place]])});
    }
    std::vector<Row> with_formula(forest_.size(), kNoRow);
    for (std::size_t place = 0; place < forest_.size(); ++place) {
      const Row parent = forest_.parent(place);
      const bool counts = weight_of(works[works_of_place_[place]]) > below[place];
      with_formula[place] = counts             ? static_cast<Row>(place)
                            : parent == kNoRow ? kNoRow
                                               : with_formula[parent];
      if (!counts && below[place] != Weight::none) works_of_place_[place] = counted_inside;
    }
    const TraceThreadIds threads(profile_);
    std::vector<profile::ThreadId> ids;
    for (profile::ThreadIndex thread{0}; thread < profile_.threads.size(); ++thread) {
      ids.push_back(threads.of(thread));
    }
    const profile::Kernels& kernels = profile_.kernels;
    const std::vector<bool> has_launch = ops_with_launches(profile_);
    std::vector<HostMoment> moments(kernels.size());
    for (KernelIndex kernel{0}; kernel < kernels.size(); ++kernel) {
      if (!has_launch[profile_.instances.op[kernels.instance[kernel]]]) continue;
      moments[kernel] = {ids[profile_.launches.thread[kernels.launch[kernel]]],
                         kernels.api_start_ns[kernel]};
    }
    std::vector<Row> places = open_at(forest_, moments);
    for (Row& place : places) {
      if (place != kNoRow && with_formula[place] != kNoRow) place = with_formula[place];
    }
    return places;
  }

  uint32_t work_of_place(Row place) const { return works_of_place_[place]; }
  std::size_t row_of_place(Row place) const { return forest_[place].row; }

 private:
  const Profile& profile_;
  profile::EventForest forest_;  // a parent's place precedes those of its children
  std::vector<uint32_t> works_of_place_;
};

struct HashOfGroup {
  std::size_t operator()(const WorkGroup& group) const {
    constexpr uint64_t kOddFactor = 0x9e3779b97f4a7c15;
    uint64_t hash = group.uses_tensor_cores ? 1 : 0;
    const auto data_type = static_cast<uint32_t>(std::hash<std::string_view>()(group.data_type));
    for (const uint32_t part :
         {Row{group.op}, group.shapes, group.name, group.work, data_type, group.kernel}) {
      hash = (hash ^ part) * kOddFactor;
      hash ^= hash >> 32;
    }
    return hash;
  }
};

// Kernels of one call in an instance: rows [first, last) need not be all of its own.
struct CallKernels {
  Row call = kNoRow;  // place of its event; kNoRow = the instance itself
  WorkGroup group;
  int64_t kernels = 0, kernel_ns = 0;
  StringId kernel = kNoText;
};

}  // namespace

WorkIndex::WorkIndex(const profile::Profile& profile) {
  Works works(profile);
  const profile::OpInstances& instances = profile.instances;
  const profile::Kernels& kernels = profile.kernels;
  std::optional<EventWorks> events;
  std::vector<Row> calls;
  if (profile::is_pytorch_trace(profile)) {
    events.emplace(profile, works);
    calls = events->calls_of_kernels(works);
  }
  const auto own = base::number_distinct<HashOfTexts>(instances.size(), [&](std::size_t i) {
    const InstanceIndex instance(static_cast<Row>(i));
    const OpIndex op = instances.op[instance];
    if (events) return CallTexts{};
    return CallTexts{.name = profile.ops.type[op],
                     .data_type = profile.ops.data_type[op],
                     .shapes = instances.input_shapes[instance],
                     .types = 0,
                     .values = instances.parameters[instance],
                     .output_shapes = instances.output_shapes[instance],
                     .is_backward = profile.text(profile.ops.direction[op]) == "bprop"};
  });
  const std::vector<uint32_t> own_works = works.numbers_of(own.keys);

  std::unordered_map<WorkGroup, uint32_t, HashOfGroup> known;
  group_of_kernel_.resize(kernels.size());
  std::vector<CallKernels> of_instance;
  for (InstanceIndex instance{0}; instance < instances.size(); ++instance) {
    constexpr Row kBetweenStops = 4096;
    if (Row{instance} % kBetweenStops == 0) base::stop_point();
    const OpIndex op = instances.op[instance];
    of_instance.clear();
    const KernelIndex first = instances.first_kernel[instance];
    const KernelIndex last = instances.first_kernel[InstanceIndex(Row{instance} + 1)];
    const auto call_of = [&](KernelIndex kernel) { return events ? calls[kernel] : kNoRow; };
    const auto find = [&](Row call) -> CallKernels& {
      const auto found = std::ranges::find(of_instance, call, &CallKernels::call);
      if (found != of_instance.end()) return *found;
      CallKernels& added = of_instance.emplace_back();
      added.call = call;
      added.group = {.op = op,
                     .shapes = instances.input_shapes[instance],
                     .name = profile.ops.type[op],
                     .work = events ? 0 : own_works[own.of_item[instance]],
                     .data_type = profile.text(profile.ops.data_type[op])};
      if (call != kNoRow) {
        const std::size_t row = events->row_of_place(call);
        const std::string_view types =
            profile.text(text_or_none(profile.trace->nvtx.input_types, row));
        added.group.name = profile.trace->nvtx.text[row];
        added.group.work = events->work_of_place(call);
        if (!types.empty()) added.group.data_type = profile::data_type_of(types);
      }
      return added;
    };
    for (KernelIndex kernel = first; kernel < last; ++kernel) {
      CallKernels& of_call = find(call_of(kernel));
      of_call.kernel = of_call.kernels == 0 ? kernels.name[kernel] : kNoText;
      ++of_call.kernels;
      of_call.kernel_ns += kernels.gpu_stop_ns[kernel] - kernels.gpu_start_ns[kernel];
      of_call.group.uses_tensor_cores |= kernels.uses_tensor_cores[kernel] != 0;
    }
    if (first == last) continue;
    for (CallKernels& of_call : of_instance) {
      of_call.group.kernel = of_call.kernel;
      const auto [place, is_new] =
          known.try_emplace(of_call.group, static_cast<uint32_t>(groups_.size()));
      if (is_new) groups_.push_back(of_call.group);
      parts_.push_back({instance, place->second, of_call.kernels, of_call.kernel_ns});
    }
    for (KernelIndex kernel = first; kernel < last; ++kernel) {
      const auto found = std::ranges::find(of_instance, call_of(kernel), &CallKernels::call);
      group_of_kernel_[kernel] =
          parts_[parts_.size() - static_cast<std::size_t>(of_instance.end() - found)].group;
    }
  }
  works_ = std::move(works.works());
  order_groups();
  add_up();
}

// In order of op, then of the first call.
void WorkIndex::order_groups() {
  std::vector<uint32_t> order(groups_.size());
  for (uint32_t group = 0; group < order.size(); ++group) order[group] = group;
  std::ranges::stable_sort(order, {}, [this](uint32_t group) { return Row{groups_[group].op}; });
  std::vector<uint32_t> number_of(groups_.size());
  std::vector<WorkGroup> ordered;
  for (const uint32_t group : order) {
    number_of[group] = static_cast<uint32_t>(ordered.size());
    ordered.push_back(groups_[group]);
  }
  groups_ = std::move(ordered);
  for (Part& part : parts_) part.group = number_of[part.group];
  for (uint32_t& group : group_of_kernel_) group = number_of[group];
}

// Parts by group, with the sums before each.
void WorkIndex::add_up() {
  first_.assign(groups_.size() + 1, 0);
  for (const Part& part : parts_) ++first_[part.group + 1];
  for (std::size_t group = 0; group < groups_.size(); ++group) first_[group + 1] += first_[group];
  instances_.resize(parts_.size());
  before_.resize(parts_.size() + 1);
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  std::vector<std::size_t> part_of(parts_.size());
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const std::size_t place = next[parts_[i].group]++;
    instances_[place] = parts_[i].instance;
    part_of[place] = i;
  }
  Sums sum;
  for (std::size_t place = 0; place < parts_.size(); ++place) {
    before_[place] = sum;
    const Part& part = parts_[part_of[place]];
    ++sum.calls;
    sum.kernels += part.kernels;
    sum.kernel_ns += part.kernel_ns;
  }
  before_[parts_.size()] = sum;
}

WorkIndex::Sums WorkIndex::sums(std::size_t group, InstanceIndex first, InstanceIndex last) const {
  const auto begin = instances_.begin() + static_cast<std::ptrdiff_t>(first_[group]);
  const auto end = instances_.begin() + static_cast<std::ptrdiff_t>(first_[group + 1]);
  const auto from = std::lower_bound(begin, end, first), to = std::lower_bound(from, end, last);
  const Sums& before = before_[static_cast<std::size_t>(from - instances_.begin())];
  const Sums& after = before_[static_cast<std::size_t>(to - instances_.begin())];
  return {after.calls - before.calls, after.kernels - before.kernels,
          after.kernel_ns - before.kernel_ns};
}

}  // namespace dlview::aggregate
