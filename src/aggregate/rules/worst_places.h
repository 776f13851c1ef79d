// WorstPlaces: the worst places of many, and which op and thread have most of all.
#pragma once

#include <algorithm>
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
  // kNoRow if most places have none. Of equal ones the lowest row.
  profile::OpIndex op() const { return most_of(of_op_); }
  double op_percent() const;  // what op() has of all stakes
  // kNoRow if no place has one. Of equal ones the lowest row.
  profile::ThreadIndex thread() const { return most_of(of_thread_); }
  // Sets op, op_percent and thread of the finding.
  void tell_most(Finding& finding) const;

 private:
  template <typename Index>
  static Index most_of(const std::map<Index, int64_t>& sums) {
    if (sums.empty()) return {};
    const auto most = [](const auto& entry) { return entry.second; };
    return std::ranges::max_element(sums, {}, most)->first;
  }
  void cut();

  std::size_t most_;
  std::vector<FindingPlace> places_;
  std::optional<FindingPlace> limit_;  // the best of the stored ones, once there are enough
  std::map<profile::OpIndex, int64_t> of_op_;
  std::map<profile::ThreadIndex, int64_t> of_thread_;
};

}  // namespace dlview::aggregate
