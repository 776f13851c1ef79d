// dlview compare BEFORE AFTER: in what the mean iterations of two files differ.
#pragma once

#include <string>
#include <vector>

#include "aggregate/compare_runs.h"
#include "aggregate/recorded.h"
#include "app/commands/common.h"
#include "app/commands/compared_facts.h"

namespace dlview::app {

class TwoRuns {
 public:
  TwoRuns(const OpenedProfile& before, const OpenedProfile& after);
  TwoRuns(const TwoRuns&) = delete;
  TwoRuns& operator=(const TwoRuns&) = delete;

  FactSection facts() const;
  std::vector<ComparedFact> metrics() const;
  std::vector<report::Table> tables() const;  // refer to this object
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
  void add_medians(std::vector<ComparedFact>& metrics) const;
  report::Table category_table() const;
  report::Table op_table() const;
  report::Table kernel_table() const;

  Side before_, after_;
  aggregate::RunComparison comparison_;
};

}  // namespace dlview::app
