// What splits the run into iterations: how it is called, why it does, and the best alternative.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/key_ops.h"
#include "profile/profile.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

// What splits the run into iterations, why, and the best alternative, one click away.
struct MarkerChoice {
  std::string split;        // "Split at /train/step by GPU", "Not split: no likely marker"
  std::string short_split;  // "Split at train/step by GPU", or without "by host"
  // The marker in both, in the font of code; empty without one.
  std::string marker, short_marker;
  std::string iterations;  // "59 iterations"
  std::string reason;      // of the split, some lines
  // The best other candidate, with its warning: "alternative: net/conv1 12%, looks like layers".
  // Empty without one, or as long as candidates are not known.
  std::string next;
  std::string short_next;    // "alternative: conv1"
  std::string next_key;      // what to split at instead
  std::string next_name;     // "conv1"
  std::string next_score;    // "12%"
  std::string next_warning;  // "looks like layers"; may be empty
  std::string next_reason;   // some lines
};
MarkerChoice prepare_marker_choice(const profile::Profile& profile,
                                   const aggregate::Aggregation& aggregation,
                                   const std::vector<aggregate::KeyOpCandidate>* candidates);

// Where an iteration ends on the host: "the next marker begins". A stored list follows markers,
// too.
std::string_view iteration_end(aggregate::CutKind kind);
inline constexpr std::string_view kCountingRule =
    "Launches and kernel sums count in the iteration that launched the kernel; GPU busy time "
    "counts "
    "when it occurs.";

// The same selection, split at another key; all its iterations.
aggregate::Selection split_at(const std::string& key, const aggregate::Selection& current);

// Prepared when something changed.
class MarkerLine {
 public:
  const MarkerChoice& choice(const Model& model);
  // "Split at /train/step by GPU · 59 iterations · alternative: forward 72% ›" in one line; where
  // `is_short` "Split at train/step by GPU · alternative: forward ›". Selects the best alternative
  // on a click. `name`: of the inspector's.
  void draw(Frame& frame, std::string_view name, const Box& box, bool is_short);

 private:
  MarkerChoice choice_;
  aggregate::Cut cut_;  // prepared for these three
  std::shared_ptr<const aggregate::IterationTable> table_;
  std::shared_ptr<const std::vector<aggregate::KeyOpCandidate>> candidates_;
};

}  // namespace dlview::ui
