// WorstPlaces: the worst places of many, and which op and thread have most of all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "aggregate/finding.h"
#include "profile/profile.h"

namespace dlview::aggregate {

class WorstPlaces {
 public:
  explicit WorstPlaces(std::size_t most) : most_(most) {}
  // `thread`: of the call, or that launched; kNoRow = unknown.
  void add(const profile::Profile& profile, const FindingPlace& place, profile::ThreadIndex thread);
  void add(const FindingPlace& place);
  // The worst first, of equal ones the first that was added.
  std::vector<FindingPlace> take();
  // kNoRow where places without one have most. Of equal ones the lowest row.
  profile::OpIndex op() const { return profile::OpIndex(most_of(of_op_)); }
  // kNoRow where no place has any. Of equal ones the lowest row.
  profile::ThreadIndex thread() const { return profile::ThreadIndex(most_of(of_thread_)); }

 private:
  using Sums = std::map<profile::Row, int64_t>;
  static profile::Row most_of(const Sums& sums);
  void cut();

  std::size_t most_;
  std::vector<FindingPlace> places_;
  std::optional<FindingPlace> limit_;  // the best of those that are kept, once there are enough
  Sums of_op_, of_thread_;
};

}  // namespace dlview::aggregate
