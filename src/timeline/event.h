// What a box of the timeline stands for: a row of one of the profile's tables, a group of ops that
// ran one after the other, or a Python frame. Events tells when each was and what it is called.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aggregate/group_tree.h"
#include "base/intervals.h"
#include "profile/profile.h"
#include "timeline/frame_events.h"

namespace dlview::timeline {

enum class EventKind : uint8_t {
  kernel,       // Profile::kernels, on the GPU
  memory_op,    // Profile::memory_ops, on the GPU
  launch,       // the API call of that row of Profile::kernels
  memory_call,  // the API call of that row of Profile::memory_ops
  sync,         // Profile::syncs
  api_call,     // Profile::api_calls
  op,           // Profile::instances
  group,        // Events::groups()
  user_range,   // Profile::user_ranges
  nvtx,         // Trace::nvtx
  os_call,      // Trace::os_calls
  running,      // Events::running(): the thread had a CPU
  frame,        // Events::frames(), a row of PythonFrames
  gpu_sync,     // Trace::sync_events
  overhead,     // Trace::overheads
};
inline constexpr std::size_t kEventKindCount = static_cast<std::size_t>(EventKind::overhead) + 1;

// What kinds are told apart by.
enum class Category : uint8_t {
  tensor_core_kernel,
  other_kernel,
  unknown_kernel,  // whose use of Tensor Cores is unknown
  communication,   // a kernel of it
  memory,
  call,
  sync,
  op,
  backward_op,
  data_loader,  // an op of it
  group,
  range,
  os_call,
  running,
  frame,     // of Python
  overhead,  // of the profiler
};
inline constexpr std::size_t kCategoryCount = static_cast<std::size_t>(Category::overhead) + 1;

// What a thread did in the CUDA API.
constexpr bool is_call(EventKind kind) {
  return kind == EventKind::launch || kind == EventKind::memory_call || kind == EventKind::sync ||
         kind == EventKind::api_call;
}

// What a thread was in for a while: ops of one group, or what the program named.
constexpr bool is_range(EventKind kind) {
  return kind == EventKind::group || kind == EventKind::user_range || kind == EventKind::nvtx;
}

struct EventRef {
  EventKind kind = EventKind::kernel;
  profile::Row row = 0;
  bool operator==(const EventRef&) const = default;
};

// Neighbors on a thread whose ops lie in one group.
struct GroupSpan {
  int64_t start_ns = 0, stop_ns = 0;
  profile::Row group = 0;  // in GroupTree::groups
};

class Events {
 public:
  explicit Events(std::shared_ptr<const profile::Profile> profile);

  const profile::Profile& profile() const { return *profile_; }
  const aggregate::GroupTree& group_tree() const { return tree_; }
  const std::vector<GroupSpan>& groups() const { return groups_; }
  profile::Row add_group(const GroupSpan& span);
  const std::vector<base::Interval>& running() const { return running_; }
  profile::Row add_running(const base::Interval& time);
  // The op instance is an NVTX range of its thread: same start, same stop.
  void add_recorded_range(profile::InstanceIndex instance);
  // Whether the file has it as a range: NVTX ranges, and ops that are one.
  bool is_recorded_range(EventRef event) const;
  // Null as long as nobody has read them.
  const FrameEvents* frames() const { return frames_.get(); }
  void set_frames(std::shared_ptr<const FrameEvents> frames) { frames_ = std::move(frames); }
  // Of a group that later ops belong to.
  void extend_group(profile::Row row, int64_t stop_ns) { groups_[row].stop_ns = stop_ns; }

  // What ends before it begins covers no time (spec.md 21). A mark is without length, a range
  // that was never closed lasts as long as the run. A frame may end earlier than recorded_time().
  base::Interval time(EventRef event) const;
  int64_t start_ns(EventRef event) const { return time(event).start_ns; }
  base::Interval recorded_time(EventRef event) const {
    return event.kind == EventKind::frame ? frames_->recorded_time(event.row) : time(event);
  }

  // "ampere_sgemm_128x64", "memcpy HtoD", "conv2d", "forward".
  std::string name(EventRef event) const;
  // What name() is made of: the demangled name of a kernel or its launch, the text of a range; else
  // empty.
  std::string_view full_text(EventRef event) const;
  // Of a memory operation on the GPU: "H2D 3.2 MiB", "memset 512 B".
  std::string size_text(profile::MemoryOpIndex row) const;
  Category category(EventRef event) const;
  bool has_communication() const { return !communicates_.empty(); }
  // Equal for events of one kind and name, of kernels the full one, without making the name.
  uint64_t name_key(EventRef event) const;

 private:
  base::Interval time_of_nvtx(profile::Row row) const;

  std::shared_ptr<const profile::Profile> profile_;
  aggregate::GroupTree tree_;
  std::vector<GroupSpan> groups_;
  std::vector<base::Interval> running_;
  std::shared_ptr<const FrameEvents> frames_;
  std::vector<uint8_t> communicates_;  // by row of Profile::kernels; empty where none does
  std::vector<bool> unknown_use_;      // by row of Profile::kernels; empty where all is known
  std::vector<Category> of_op_;        // by row of Profile::ops
  std::vector<bool> recorded_ranges_;  // by row of Profile::instances; empty where none is
};

// The API call that caused the work, and the work that a call caused; the event itself for all
// others.
EventRef call_of(EventRef event);
EventRef work_of(EventRef event);
// The op instance that the event belongs to; kNoRow for ranges, groups, OS calls, thread states,
// Python frames, synchronization of streams and overhead.
profile::InstanceIndex instance_of(const profile::Profile& profile, EventRef event);

// "HtoD"; "" for kinds that are not known.
std::string_view copy_direction(profile::CopyKind copy_kind);
// "H2D", as people say it.
std::string_view short_direction(profile::CopyKind copy_kind);

// Asked millions of times in a row.
inline base::Interval Events::time(EventRef event) const {
  const profile::Profile& p = *profile_;
  const profile::Row row = event.row;
  const auto forward = [](int64_t start_ns, int64_t stop_ns) {
    return base::Interval{start_ns, std::max(start_ns, stop_ns)};
  };
  switch (event.kind) {
    case EventKind::kernel:
      return forward(p.kernels.gpu_start_ns[row], p.kernels.gpu_stop_ns[row]);
    case EventKind::memory_op:
      return forward(p.memory_ops.gpu_start_ns[row], p.memory_ops.gpu_stop_ns[row]);
    case EventKind::launch:
      return forward(p.kernels.api_start_ns[row], p.kernels.api_stop_ns[row]);
    case EventKind::memory_call:
      return forward(p.memory_ops.api_start_ns[row], p.memory_ops.api_stop_ns[row]);
    case EventKind::sync:
      return forward(p.syncs.api_start_ns[row], p.syncs.api_stop_ns[row]);
    case EventKind::api_call:
      return forward(p.api_calls.api_start_ns[row], p.api_calls.api_stop_ns[row]);
    case EventKind::op:
      return forward(p.instances.cpu_start_ns[row], p.instances.cpu_stop_ns[row]);
    case EventKind::group:
      return {groups_[row].start_ns, groups_[row].stop_ns};
    case EventKind::user_range:
      return forward(p.user_ranges.start_ns[row], p.user_ranges.stop_ns[row]);
    case EventKind::nvtx:
      return time_of_nvtx(row);
    case EventKind::os_call:
      return forward(p.trace->os_calls.start_ns[row], p.trace->os_calls.end_ns[row]);
    case EventKind::running:
      return running_[row];
    case EventKind::frame:
      return frames_->time(row);
    case EventKind::gpu_sync:
      return forward(p.trace->sync_events.start_ns[row], p.trace->sync_events.end_ns[row]);
    case EventKind::overhead:
      return forward(p.trace->overheads.start_ns[row], p.trace->overheads.end_ns[row]);
  }
  return {};
}

}  // namespace dlview::timeline
