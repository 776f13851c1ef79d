// CutIndex: what depends on the cut but not on the range. Prefix sums over iterations make the
// breakdown of any range two look-ups per device.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/cpu/device_timeline.h"
#include "aggregate/cpu/kept.h"

namespace dlview::aggregate::cpu {

struct CutIndex {
  CutIndex(const profile::Profile& profile, const ProfileIndex& index,
           const std::vector<DeviceTimeline>& timelines, const Cut& cut);
  // The same iterations, with the facts of what filters keep.
  CutIndex(const std::vector<DeviceTimeline>& timelines, const Kept& kept, const CutIndex& whole);

  // One device's exclusive times over the iterations of the range.
  Breakdown device_breakdown(std::size_t device, const IterationRange& range) const;
  CommunicationTime device_communication(std::size_t device, const IterationRange& range) const;

  Cut cut;
  std::shared_ptr<const IterationTable> table;

 private:
  struct DeviceTimes {
    Breakdown breakdown;
    CommunicationTime communication;
  };
  void add_device(const std::vector<Coverage>& covered_before, const std::vector<DeviceTimes>* host,
                  IterationTable& built);

  // [device][iteration]: sum of all before.
  std::vector<std::vector<DeviceTimes>> device_prefix_;
};

}  // namespace dlview::aggregate::cpu
