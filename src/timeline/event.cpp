#include "timeline/event.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "aggregate/breakdown.h"
#include "aggregate/tensor_core_uses.h"
#include "base/units.h"
#include "profile/communication.h"
#include "profile/data_loading.h"
#include "profile/display_name.h"
#include "profile/kinds.h"
#include "profile/nesting.h"
#include "timeline/range_name.h"

namespace dlview::timeline {
namespace {

using profile::InstanceIndex;
using profile::KernelIndex;
using profile::MemoryOpIndex;
using profile::OpIndex;
using profile::Profile;
using profile::Row;

constexpr std::string_view kBackward = "bprop";

// "/module/net::forward/conv1" -> "conv1"; an op of DLProf may end in '/'.
std::string_view name_of_op(const Profile& profile, OpIndex op) {
  std::string_view path = profile.text(profile.ops.name[op]);
  std::string_view nesting = profile::nesting_of(profile, path);
  if (nesting.ends_with('/')) {
    path.remove_suffix(1);
    nesting.remove_suffix(1);
  }
  return path.substr(nesting.rfind('/') + 1);
}

std::string name_of_memory_op(const Profile& profile, MemoryOpIndex row) {
  if (profile.memory_ops.kind[row] == profile::MemoryOpKind::memset) return "memset";
  const std::string_view direction = copy_direction(profile.memory_ops.copy_kind[row]);
  return direction.empty() ? "memcpy" : fmt::format("memcpy {}", direction);
}

// Short names are those of many templates.
profile::StringId full_name_of_kernel(const Profile& profile, KernelIndex row) {
  const profile::StringId long_name = profile.kernels.long_name[row];
  return long_name == 0 ? profile.kernels.name[row] : long_name;
}

std::string call_text(const Profile& profile, profile::StringId name) {
  return std::string(profile::call_name(profile.text(name)));
}

profile::StringId name_of_os_call(const Profile& profile, Row row) {
  const profile::StringId name = profile.trace->os_calls.name[row];
  return name == profile::kNoText ? 0 : name;
}

profile::StringId text_of_nvtx(const Profile& profile, Row row) {
  const profile::StringId text = profile.trace->nvtx.text[row];
  return text == profile::kNoText ? 0 : text;
}

std::vector<bool> kernels_without_verdict(const Profile& profile) {
  std::vector<bool> flags;
  for (const KernelIndex kernel : aggregate::kernels_of_unknown_use(profile)) {
    flags.resize(profile.kernels.size());
    flags[kernel] = true;
  }
  return flags;
}

std::vector<Category> categories_of_ops(const Profile& profile) {
  std::vector<Category> categories;
  for (OpIndex op{0}; op < profile.ops.size(); ++op) {
    const bool loads_data = profile::loads_data(profile, op);
    const bool is_backward = profile.text(profile.ops.direction[op]) == kBackward;
    categories.push_back(loads_data    ? Category::data_loader
                         : is_backward ? Category::backward_op
                                       : Category::op);
  }
  return categories;
}

}  // namespace

std::string_view copy_direction(profile::CopyKind copy_kind) {
  switch (copy_kind) {
    case profile::CopyKind::host_to_device:
      return "HtoD";
    case profile::CopyKind::device_to_host:
      return "DtoH";
    case profile::CopyKind::device_to_device:
      return "DtoD";
    case profile::CopyKind::host_to_host:
      return "HtoH";
    case profile::CopyKind::peer_to_peer:
      return "PtoP";
    default:
      return "";
  }
}

std::string_view short_direction(profile::CopyKind copy_kind) {
  switch (copy_kind) {
    case profile::CopyKind::host_to_device:
      return "H2D";
    case profile::CopyKind::device_to_host:
      return "D2H";
    case profile::CopyKind::device_to_device:
      return "D2D";
    case profile::CopyKind::host_to_host:
      return "H2H";
    case profile::CopyKind::peer_to_peer:
      return "P2P";
    default:
      return "";
  }
}

Events::Events(std::shared_ptr<const Profile> profile)
    : profile_(std::move(profile)),
      tree_(aggregate::build_group_tree(*profile_)),
      communicates_(profile::communication_kernels(*profile_)),
      unknown_use_(kernels_without_verdict(*profile_)),
      of_op_(categories_of_ops(*profile_)) {}

base::Interval Events::time_of_nvtx(Row row) const {
  const profile::TraceNvtx& nvtx = profile_->trace->nvtx;
  const int64_t start = nvtx.start_ns[row];
  const int64_t end = row < nvtx.end_ns.size() ? nvtx.end_ns[row] : profile::kNoValue;
  if (end != profile::kNoValue) return {start, std::max(start, end)};
  if (nvtx.kind[row] == profile::NvtxKind::mark) return {start, start};
  return {start, std::max(start, profile_->last_ns)};
}

Row Events::add_group(const GroupSpan& span) {
  groups_.push_back(span);
  return static_cast<Row>(groups_.size() - 1);
}

Row Events::add_running(const base::Interval& time) {
  running_.push_back(time);
  return static_cast<Row>(running_.size() - 1);
}

void Events::add_recorded_range(InstanceIndex instance) {
  if (recorded_ranges_.empty()) recorded_ranges_.resize(profile_->instances.size());
  recorded_ranges_[instance] = true;
}

bool Events::is_recorded_range(EventRef event) const {
  if (event.kind == EventKind::user_range || event.kind == EventKind::nvtx) return true;
  return event.kind == EventKind::op && !recorded_ranges_.empty() && recorded_ranges_[event.row];
}

std::string Events::name(EventRef event) const {
  const Profile& p = *profile_;
  const Row row = event.row;
  switch (event.kind) {
    case EventKind::kernel:
      return std::string(p.text(p.kernels.name[row]));
    case EventKind::memory_op:
      return name_of_memory_op(p, MemoryOpIndex(row));
    case EventKind::launch:
      return fmt::format("launch of {}", p.text(p.kernels.name[row]));
    case EventKind::memory_call:
      return call_text(p, p.memory_ops.name[row]);
    case EventKind::sync:
      return call_text(p, p.syncs.name[row]);
    case EventKind::api_call:
      return call_text(p, p.api_calls.name[row]);
    case EventKind::op:
      return std::string(name_of_op(p, p.instances.op[row]));
    case EventKind::group:
      return std::string(aggregate::last_name(p, tree_, groups_[row].group));
    case EventKind::user_range:
      return range_name(p.text(p.user_ranges.name[row]));
    case EventKind::nvtx:
      return range_name(p.text(text_of_nvtx(p, row)));
    case EventKind::os_call:
      return std::string(p.text(name_of_os_call(p, row)));
    case EventKind::running:
      return "running";
    case EventKind::frame:
      return std::string(frames_->name(row));
    case EventKind::gpu_sync:
      return std::string(p.text(p.trace->sync_events.name[row]));
    case EventKind::overhead:
      return std::string(p.text(p.trace->overheads.name[row]));
  }
  return {};
}

std::string_view Events::full_text(EventRef event) const {
  const Profile& p = *profile_;
  switch (event.kind) {
    case EventKind::kernel:
    case EventKind::launch:
      return p.text(p.kernels.long_name[event.row]);
    case EventKind::user_range:
      return p.text(p.user_ranges.name[event.row]);
    case EventKind::nvtx:
      return p.text(text_of_nvtx(p, event.row));
    default:
      return {};
  }
}

std::string Events::size_text(MemoryOpIndex row) const {
  const profile::MemoryOps& memory_ops = profile_->memory_ops;
  const std::string_view direction = short_direction(memory_ops.copy_kind[row]);
  const std::string_view kind = memory_ops.kind[row] == profile::MemoryOpKind::memset ? "memset"
                                : direction.empty()                                   ? "memcpy"
                                                                                      : direction;
  return fmt::format("{} {}", kind, base::format_bytes(memory_ops.bytes[row]));
}

Category Events::category(EventRef event) const {
  switch (event.kind) {
    case EventKind::kernel:
      if (!communicates_.empty() && communicates_[event.row] != 0) return Category::communication;
      if (!unknown_use_.empty() && unknown_use_[event.row]) return Category::unknown_kernel;
      return profile_->kernels.uses_tensor_cores[event.row] != 0 ? Category::tensor_core_kernel
                                                                 : Category::other_kernel;
    case EventKind::memory_op:
      return Category::memory;
    case EventKind::launch:
    case EventKind::memory_call:
    case EventKind::api_call:
      return Category::call;
    case EventKind::sync:
    case EventKind::gpu_sync:
      return Category::sync;
    case EventKind::op:
      return of_op_[profile_->instances.op[event.row]];
    case EventKind::group:
      return Category::group;
    case EventKind::os_call:
      return Category::os_call;
    case EventKind::running:
      return Category::running;
    case EventKind::frame:
      return Category::frame;
    case EventKind::overhead:
      return Category::overhead;
    case EventKind::user_range:
    case EventKind::nvtx:
      break;
  }
  return Category::range;
}

uint64_t Events::name_key(EventRef event) const {
  const Profile& p = *profile_;
  const Row row = event.row;
  switch (event.kind) {
    case EventKind::kernel:
    case EventKind::launch:
      return full_name_of_kernel(p, KernelIndex(row));
    case EventKind::memory_op:
      return (p.memory_ops.kind[row] == profile::MemoryOpKind::memset ? 256u : 0u) +
             static_cast<uint8_t>(p.memory_ops.copy_kind[row]);
    case EventKind::memory_call:
      return p.memory_ops.name[row];
    case EventKind::sync:
      return p.syncs.name[row];
    case EventKind::api_call:
      return p.api_calls.name[row];
    case EventKind::op:
      return p.instances.op[row];
    case EventKind::group:
      return groups_[row].group;
    case EventKind::user_range:
      return p.user_ranges.name[row];
    case EventKind::nvtx:
      return text_of_nvtx(p, row);
    case EventKind::os_call:
      return name_of_os_call(p, row);
    case EventKind::running:
      return 0;
    case EventKind::frame:
      return frames_->frames().name[row];
    case EventKind::gpu_sync:
      return p.trace->sync_events.name[row];
    case EventKind::overhead:
      return p.trace->overheads.name[row];
  }
  return 0;
}

EventRef call_of(EventRef event) {
  if (event.kind == EventKind::kernel) return {EventKind::launch, event.row};
  if (event.kind == EventKind::memory_op) return {EventKind::memory_call, event.row};
  return event;
}

EventRef work_of(EventRef event) {
  if (event.kind == EventKind::launch) return {EventKind::kernel, event.row};
  if (event.kind == EventKind::memory_call) return {EventKind::memory_op, event.row};
  return event;
}

InstanceIndex instance_of(const Profile& profile, EventRef event) {
  switch (event.kind) {
    case EventKind::kernel:
    case EventKind::launch:
      return profile.kernels.instance[event.row];
    case EventKind::memory_op:
    case EventKind::memory_call:
      return profile.memory_ops.instance[event.row];
    case EventKind::sync:
      return profile.syncs.instance[event.row];
    case EventKind::api_call:
      return profile.api_calls.instance[event.row];
    case EventKind::op:
      return InstanceIndex(event.row);
    case EventKind::group:
    case EventKind::user_range:
    case EventKind::nvtx:
    case EventKind::os_call:
    case EventKind::running:
    case EventKind::frame:
    case EventKind::gpu_sync:
    case EventKind::overhead:
      break;
  }
  return {};
}

}  // namespace dlview::timeline
