// dlview compare BEFORE AFTER: in what the mean iterations of two files differ.
#pragma once

#include <cstdint>
#include <string>

#include "aggregate/compare_runs.h"
#include "aggregate/recorded.h"
#include "app/commands/common.h"
#include "app/commands/facts.h"

namespace dlview::app {

// Differences are those of the numbers in full, or of what text shows of them.
enum class Differences : uint8_t { in_full, as_shown };

class TwoRuns {
 public:
  TwoRuns(const OpenedProfile& before, const OpenedProfile& after);
  TwoRuns(const TwoRuns&) = delete;
  TwoRuns& operator=(const TwoRuns&) = delete;

  // Refers to this object.
  Info info(Differences differences) const;
  // What speaks against reading the differences as those of steps; empty = nothing.
  std::string caution() const;

 private:
  struct Side {
    explicit Side(const OpenedProfile& opened);
    aggregate::ComparedRun run() const { return {*profile, aggregation}; }

    std::shared_ptr<const profile::Profile> profile;
    aggregate::Aggregation aggregation;
    aggregate::RecordedCategories recorded;
  };

  std::string unsteady_caution() const;
  static report::Cell key_of(const Side& side);
  FactSection facts(Differences differences) const;
  void add_medians(FactSection& section, Differences differences) const;
  report::Table category_table(Differences differences) const;
  report::Table op_table(Differences differences) const;
  report::Table kernel_table(Differences differences) const;

  Side before_, after_;
  aggregate::RunComparison comparison_;
};

}  // namespace dlview::app
