// Lanes of random profiles, and windows into them, from fixed seeds.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "aggregate/iterations.h"
#include "support/random_profile.h"
#include "timeline/lanes.h"

namespace dlview::testing {

inline std::shared_ptr<const timeline::Lanes> lanes_of(
    std::shared_ptr<const profile::Profile> profile) {
  auto rules = std::make_shared<const aggregate::RuleIndex>(*profile);
  return timeline::build_lanes(std::move(profile), std::move(rules));
}

inline std::shared_ptr<const timeline::Lanes> random_lanes(const RandomProfileOptions& options) {
  return lanes_of(std::make_shared<const profile::Profile>(random_profile(options)));
}

// Of a random profile.
inline std::vector<aggregate::Iteration> iterations_of(const profile::Profile& profile) {
  return aggregate::cut_iterations(profile,
                                   {aggregate::CutKind::start, std::string(kRandomKeyOp), 0})
      .rows;
}

// From the whole run down to the deepest zoom, all widths equally likely on a logarithmic scale.
class RandomWindows {
 public:
  RandomWindows(timeline::TimeWindow whole, uint64_t seed) : whole_(whole), random_(seed) {}
  timeline::TimeWindow next() {
    const int64_t shortest = std::min(timeline::kShortestWindowNs, whole_.length_ns);
    std::uniform_real_distribution<double> share(0, 1);
    const double ratio = static_cast<double>(whole_.length_ns) / static_cast<double>(shortest);
    const auto length =
        static_cast<int64_t>(static_cast<double>(shortest) * std::pow(ratio, share(random_)));
    std::uniform_int_distribution<int64_t> start(whole_.start_ns - length / 2,
                                                 whole_.stop_ns() - length / 2);
    return {start(random_), length};
  }
  int32_t next_columns() { return std::uniform_int_distribution<int32_t>(1, 3000)(random_); }

 private:
  timeline::TimeWindow whole_;
  std::mt19937_64 random_;
};

}  // namespace dlview::testing
