#include "aggregate/reference/kept.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include "profile/nesting.h"

namespace dlview::aggregate::reference {
namespace {

using profile::DeviceIndex;
using profile::InstanceIndex;
using profile::KernelIndex;
using profile::MemoryOpIndex;
using profile::OpIndex;
using profile::Profile;
using profile::Row;

bool inside(const TimeWindow& window, int64_t ns) {
  return window.start_ns <= ns && ns <= window.stop_ns;
}

std::vector<TimeWindow> all_of_time() {
  return {{std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()}};
}

// The event as far as it lies in the window: it starts there, or runs into it.
template <typename Events>
std::optional<Kept::Part> part_in(const Events& events, Row event, const TimeWindow& window) {
  const int64_t start_ns = events.gpu_start_ns[event], stop_ns = events.gpu_stop_ns[event];
  const bool runs_into = start_ns < window.start_ns && window.start_ns < stop_ns;
  if (!inside(window, start_ns) && !runs_into) return std::nullopt;
  Kept::Part part;
  part.event = event;
  part.start_ns = std::max(start_ns, window.start_ns);
  part.stop_ns = std::min(stop_ns, window.stop_ns);
  return part;
}

}  // namespace

Kept::Kept(const Profile& profile, const std::vector<Filter>& filters)
    : profile_(profile), filters_(filters) {
  if (!has(FilterKind::time)) windows_ = all_of_time();
  for (const Filter& filter : filters_) {
    if (filter.kind != FilterKind::time) continue;
    TimeWindow window = filter.window;
    for (bool grew = true; grew;) {  // until it overlaps none of the others
      const auto overlaps = [&window](const TimeWindow& other) {
        return inside(window, other.start_ns) || inside(other, window.start_ns);
      };
      const auto other = std::ranges::find_if(windows_, overlaps);
      grew = other != windows_.end();
      if (!grew) continue;
      window.start_ns = std::min(window.start_ns, other->start_ns);
      window.stop_ns = std::max(window.stop_ns, other->stop_ns);
      windows_.erase(other);
    }
    windows_.push_back(window);
  }
}

bool Kept::has(FilterKind kind) const {
  return std::ranges::find(filters_, kind, &Filter::kind) != filters_.end();
}

template <typename Matches>
bool Kept::any_of(FilterKind kind, Matches matches) const {
  return !has(kind) || std::ranges::any_of(filters_, [&](const Filter& filter) {
    return filter.kind == kind && matches(filter);
  });
}

bool Kept::keeps_op(OpIndex op) const {
  const auto& ops = profile_.ops;
  const std::string_view id = profile_.text(ops.id[op]), name = profile_.text(ops.name[op]);
  const bool eligible = ops.tensor_core_support[op] == profile::TensorCoreSupport::eligible;
  return any_of(FilterKind::op, [&](const Filter& f) { return f.text == id || f.text == name; }) &&
         any_of(FilterKind::op_type,
                [&](const Filter& f) { return f.text == profile_.text(ops.type[op]); }) &&
         any_of(FilterKind::group,
                [&](const Filter& f) {
                  return f.text.ends_with('/') && name.starts_with(f.text) && name != f.text &&
                         profile::nesting_of(profile_, name)[f.text.size() - 1] == '/';
                }) &&
         any_of(FilterKind::direction,
                [&](const Filter& f) { return f.text == profile_.text(ops.direction[op]); }) &&
         any_of(FilterKind::eligible, [&](const Filter& f) { return (f.number != 0) == eligible; });
}

bool Kept::keeps_device(DeviceIndex device) const {
  return any_of(FilterKind::device,
                [&](const Filter& f) { return f.number == profile_.devices[device].device_id; });
}

bool Kept::keeps_kernel(KernelIndex kernel) const {
  const bool tensor_cores = profile_.kernels.uses_tensor_cores[kernel] != 0;
  const std::string_view name = profile_.text(profile_.kernels.name[kernel]);
  return keeps_op(profile_.instances.op[profile_.kernels.instance[kernel]]) &&
         keeps_device(profile_.device_of_kernel(kernel)) &&
         any_of(FilterKind::kernel, [&](const Filter& f) { return f.text == name; }) &&
         any_of(FilterKind::tensor_core,
                [&](const Filter& f) { return (f.number != 0) == tensor_cores; });
}

// It is no kernel.
bool Kept::keeps_memory_op(MemoryOpIndex memory_op) const {
  return keeps_op(profile_.instances.op[profile_.memory_ops.instance[memory_op]]) &&
         keeps_device(profile_.memory_ops.device[memory_op]) && !has(FilterKind::kernel) &&
         !has(FilterKind::tensor_core);
}

bool Kept::starts_inside(int64_t ns) const {
  return std::ranges::any_of(windows_, [ns](const TimeWindow& w) { return inside(w, ns); });
}

bool Kept::kernel(KernelIndex kernel) const {
  return keeps_kernel(kernel) && starts_inside(profile_.kernels.gpu_start_ns[kernel]);
}

bool Kept::memory_op(MemoryOpIndex memory_op) const {
  return keeps_memory_op(memory_op) && starts_inside(profile_.memory_ops.gpu_start_ns[memory_op]);
}

std::vector<Kept::Part> Kept::parts(InstanceIndex instance, const TimeWindow& window) const {
  const auto& instances = profile_.instances;
  std::vector<Part> parts;
  for (KernelIndex k = instances.first_kernel[instance]; k < instances.first_kernel[instance + 1];
       ++k) {
    auto part = part_in(profile_.kernels, k, window);
    if (!part || !keeps_kernel(k)) continue;
    part->device = profile_.device_of_kernel(k);
    part->is_kernel = true;
    part->uses_tensor_cores = profile_.kernels.uses_tensor_cores[k] != 0;
    parts.push_back(*part);
  }
  for (MemoryOpIndex m = instances.first_memory_op[instance];
       m < instances.first_memory_op[instance + 1]; ++m) {
    auto part = part_in(profile_.memory_ops, m, window);
    if (!part || !keeps_memory_op(m)) continue;
    part->device = profile_.memory_ops.device[m];
    parts.push_back(*part);
  }
  return parts;
}

bool Kept::instance(InstanceIndex instance) const {
  if (!keeps_op(profile_.instances.op[instance])) return false;
  for (const TimeWindow& window : windows_) {
    if (!parts(instance, window).empty()) return true;
  }
  const bool needs_event =
      has(FilterKind::kernel) || has(FilterKind::device) || has(FilterKind::tensor_core);
  return !needs_event && starts_inside(profile_.instances.cpu_start_ns[instance]);
}

}  // namespace dlview::aggregate::reference
