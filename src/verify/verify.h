// Recomputes what a DLProf database says about itself: every stored aggregation from the raw rows
// and, when a folder with DLProf's CSV reports is given, every cell of those.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "aggregate/selection.h"
#include "base/progress.h"
#include "base/result.h"
#include "verify/compare.h"

namespace dlview::verify {

struct AggregationCheck {
  int64_t id = 0;                  // in the database
  aggregate::Selection selection;  // cut.kind is the rule that reproduced the iteration list
  int64_t iteration_count = 0;
  std::vector<Check> tables;
};

struct Verification {
  std::string path;
  std::vector<AggregationCheck> aggregations;
  // The reports belong to one aggregation: the one with which they differ least.
  std::vector<Check> reports;
  int64_t reports_aggregation_id = 0;
  std::string reports_folder;

  bool all_match() const;
};

// Fails for a file that cannot be opened, one without stored aggregations and a folder without any
// of DLProf's reports.
base::Result<Verification> verify_database(
    const std::filesystem::path& path, const std::optional<std::filesystem::path>& reports_folder,
    base::Progress& progress);

// Aligned tables of matched / rows, and the first differences below each.
void print(const Verification& verification, std::ostream& out);

}  // namespace dlview::verify
