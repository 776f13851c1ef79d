// RunPair: two runs whose ops are matched. A waterfall of any two ranges is made in the frame of a
// drag.
//
//   ComparedRun   once for a profile and a split
//   RunPair       once for two of them
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "aggregate/aggregation.h"
#include "aggregate/comparison/call_index.h"
#include "aggregate/comparison/kernel_keys.h"
#include "aggregate/comparison/matching.h"
#include "aggregate/comparison/waterfall.h"
#include "aggregate/exclusive/exclusive_index.h"
#include "aggregate/iterations.h"
#include "aggregate/key_names.h"
#include "aggregate/rules/rule_index.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// The range with which a comparison begins: the steady state, else all but outliers at the ends.
// Needs at least one iteration.
IterationRange usual_range(const Iterations& iterations);

// A profile under one split, whatever the filters.
struct ComparedRun {
  // `rules`: of the profile. Costs passes over all events.
  ComparedRun(std::shared_ptr<const profile::Profile> profile,
              std::shared_ptr<const IterationTable> table, const Cut& cut, const RuleIndex& rules);

  bool is_split() const { return table->iterations.rows.size() > 1; }
  IterationRange usual_range() const { return aggregate::usual_range(table->iterations); }
  // The nearest range that the run has.
  IterationRange within(const IterationRange& range) const {
    return clamp_range(range, static_cast<int64_t>(table->iterations.rows.size()));
  }
  // What a waterfall needs of a range, or of the nearest one. Costs as ExclusiveIndex::sums(). The
  // run outlives it.
  WaterfallSide side(const IterationRange& range) const;

  std::shared_ptr<const profile::Profile> profile;
  std::shared_ptr<const IterationTable> table;
  Cut cut;
  ExclusiveIndex exclusive;
  CallIndex calls;
  OpLabels labels;
  Iteration typical;  // of the usual range
};

struct RangePair {
  IterationRange before, after;
  bool operator==(const RangePair&) const = default;
};

class RunPair {
 public:
  RunPair(std::shared_ptr<const ComparedRun> before, std::shared_ptr<const ComparedRun> after,
          const MatchOptions& options = {});

  const ComparedRun& before() const { return *before_; }
  const ComparedRun& after() const { return *after_; }
  const OpMatching& matching() const { return matching_; }
  const KernelKeys& keys() const { return keys_; }

  Waterfall waterfall(const RangePair& ranges) const;
  // The same of sides at hand: of a bound that is dragged, one of them is another one.
  Waterfall waterfall(const WaterfallSide& before, const WaterfallSide& after,
                      const WaterfallScope& scope = {}) const;
  MatchRate rate_before(const IterationRange& range) const;
  MatchRate rate_after(const IterationRange& range) const;
  // The op of a bar as it is shown, that after, or that before if it is gone; "idle:
  // synchronization" of a cause.
  std::string name_of(const OpBar& op) const;
  RangePair usual_ranges() const { return {before_->usual_range(), after_->usual_range()}; }

 private:
  std::shared_ptr<const ComparedRun> before_, after_;
  OpMatching matching_;
  KernelKeys keys_;
};

}  // namespace dlview::aggregate
