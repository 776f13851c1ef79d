#include "aggregate/collectives.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "aggregate/row_filter.h"
#include "base/intervals.h"
#include "base/saturated_sum.h"
#include "base/stop_point.h"
#include "profile/data_types.h"
#include "profile/recorded_work.h"

namespace dlview::aggregate {
namespace {

using profile::Collective;
using profile::CollectiveIndex;
using profile::KernelIndex;
using profile::kNoRow;
using profile::kNoText;
using profile::kNoValue;
using profile::MemoryOpIndex;
using profile::Profile;
using profile::Row;
using profile::TraceCollectives;

constexpr std::size_t kRowsBetweenStops = 1U << 14U;
constexpr double kNsPerSecond = 1e9;

std::string_view text_of(const Profile& profile, profile::StringId id) {
  return id == kNoText ? std::string_view() : profile.text(id);
}

class CallList {
 public:
  CallList(const Profile& profile, const Aggregation& aggregation)
      : profile_(profile),
        table_(profile.trace->collectives),
        iterations_(aggregation.iteration_table->iterations.rows),
        range_(aggregation.selection.range),
        filter_(profile, aggregation.selection.filters),
        is_filtered_(!aggregation.selection.filters.empty()),
        communicates_(profile::communication_kernels(profile)) {}

  std::vector<CollectiveCall> take();

 private:
  bool is_communication(KernelIndex kernel) const {
    return !communicates_.empty() && communicates_[kernel] != 0;
  }
  bool is_in_range(int64_t iteration) const {
    return range_.first <= iteration && iteration <= range_.last;
  }
  // -1 = before the first one.
  int64_t iteration_at(int64_t host_ns) const;
  int64_t iteration_of(profile::InstanceIndex instance) const;
  void find_computation();
  void add_events();
  void add_gpu_activities();
  void add_kernel(KernelIndex kernel, CollectiveCall& call) const;
  // Returns whether nothing says what a call is, as of wait() in traces before PyTorch 2.2.
  bool is_unknown(const CollectiveCall& call) const {
    return call.collective == Collective::other && !call.bytes &&
           text_of(profile_, table_.name[call.row]).empty();
  }
  std::optional<int64_t> bytes_of_element(std::size_t row) const;
  // By its name.
  Collective collective_of_kernel(KernelIndex kernel) const;
  // Of the row in the trace; null = it is not in the range.
  CollectiveCall* call_of(const profile::RecordedWork& work);

  const Profile& profile_;
  const TraceCollectives& table_;
  const std::vector<Iteration>& iterations_;
  const IterationRange range_;
  const RowFilter filter_;
  const bool is_filtered_;
  const std::vector<uint8_t> communicates_;
  std::vector<base::IntervalSet> computation_;  // by device: kernels that do not communicate
  std::vector<std::size_t> call_of_row_;        // by row of the trace; calls_.size() = none
  std::vector<CollectiveCall> calls_;
};

int64_t CallList::iteration_at(int64_t host_ns) const {
  const auto after = std::ranges::upper_bound(
      iterations_, host_ns, {}, [](const Iteration& each) { return each.host_time().start_ns; });
  const int64_t number = after - iterations_.begin() - 1;
  if (number < 0) return -1;
  // What comes after the last one is in none.
  const bool is_last = after == iterations_.end();
  return is_last && host_ns > iterations_.back().host_time().stop_ns ? number + 1 : number;
}

int64_t CallList::iteration_of(profile::InstanceIndex instance) const {
  const auto after =
      std::ranges::upper_bound(iterations_, Row{instance}, {},
                               [](const Iteration& each) { return Row{each.first_instance}; });
  const int64_t number = after - iterations_.begin() - 1;
  if (number < 0) return -1;
  const bool is_inside = instance < iterations_[static_cast<std::size_t>(number)].last_instance;
  return is_inside ? number : static_cast<int64_t>(iterations_.size());
}

void CallList::find_computation() {
  std::vector<std::vector<base::Interval>> times(profile_.devices.size());
  for (KernelIndex kernel{0}; kernel < profile_.kernels.size(); ++kernel) {
    if (kernel % kRowsBetweenStops == 0) base::stop_point();
    if (is_communication(kernel) || !filter_.counts_kernel(kernel)) continue;
    times[profile_.device_of_kernel(kernel)].push_back(
        {profile_.kernels.gpu_start_ns[kernel], profile_.kernels.gpu_stop_ns[kernel]});
  }
  for (std::vector<base::Interval>& of_device : times) {
    computation_.push_back(base::IntervalSet::union_of(std::move(of_device)));
  }
}

std::optional<int64_t> CallList::bytes_of_element(std::size_t row) const {
  const auto& recorded = table_.bytes_of_element;
  if (!recorded.empty() && recorded[row] != kNoValue) return recorded[row];
  return profile::bytes_of_data_type(text_of(profile_, table_.data_type[row]));
}

void CallList::add_events() {
  call_of_row_.assign(table_.size(), SIZE_MAX);
  for (std::size_t row = 0; row < table_.size(); ++row) {
    if (row % kRowsBetweenStops == 0) base::stop_point();
    const int64_t start_ns = table_.start_ns[row];
    CollectiveCall call;
    call.row = CollectiveIndex(static_cast<Row>(row));
    call.collective = profile::collective_named(text_of(profile_, table_.name[row]));
    if (table_.group_size[row] > 0) call.group_size = table_.group_size[row];
    const auto elements = message_elements(call.collective, table_.in_elements[row],
                                           table_.out_elements[row], table_.group_size[row]);
    const auto width = bytes_of_element(row);
    int64_t bytes = 0;
    if (elements && width && !__builtin_mul_overflow(*elements, *width, &bytes)) call.bytes = bytes;
    if (start_ns != kNoValue) {
      call.iteration = iteration_at(start_ns);
      call.start_ns = start_ns;
      call.host_ns = base::saturated_sum(table_.end_ns[row], -start_ns);
      if (!is_in_range(call.iteration)) continue;
    }
    call_of_row_[row] = calls_.size();
    calls_.push_back(call);
  }
}

CollectiveCall* CallList::call_of(const profile::RecordedWork& work) {
  if (work.row >= work.table.collective.size()) return nullptr;
  const Row row = work.table.collective[work.row];
  if (row >= call_of_row_.size() || call_of_row_[row] == SIZE_MAX) return nullptr;
  return &calls_[call_of_row_[row]];
}

void CallList::add_kernel(KernelIndex kernel, CollectiveCall& call) const {
  const auto& kernels = profile_.kernels;
  const int64_t start_ns = kernels.gpu_start_ns[kernel], stop_ns = kernels.gpu_stop_ns[kernel];
  if (call.first_kernel == kNoRow || start_ns < kernels.gpu_start_ns[call.first_kernel]) {
    call.first_kernel = kernel;
  }
  ++call.gpu_events;
  call.gpu_ns += stop_ns - start_ns;
  if (!is_communication(kernel)) return;
  call.kernel_ns += stop_ns - start_ns;
  call.exposed_ns += stop_ns - start_ns -
                     computation_[profile_.device_of_kernel(kernel)].covered_ns(start_ns, stop_ns);
}

Collective CallList::collective_of_kernel(KernelIndex kernel) const {
  for (const profile::StringId name :
       {profile_.kernels.name[kernel], profile_.kernels.long_name[kernel]}) {
    const auto known = profile::communication_of(profile_.text(name));
    if (known) return known->collective;
  }
  return Collective::other;
}

void CallList::add_gpu_activities() {
  for (KernelIndex kernel{0}; kernel < profile_.kernels.size(); ++kernel) {
    if (kernel % kRowsBetweenStops == 0) base::stop_point();
    CollectiveCall* const call = call_of(profile::recorded_kernel(profile_, kernel));
    if (call == nullptr || !filter_.counts_kernel(kernel)) continue;
    if (!call->host_ns) {
      call->iteration = iteration_of(profile_.kernels.instance[kernel]);
      call->start_ns = profile_.kernels.gpu_start_ns[kernel];
      if (call->collective == Collective::other) call->collective = collective_of_kernel(kernel);
    }
    add_kernel(kernel, *call);
  }
  for (MemoryOpIndex memory_op{0}; memory_op < profile_.memory_ops.size(); ++memory_op) {
    if (memory_op % kRowsBetweenStops == 0) base::stop_point();
    CollectiveCall* const call = call_of(profile::recorded_memory_op(profile_, memory_op));
    if (call == nullptr || !filter_.counts_memory_op(memory_op)) continue;
    ++call->gpu_events;
    call->gpu_ns +=
        profile_.memory_ops.gpu_stop_ns[memory_op] - profile_.memory_ops.gpu_start_ns[memory_op];
  }
}

std::vector<CollectiveCall> CallList::take() {
  find_computation();
  add_events();
  add_gpu_activities();
  std::erase_if(calls_, [this](const CollectiveCall& call) {
    if (!call.host_ns && (call.gpu_events == 0 || !is_in_range(call.iteration))) return true;
    return call.gpu_events == 0 && (is_filtered_ || is_unknown(call));
  });
  std::ranges::stable_sort(calls_, {}, &CollectiveCall::start_ns);
  return std::move(calls_);
}

}  // namespace

std::optional<int64_t> message_elements(Collective collective, int64_t in, int64_t out,
                                        int64_t group_size) {
  const auto times_group = [group_size](int64_t elements) {
    int64_t all = 0;
    const bool is_known = elements >= 0 && group_size > 0;
    return is_known && !__builtin_mul_overflow(elements, group_size, &all) ? all : kNoValue;
  };
  int64_t elements = kNoValue;
  switch (collective) {
    case Collective::all_gather:
    case Collective::gather:
      elements = out >= 0 ? out : times_group(in);
      break;
    case Collective::reduce_scatter:
    case Collective::scatter:
      elements = in >= 0 ? in : times_group(out);
      break;
    default:
      elements = std::max(in, out);
  }
  return elements < 0 ? std::nullopt : std::optional(elements);
}

std::optional<double> algorithm_bandwidth(int64_t bytes, int64_t kernel_ns) {
  if (bytes <= 0 || kernel_ns <= 0) return std::nullopt;
  return static_cast<double>(bytes) * kNsPerSecond / static_cast<double>(kernel_ns);
}

std::optional<double> bus_factor(Collective collective, std::optional<int64_t> group_size) {
  if (!group_size || *group_size < 2) return std::nullopt;
  const double others = static_cast<double>(*group_size - 1) / static_cast<double>(*group_size);
  switch (collective) {
    case Collective::all_reduce:
      return 2 * others;
    case Collective::all_gather:
    case Collective::reduce_scatter:
    case Collective::all_to_all:
    case Collective::gather:
    case Collective::scatter:
      return others;
    case Collective::broadcast:
    case Collective::reduce:
    case Collective::send_recv:
      return 1;
    default:
      return std::nullopt;
  }
}

namespace {

std::optional<double> on_the_bus(std::optional<double> bandwidth, Collective collective,
                                 std::optional<int64_t> group_size) {
  const std::optional<double> factor = bus_factor(collective, group_size);
  if (!bandwidth || !factor) return std::nullopt;
  return *bandwidth * *factor;
}

}  // namespace

std::optional<double> CollectiveCall::algorithm_bandwidth() const {
  if (collective == Collective::wait || collective == Collective::barrier) return std::nullopt;
  return aggregate::algorithm_bandwidth(bytes.value_or(0), kernel_ns);
}

std::optional<double> CollectiveCall::bus_bandwidth() const {
  return on_the_bus(algorithm_bandwidth(), collective, group_size);
}

std::optional<double> CollectiveSum::algorithm_bandwidth() const {
  return aggregate::algorithm_bandwidth(timed_bytes, timed_ns);
}

std::optional<double> CollectiveSum::bus_bandwidth() const {
  return on_the_bus(algorithm_bandwidth(), kind.collective, kind.group_size);
}

std::vector<CollectiveCall> collective_calls(const Profile& profile,
                                             const Aggregation& aggregation) {
  if (!has_collectives(profile)) return {};
  return CallList(profile, aggregation).take();
}

std::string_view collective_name(const Profile& profile, const CollectiveCall& call) {
  if (call.collective != Collective::other) return profile::to_text(call.collective);
  const std::string_view name = text_of(profile, profile.trace->collectives.name[call.row]);
  if (!name.empty()) return name;
  return call.host_ns || call.first_kernel == kNoRow
             ? "record_param_comms"
             : profile.text(profile.kernels.name[call.first_kernel]);
}

std::string_view data_type_of(const Profile& profile, const CollectiveCall& call) {
  return text_of(profile, profile.trace->collectives.data_type[call.row]);
}

std::string_view group_description(const Profile& profile, const CollectiveCall& call) {
  const std::string_view description =
      text_of(profile, profile.trace->collectives.group_description[call.row]);
  return description == "undefined" ? "" : description;
}

std::string group_text(const Profile& profile, const CollectiveCall& call) {
  const TraceCollectives& table = profile.trace->collectives;
  const std::string_view name = text_of(profile, table.group_name[call.row]);
  const std::string_view description = group_description(profile, call);
  if (description.empty()) return std::string(name);
  return name.empty() ? std::string(description) : fmt::format("{} ({})", description, name);
}

CollectiveKind collective_kind(const Profile& profile, const CollectiveCall& call) {
  return {call.collective,
          collective_name(profile, call),
          data_type_of(profile, call),
          group_text(profile, call),
          call.group_size,
          call.bytes};
}

std::string to_text(const CollectiveKind& kind) {
  const auto known = [](const std::optional<int64_t>& number) {
    return number ? fmt::format("{}", *number) : std::string("-");
  };
  return fmt::format("{} {} {} {} {}", kind.name, kind.data_type, kind.group,
                     known(kind.group_size), known(kind.bytes));
}

std::vector<CollectiveSum> sum_collectives(const Profile& profile,
                                           const std::vector<CollectiveCall>& calls) {
  std::vector<CollectiveSum> sums;
  std::map<CollectiveKind, std::size_t> places;
  for (const CollectiveCall& call : calls) {
    CollectiveKind kind = collective_kind(profile, call);
    const auto [place, is_new] = places.try_emplace(kind, sums.size());
    if (is_new) {
      sums.emplace_back();
      sums.back().kind = std::move(kind);
    }
    CollectiveSum& sum = sums[place->second];
    sum.gpu_events += call.gpu_events;
    sum.kernel_ns += call.kernel_ns;
    sum.exposed_ns += call.exposed_ns;
    sum.bytes = base::saturated_sum(sum.bytes, call.bytes.value_or(0));
    sum.gpu.add(call.gpu_ns);
    if (!call.algorithm_bandwidth()) continue;
    sum.timed_bytes = base::saturated_sum(sum.timed_bytes, *call.bytes);
    sum.timed_ns += call.kernel_ns;
  }
  return sums;
}

bool has_collectives(const Profile& profile) {
  return profile.trace && profile.trace->collectives.size() > 0;
}

}  // namespace dlview::aggregate
