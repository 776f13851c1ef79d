// How ops and markers are called, and which op a name means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/key_ops.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// The op with this id, or else the first with this name; kNoRow when there is none.
profile::OpIndex op_named(const profile::Profile& profile, std::string_view id_or_name);

// Whether an op has this id or name, or a user range this name or path.
bool is_key(const profile::Profile& profile, std::string_view text);

// An op's name as it is shown: work outside every range is called by its kernel or call, "kernel
// gemm", "calls of cudaMemcpy".
std::string readable_key(std::string_view op_name);

// The readable name of the op with this id; of anything else the text itself.
std::string key_op_label(const profile::Profile& profile, std::string_view key_op);

// The names of a profile's ops as they tell ops apart: of ops with one name, those with a direction
// have it, and ops that are still alike have their ids. The profile outlives it.
class OpLabels {
 public:
  explicit OpLabels(const profile::Profile& profile);  // O(ops)
  // "/net/conv1/conv2d (backward)"; empty for kNoRow.
  std::string text(profile::OpIndex op) const;

 private:
  enum class Detail : uint8_t { none, direction, id };
  const profile::Profile& profile_;
  std::vector<Detail> details_;  // by op
};

// Returns an argument against a candidate: "looks like layers", "4 per step"; empty if there is
// none.
std::string marker_warning(const KeyOpCandidate& candidate);

// Returns why the marker may split a run into parts of steps, or what else is wrong with it: "/relu
// (every 0.3 ms) looks like layers", "12 of it in each step". Empty if nothing is, or it ranks
// nowhere. `ranked`: candidates of the run, best first.
std::string marker_caution(const std::vector<KeyOpCandidate>& ranked, std::string_view key);
// The best candidates with their scores and what speaks against them: "step (93%), relu (11.9%,
// looks like layers)"; empty if there are none.
std::string best_markers_text(const std::vector<KeyOpCandidate>& ranked, std::size_t most = 3);

}  // namespace dlview::aggregate
