// Aggregator: Profile + Selection -> Aggregation. Engines differ in speed only; integers are equal
// to the bit. One thread at a time may call an aggregator.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "aggregate/aggregation.h"
#include "profile/profile.h"

namespace dlview::aggregate {

class Aggregator {
 public:
  virtual ~Aggregator() = default;

  // Computes the aggregation of a selection. Clamps its range to the iterations and sorts its
  // filters; Aggregation::selection has the result. Includes DLProf's findings and, with filters,
  // the aggregation without them.
  Aggregation aggregate(const Selection& selection);

  // Returns all iterations of a split without aggregating any, for the iteration chart.
  virtual std::shared_ptr<const IterationTable> iteration_table(const Cut& cut) = 0;

  // Prepares, while idle, data that the first filters need, for a few milliseconds. Returns whether
  // more may be left. Filters work without it.
  virtual bool prepare_filters() { return false; }

  virtual std::string_view name() const = 0;  // "cpu", "cuda", "reference"
  // Returns why the requested engine does not answer; empty while it does.
  virtual std::string notice() const { return {}; }
  // Why it is this engine; empty where there was no choice.
  virtual std::string reason() const { return {}; }

 protected:
  explicit Aggregator(std::shared_ptr<const profile::Profile> profile);
  const profile::Profile& profile() const { return *profile_; }

 private:
  // Everything but the advice and `unfiltered`; the range is clamped, the filters are canonical.
  virtual Aggregation compute(const Selection& selection) = 0;
  Aggregation without_filters(const Selection& selection);

  std::shared_ptr<const profile::Profile> profile_;
  std::shared_ptr<const Aggregation> unfiltered_;  // the last one that filters needed
};

std::unique_ptr<Aggregator> make_cpu_aggregator(std::shared_ptr<const profile::Profile> profile);

}  // namespace dlview::aggregate
