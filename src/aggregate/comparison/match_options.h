// How ops of two runs are matched: which steps are used, and pairs that the user made.
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

#include "base/result.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// The steps of OpMatching (matching.h), in their order.
enum class MatchedBy : uint8_t { hand, id, path, layer, shape, place, name };
inline constexpr std::size_t kMatchStepCount = 7;
std::string_view to_text(MatchedBy step);  // "layer"
std::optional<MatchedBy> match_step_named(std::string_view id);

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

}  // namespace dlview::aggregate
