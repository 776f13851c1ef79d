// CutIndex: data that depends on the split and the filters but not on the range. Prefix sums over
// iterations make the breakdown of any range two look-ups per device.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/engine/engine.h"
#include "aggregate/gpu_split.h"

namespace dlview::aggregate {

class CutIndex {
 public:
  // The engine must have the iterations. `known`: see cut_iterations().
  CutIndex(const profile::Profile& profile, const ProfileIndex& index, const Cut& cut,
           Engine& engine, std::optional<BoundaryKernels>& known);
  // The same iterations, with facts of the matching rows. Host times are those of the whole
  // (spec.md 25).
  CutIndex(const profile::Profile& profile, const CutIndex& whole,
           const std::vector<Filter>& filters, Engine& engine);

  const Cut& cut() const { return cut_; }
  const std::shared_ptr<const IterationTable>& table() const { return table_; }

  // One device's exclusive times over the iterations of the range.
  Breakdown device_breakdown(std::size_t device, const IterationRange& range) const;
  CommunicationTime device_communication(std::size_t device, const IterationRange& range) const;
  // Whether the filters keep it: only then it counts in sums and means over devices.
  bool counts_device(std::size_t device) const { return device_counts_[device]; }

 private:
  struct DeviceTimes {
    Breakdown breakdown;
    CommunicationTime communication;
  };
  void add_facts(const profile::Profile& profile, Part part, const CutIndex* whole, Engine& engine,
                 IterationTable& built);
  void add_device(const std::vector<Coverage>& covered_before, const std::vector<DeviceTimes>* host,
                  IterationTable& built);

  Cut cut_;
  std::vector<bool> device_counts_;
  std::shared_ptr<const IterationTable> table_;
  std::vector<std::vector<DeviceTimes>> device_prefix_;  // [device][iteration]: sum of all before
};

}  // namespace dlview::aggregate
