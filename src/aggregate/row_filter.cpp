#include "aggregate/row_filter.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "aggregate/group_tree.h"

namespace dlview::aggregate {
namespace {

using profile::InstanceIndex;
using profile::KernelIndex;
using profile::MemoryOpIndex;
using profile::OpIndex;
using profile::Profile;
using profile::Row;

constexpr TimeWindow kAlways{std::numeric_limits<int64_t>::min(),
                             std::numeric_limits<int64_t>::max()};

bool has_kind(const std::vector<Filter>& filters, FilterKind kind) {
  return std::ranges::find(filters, kind, &Filter::kind) != filters.end();
}

bool op_matches(const Profile& profile, OpIndex op, const Filter& filter) {
  const auto is = [&](profile::StringId text) { return profile.text(text) == filter.text; };
  const std::string_view name = profile.text(profile.ops.name[op]);
  switch (filter.kind) {
    case FilterKind::op:
      return is(profile.ops.id[op]) || is(profile.ops.name[op]);
    case FilterKind::op_type:
      return is(profile.ops.type[op]);
    case FilterKind::group:
      return is_in_group(profile, name, filter.text);
    case FilterKind::direction:
      return is(profile.ops.direction[op]);
    case FilterKind::eligible:
      return profile.is_eligible(op) == (filter.number != 0);
    default:
      return false;
  }
}

// Windows that overlap become one.
std::vector<TimeWindow> merged(std::vector<TimeWindow> windows) {
  std::sort(windows.begin(), windows.end());
  std::vector<TimeWindow> disjoint;
  for (const TimeWindow& window : windows) {
    if (!disjoint.empty() && window.start_ns <= disjoint.back().stop_ns) {
      disjoint.back().stop_ns = std::max(disjoint.back().stop_ns, window.stop_ns);
    } else {
      disjoint.push_back(window);
    }
  }
  return disjoint;
}

}  // namespace

RowFilter::RowFilter(const Profile& profile, const std::vector<Filter>& filters)
    : profile_(&profile),
      op_kept_(profile.ops.size(), 1),
      device_kept_(profile.devices.size(), 1),
      asks_for_events_(has_kind(filters, FilterKind::kernel) ||
                       has_kind(filters, FilterKind::device) ||
                       has_kind(filters, FilterKind::tensor_core)) {
  look_up_ops(filters);
  look_up_events(filters);
  look_up_windows(filters);
}

void RowFilter::look_up_ops(const std::vector<Filter>& filters) {
  for (const FilterKind kind : {FilterKind::op, FilterKind::op_type, FilterKind::group,
                                FilterKind::direction, FilterKind::eligible}) {
    if (!has_kind(filters, kind)) continue;
    for (OpIndex op{0}; op < op_kept_.size(); ++op) {
      const bool any = std::ranges::any_of(filters, [&](const Filter& filter) {
        return filter.kind == kind && op_matches(*profile_, op, filter);
      });
      if (!any) op_kept_[op] = 0;
    }
  }
}

// A memory operation is no kernel: it has neither a kernel's name nor Tensor Cores to use or not.
void RowFilter::look_up_events(const std::vector<Filter>& filters) {
  if (has_kind(filters, FilterKind::kernel)) {
    memory_kept_ = false;
    kernel_names_kept_.assign(profile_->strings.size(), 0);
  }
  if (has_kind(filters, FilterKind::tensor_core)) {
    memory_kept_ = false;
    tensor_cores_kept_ = {false, false};
  }
  if (has_kind(filters, FilterKind::device)) device_kept_.assign(device_kept_.size(), 0);
  for (const Filter& filter : filters) {
    if (filter.kind == FilterKind::kernel) {
      if (const auto name = profile_->strings.find(filter.text)) kernel_names_kept_[*name] = 1;
    } else if (filter.kind == FilterKind::tensor_core) {
      tensor_cores_kept_[filter.number != 0 ? 1 : 0] = true;
    } else if (filter.kind == FilterKind::device) {
      const auto device =
          std::ranges::find(profile_->devices, filter.number, &profile::Device::device_id);
      if (device == profile_->devices.end()) continue;
      device_kept_[static_cast<std::size_t>(device - profile_->devices.begin())] = 1;
    }
  }
}

void RowFilter::look_up_windows(const std::vector<Filter>& filters) {
  for (const Filter& filter : filters) {
    if (filter.kind == FilterKind::time) windows_.push_back(filter.window);
  }
  asks_for_time_ = !windows_.empty();
  windows_ = asks_for_time_ ? merged(std::move(windows_)) : std::vector{kAlways};
}

bool RowFilter::counts_kernel(KernelIndex kernel) const {
  return keeps_op(profile_->instances.op[profile_->kernels.instance[kernel]]) &&
         passes_kernel(kernel) && starts_inside(profile_->kernels.gpu_start_ns[kernel]);
}

bool RowFilter::counts_memory_op(MemoryOpIndex memory_op) const {
  return keeps_op(profile_->instances.op[profile_->memory_ops.instance[memory_op]]) &&
         passes_memory_op(memory_op) && starts_inside(profile_->memory_ops.gpu_start_ns[memory_op]);
}

bool RowFilter::counts_instance(InstanceIndex instance) const {
  const auto& instances = profile_->instances;
  if (!keeps_op(instances.op[instance])) return false;
  if (!asks_for_events_ && starts_inside(instances.cpu_start_ns[instance])) return true;
  const auto touched = [this](const auto& events, Row event) {
    return touches_any(events.gpu_start_ns[event], events.gpu_stop_ns[event]);
  };
  for (KernelIndex k = instances.first_kernel[instance]; k < instances.first_kernel[instance + 1];
       ++k) {
    if (passes_kernel(k) && touched(profile_->kernels, k)) return true;
  }
  for (MemoryOpIndex m = instances.first_memory_op[instance];
       m < instances.first_memory_op[instance + 1]; ++m) {
    if (passes_memory_op(m) && touched(profile_->memory_ops, m)) return true;
  }
  return false;
}

}  // namespace dlview::aggregate
