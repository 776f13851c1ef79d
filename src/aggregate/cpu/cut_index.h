// CutIndex: what depends on the cut but not on the range. Prefix sums over iterations make the
// breakdown of any range two look-ups per device.
#pragma once

#include <memory>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/cpu/device_timeline.h"
#include "aggregate/cpu/kept_rows.h"

namespace dlview::aggregate::cpu {

struct CutIndex {
  CutIndex(const profile::Profile& profile, const std::vector<DeviceTimeline>& timelines,
           const Cut& cut);
  // The same iterations, with the facts of what filters keep: `timelines` are those of `kept`.
  CutIndex(const profile::Profile& profile, const std::vector<DeviceTimeline>& timelines,
           const KeptRows& kept, const CutIndex& whole);

  // One device's exclusive times over the iterations of the range.
  Breakdown device_breakdown(std::size_t device, const IterationRange& range) const;
  CommunicationTime device_communication(std::size_t device, const IterationRange& range) const;

  Cut cut;
  std::shared_ptr<const IterationTable> table;

 private:
  void add_facts(const profile::Profile& profile, const std::vector<DeviceTimeline>& timelines,
                 const KeptRows* kept, IterationTable& built);

  // [device][iteration]: sum of all before. That of communication is empty where none ran.
  std::vector<std::vector<Breakdown>> device_prefix_;
  std::vector<std::vector<CommunicationTime>> communication_prefix_;
};

}  // namespace dlview::aggregate::cpu
