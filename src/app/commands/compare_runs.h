// dlview compare BEFORE AFTER: in what the mean iterations of two files differ.
#pragma once

#include "aggregate/compare_runs.h"
#include "aggregate/recorded.h"
#include "app/commands/common.h"
#include "app/commands/facts.h"

namespace dlview::app {

class TwoRuns {
 public:
  TwoRuns(const OpenedProfile& before, const OpenedProfile& after);
  TwoRuns(const TwoRuns&) = delete;
  TwoRuns& operator=(const TwoRuns&) = delete;

  // Refers to this object.
  Info info() const;

 private:
  struct Side {
    explicit Side(const OpenedProfile& opened);
    aggregate::ComparedRun run() const { return {*profile, aggregation}; }

    std::shared_ptr<const profile::Profile> profile;
    aggregate::Aggregation aggregation;
    aggregate::RecordedCategories recorded;
  };

  FactSection facts() const;
  report::Table category_table() const;
  report::Table op_table() const;
  report::Table kernel_table() const;

  Side before_, after_;
  aggregate::RunComparison comparison_;
};

}  // namespace dlview::app
