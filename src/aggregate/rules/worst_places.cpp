#include "aggregate/rules/worst_places.h"

#include <algorithm>
#include <utility>

namespace dlview::aggregate {
namespace {

bool is_worse(const FindingPlace& a, const FindingPlace& b) {
  return a.stake_ns != b.stake_ns ? a.stake_ns > b.stake_ns : a.duration_ns > b.duration_ns;
}

}  // namespace

void WorstPlaces::add(const profile::Profile& profile, const FindingPlace& place,
                      profile::ThreadIndex thread) {
  const bool has_op = place.instance != profile::kNoRow;
  of_op_[has_op ? profile.instances.op[place.instance] : profile::OpIndex()] += place.stake_ns;
  if (thread != profile::kNoRow) of_thread_[thread] += place.stake_ns;
  add(place);
}

void WorstPlaces::add(const FindingPlace& place) {
  if (limit_ && !is_worse(place, *limit_)) return;
  places_.push_back(place);
  if (places_.size() / 2 > most_) cut();
}

double WorstPlaces::op_percent() const {
  int64_t all_ns = 0;
  for (const auto& [op, ns] : of_op_) all_ns += ns;
  const auto found = of_op_.find(op());
  if (all_ns == 0 || found == of_op_.end()) return 0;
  return 100 * static_cast<double>(found->second) / static_cast<double>(all_ns);
}

std::vector<FindingPlace> WorstPlaces::take() {
  cut();
  return std::move(places_);
}

void WorstPlaces::cut() {
  std::ranges::stable_sort(places_, is_worse);
  if (places_.size() > most_) places_.resize(most_);
  if (places_.size() == most_ && most_ > 0) limit_ = places_.back();
}

void WorstPlaces::tell_most(Finding& finding) const {
  finding.op = op();
  finding.op_percent = op_percent();
  finding.thread = thread();
}

}  // namespace dlview::aggregate
