// Which ops can cut the run into iterations, what a change of the cut does to the range, and why a
// run is not cut. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/key_ops.h"
#include "profile/profile.h"

namespace dlview::ui {

struct KeyOpRow {
  std::string name;
  std::string label;  // as it is shown: "kernel gemm"
  // What to cut at: the name, or the id where several ops have that name; empty = not at all.
  std::string key;
  std::size_t rank = 0;  // 0 = the best
  aggregate::KeyOpCandidate candidate;
};
// In the order of the candidates, best first, and then one for the run in one piece; none without
// candidates.
std::vector<KeyOpRow> prepare_key_ops(const profile::Profile& profile,
                                      const std::vector<aggregate::KeyOpCandidate>& candidates);

enum class KeyOpColumn { name, score, instances, period, regularity, coverage };
inline constexpr std::size_t kKeyOpColumnCount = 6;

struct KeyOpOrder {
  KeyOpColumn column = KeyOpColumn::score;
  bool descending = true;
};

// Rows whose name, label or id contains `search`, whatever the case; the current key op first if it
// is among them, then in order. Equal ones keep their rank.
std::vector<const KeyOpRow*> list_key_ops(const std::vector<KeyOpRow>& rows,
                                          std::string_view search, KeyOpOrder order,
                                          std::string_view current_key_op);
bool is_key_op(const KeyOpRow& row, std::string_view key_op);

// A thread that can cut the run.
struct ClockChoice {
  aggregate::Clock clock;
  std::string id;     // "144:150"
  std::string label;  // "144", or with several threads of a process "144:150"
  bool is_current = false;
};
inline constexpr std::size_t kMostClocks = 8;
// The threads on which the key runs three times or more, kMostClocks of those on which it runs
// most, in order of process and thread. None where all of them cut together: where the key op is no
// range and runs in one process; and none for a stored cut.
std::vector<ClockChoice> prepare_clocks(const profile::Profile& profile,
                                        const aggregate::Aggregation& aggregation);

// The selection under another cut: the range stays (the engine clamps it) as long as the key op
// and its clock do; others show all their iterations, or those that a stored aggregation covers.
aggregate::Selection selection_of(const profile::Profile& profile, const aggregate::Cut& cut,
                                  const aggregate::Selection& current);

// Why there is a single iteration and what to do about it; empty when there are several.
struct SingleIterationNote {
  std::string reason, advice;
};
SingleIterationNote prepare_single_iteration(const profile::Profile& profile,
                                             const aggregate::Aggregation& aggregation);

}  // namespace dlview::ui
