// Idle gaps: stretches between two pieces of work of a GPU in which it does nothing for any
// process, and what the host did meanwhile that it did not launch the next piece (spec.md 64).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/gaps/gpu_work_times.h"
#include "aggregate/gaps/host_activity.h"
#include "aggregate/host/host_record.h"
#include "base/intervals.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// The host activity that takes most of a gap, in the thread that launches the GPU activity at its
// end. Of equal times the first one here.
enum class GapCause : uint8_t {
  queued,       // the work was launched before the gap began
  wait,         // in a call that waits for a GPU
  api_call,     // in another CUDA API call
  data_loader,  // in an op that loads data, or waiting while another thread loads data
  os_call,      // in an OS runtime call
  asleep,       // without a CPU, by the scheduler events
  op,           // in another op
  host_range,   // between ops, in an NVTX range or annotation
  nothing,      // between ops, or before anything that was recorded
  launch,       // from the call that launched the work to its start
};
inline constexpr std::size_t kGapCauseCount = 10;
std::string_view to_text(GapCause cause);  // "synchronization"

// Where the host spent a gap.
struct HostTime {
  GapCause cause = GapCause::nothing;
  int64_t cause_ns = 0;           // of the gap
  profile::ThreadIndex thread{};  // that launched the work
  // The op instance that ran most, if an op is the cause; for a launch its own.
  profile::InstanceIndex instance{};
  profile::StringId call = 0;  // that took most, if the cause is a call; 0 = none
  // The host range that took most of the cause's time, if no op is named.
  profile::StringId range = profile::kNoText;
  int64_t others_ns = 0;  // of cause_ns, in other ops, calls or ranges than the one that is named
  // Part of the gap, whatever the cause; 0 if thread states are not recorded.
  int64_t asleep_ns = 0, running_ns = 0;
  // The other thread of the process that was busy for most of the time before the launch, where the
  // cause is neither a CUDA call nor a launch and the thread that launched may have waited for it.
  std::optional<BusyThread> other = std::nullopt;
  // Returns whether the thread is idle and waits for data of another thread, instead of loading
  // data in an op.
  bool waits_for_data() const {
    return cause == GapCause::data_loader && instance == profile::kNoRow &&
           range == profile::kNoText;
  }
  bool operator==(const HostTime&) const = default;
};

struct IdleGap {
  profile::DeviceIndex device{0};
  int64_t start_ns = 0, stop_ns = 0;
  profile::InstanceIndex instance{0};  // whose work ends the gap
  profile::StringId next = 0;  // name of the kernel that ends it, or of the memory operation's call
  int64_t iteration = 0;       // in which it begins
  HostTime host = {};
  int64_t duration_ns() const { return stop_ns - start_ns; }
  bool operator==(const IdleGap&) const = default;
};

class IdleGaps {
 public:
  // When each GPU works, in order of device; both outlive it.
  IdleGaps(const profile::Profile& profile, const std::vector<GpuWorkTimes>& gpus);

  // The longest gaps that lie wholly in the selection's range and, where it filters by time, in its
  // windows, of GPUs that its filters keep: longest first, of equal ones in order of device and
  // time.
  std::vector<IdleGap> longest(const Aggregation& aggregation, std::size_t most) const;
  const HostRecord& record() const { return record_; }
  // Returns the host activity in a time in which a GPU is idle and which an activity of the
  // instance ends.
  HostTime host_time(profile::DeviceIndex device, int64_t start_ns, int64_t stop_ns,
                     profile::InstanceIndex instance) const;
  // Its cause alone, which costs less.
  GapCause cause(profile::DeviceIndex device, int64_t start_ns, int64_t stop_ns,
                 profile::InstanceIndex instance) const;

 private:
  struct Launch {
    int64_t api_start_ns = 0;
    profile::ThreadIndex thread{0};
    profile::StringId name = 0;
  };
  // Returns the launch of the instance's activity that starts on the device at that time.
  Launch launch_of(profile::DeviceIndex device, int64_t start_ns,
                   profile::InstanceIndex instance) const;
  HostTime host_time(const Launch& launch, int64_t start_ns, int64_t stop_ns,
                     profile::InstanceIndex instance, bool names_other = true) const;

  // Whether the thread waited for at least half of the gap, as far as is known.
  bool may_wait(const HostThread* thread, const base::Interval& before, int64_t gap_ns) const;
  // Whether ops of the process load data for most of the time: then that is the cause.
  bool waits_for_loader(int64_t process_id, const base::Interval& before, HostTime& host) const;
  // `names_other`: also where that doesn't change the cause.
  void look_at_others(const base::Interval& before, bool names_other, HostTime& host) const;

  const profile::Profile& profile_;
  const std::vector<GpuWorkTimes>& gpus_;
  HostActivity host_;
  HostRecord record_;
  // When ops load data, by process. Of DLProf databases: in exports and traces, record_ has their
  // ranges.
  std::map<int64_t, base::IntervalSet> loading_;
};

}  // namespace dlview::aggregate
