// Which ops can split the run into iterations, how the range changes with the split, and why a run
// is not split. Pure.
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
  std::string label;  // on screen: "kernel gemm"
  // The iteration marker: a name, or an id if several ops have that name; empty = do not split.
  std::string key;
  std::size_t rank = 0;  // 0 = the best
  aggregate::KeyOpCandidate candidate;
};
// The candidates, best first, then a row for the whole run; empty without candidates.
std::vector<KeyOpRow> prepare_key_ops(const profile::Profile& profile,
                                      const std::vector<aggregate::KeyOpCandidate>& candidates);

enum class KeyOpColumn { name, score, instances, period, regularity, coverage };
inline constexpr std::size_t kKeyOpColumnCount = 6;

struct KeyOpOrder {
  KeyOpColumn column = KeyOpColumn::score;
  bool descending = true;
};

// Rows whose name, label or id contains `search`, ignoring case. The current marker comes first,
// then the others in order. Equal rows keep their rank.
std::vector<const KeyOpRow*> list_key_ops(const std::vector<KeyOpRow>& rows,
                                          std::string_view search, KeyOpOrder order,
                                          std::string_view current_key_op);
bool is_key_op(const KeyOpRow& row, std::string_view key_op);

// A thread whose markers can split the run.
struct ClockChoice {
  aggregate::Clock clock;
  std::string id;     // "144:150"
  std::string label;  // "144", or "144:150" if its process has several
  bool is_current = false;
};
inline constexpr std::size_t kMostClocks = 8;
// The threads on which the marker runs three times or more, at most the kMostClocks with most runs,
// in order of process and thread. Empty for a stored split, and if all threads split together: the
// marker is an op of one process.
std::vector<ClockChoice> prepare_clocks(const profile::Profile& profile,
                                        const aggregate::Aggregation& aggregation);

// The selection with another split. With the same marker and clock the range stays (the engine
// clamps it). Otherwise it has all iterations, or those of a stored aggregation.
aggregate::Selection selection_of(const profile::Profile& profile, const aggregate::Cut& cut,
                                  const aggregate::Selection& current);

// Why the run has a single iteration, and what to do; empty if it has several.
struct SingleIterationNote {
  std::string reason, advice;
};
SingleIterationNote prepare_single_iteration(const profile::Profile& profile,
                                             const aggregate::Aggregation& aggregation);

}  // namespace dlview::ui
