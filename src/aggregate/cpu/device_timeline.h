// DeviceTimeline: what ran on one device, and what the host did meanwhile, in order of time; how
// much of it lies before any point in time. It does not depend on the selection; filters ask it
// for some of its events.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "aggregate/cpu/kept.h"
#include "aggregate/engine/coverage.h"
#include "aggregate/engine/profile_index.h"
#include "base/intervals.h"
#include "profile/profile.h"

namespace dlview::aggregate::cpu {

class DeviceTimeline {
 public:
  // Both must outlive it. `host` is what counts on this device, empty where the host has no part
  // in it (decisions.md 7).
  struct Host {
    base::IntervalSet data_loader, any_op;
  };
  DeviceTimeline(const profile::Profile& profile, const ProfileIndex& index, profile::Row device,
                 std::shared_ptr<const Host> host);

  // The coverage up to each of these times, which ascend. Runs on all cores.
  std::vector<Coverage> covered_before(std::span<const int64_t> times_ns) const;
  // The same of the GPU events that are kept; nothing of the host.
  std::vector<Coverage> covered_before(std::span<const int64_t> times_ns, const Kept& kept) const;

  bool has_communication() const { return has_communication_; }

 private:
  // A number that stands for a kernel row, behind these for a memory operation, behind these for an
  // interval of the host.
  using Event = uint32_t;

  // In which levels the events of each cell and of the host count; 0 = they are left out.
  struct LevelTable {
    std::vector<Levels> kernels, memory_ops;
    Levels data_loader = 0, any_op = 0;
  };
  LevelTable level_table() const;
  LevelTable level_table(const Kept& kept) const;

  void sort_events(profile::Row device);
  void sweep_all();
  base::Interval time_of(Event event) const;
  Levels levels_of(Event event, const LevelTable& levels) const;

  const profile::Profile* profile_;
  const ProfileIndex* index_;
  std::shared_ptr<const Host> host_;
  bool has_communication_;
  LevelTable all_levels_;
  std::vector<Event> events_;       // in order of start
  std::vector<Sweep> checkpoints_;  // before event i * kStride
  std::vector<int64_t> check_ns_;   // its start
  std::vector<std::size_t> clean_;  // places in events_ where nothing before is still running
};

// One for each device row.
std::vector<DeviceTimeline> device_timelines(const profile::Profile& profile,
                                             const ProfileIndex& index);

}  // namespace dlview::aggregate::cpu
