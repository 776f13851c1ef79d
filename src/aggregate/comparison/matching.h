// OpMatching: which op of one run is which op of another, and which kernels of a matched pair are
// the same function (spec.md, compare.matching).
//
// Each op of the run before matches at most one op after. Steps follow one another; a step only
// sees what the steps before it left:
//
//   hand   pairs that the user made
//   id     equal id, path, type and direction, if all ops of that path have equal ids; only if both
//          profiles have DLProf's own ids
//   path   equal path with name, type and direction
//   layer  the same without running numbers: "blocks.22." with "blocks.3."
//   shape  equal type, direction, input shapes and data type
//   place  equal type and direction, between two matched neighbors of the typical iterations
//   name   equal type; names share 70% of their words, and time or calls lie within a factor of 2
//
// Steps path to shape pair groups of equal ops in their order within the typical iteration. Groups
// of different sizes: path and shape leave them; layer pairs as many as there are on both sides, if
// names without the place of the number ("layer", "layer_1") make no groups of one size either.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "aggregate/comparison/match_options.h"
#include "aggregate/exclusive/parts.h"
#include "aggregate/iterations.h"
#include "profile/profile.h"

namespace dlview::aggregate {

struct OpMatch {
  profile::OpIndex before{}, after{};
  MatchedBy by = MatchedBy::path;
  bool operator==(const OpMatch&) const = default;
};

// A run and its typical iteration, whose order gives ops their place.
struct MatchSide {
  const profile::Profile& profile;
  Iteration typical;
};

// Time of matched ops, and of all ops, in a range: exclusive ns of a side.
struct MatchShare {
  int64_t matched_ns = 0, all_ns = 0;
  std::array<int64_t, kMatchStepCount> by_step_ns{};
  // Of all_ns, 0..1; 1 if there is no time.
  double rate() const;
  bool operator==(const MatchShare&) const = default;
};

class OpMatching {
 public:
  // Costs the ops and the instances of the typical iterations. Pairs that name unknown ops are
  // skipped.
  OpMatching(const MatchSide& before, const MatchSide& after, const MatchOptions& options = {});

  // In order of the op before.
  std::span<const OpMatch> matches() const { return matches_; }
  // nullptr = no partner.
  const OpMatch* of_before(profile::OpIndex op) const { return find(by_before_, op); }
  const OpMatch* of_after(profile::OpIndex op) const { return find(by_after_, op); }
  // Ops of both runs whose names were not compared: there are too many of their type.
  int64_t skipped() const { return skipped_; }

 private:
  const OpMatch* find(const std::vector<uint32_t>& rows, profile::OpIndex op) const {
    return op == profile::kNoRow || rows[op] == UINT32_MAX ? nullptr : &matches_[rows[op]];
  }

  int64_t skipped_ = 0;
  std::vector<OpMatch> matches_;
  std::vector<uint32_t> by_before_, by_after_;  // by op; UINT32_MAX = none
};

// What the matching covers of a side: its GPU parts, and its CPU and data loader time.
struct MatchRate {
  MatchShare gpu, cpu;
  bool operator==(const MatchRate&) const = default;
};
MatchRate match_rate(const OpMatching& matching, const PartSums& sums, bool is_before);

}  // namespace dlview::aggregate
