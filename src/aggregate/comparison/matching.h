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
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aggregate/exclusive/parts.h"
#include "aggregate/iterations.h"
#include "base/result.h"
#include "profile/profile.h"

namespace dlview::aggregate {

enum class MatchedBy : uint8_t { hand, id, path, layer, shape, place, name };
inline constexpr std::size_t kMatchStepCount = 7;
std::string_view to_text(MatchedBy step);  // "layer"
std::optional<MatchedBy> match_step_named(std::string_view id);

struct OpMatch {
  profile::OpIndex before{}, after{};
  MatchedBy by = MatchedBy::path;
  bool operator==(const OpMatch&) const = default;
};

struct MatchOptions {
  std::array<bool, kMatchStepCount> uses{true, true, true, true, true, true, true};
  // Ids or names of an op before and an op after.
  std::vector<std::pair<std::string, std::string>> pairs = {};
  bool operator==(const MatchOptions&) const = default;
};
// "id,path,layer": the steps to use; pairs by hand always count.
base::Result<MatchOptions> parse_match_steps(std::string_view text);
// Each "OLD=NEW", ids or names. Refuses what is not in the profiles, names of several ops, and an
// op in two pairs.
base::Result<std::vector<std::pair<std::string, std::string>>> parse_pairs(
    const profile::Profile& before, const profile::Profile& after,
    std::span<const std::string> texts);

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

// "/blocks.22.attn/linear" -> "/blocks.#.attn/linear": numbers between separators.
std::string without_running_numbers(std::string_view path);

// What tuned variants of a kernel share: "ampere_sgemm_128x64_tn" and "sm80_xmma_gemm_f32_..." lose
// architecture, tile sizes, types and template arguments.
std::string kernel_family(std::string_view name);

}  // namespace dlview::aggregate
