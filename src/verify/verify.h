// Recomputes what a DLProf database says about itself: every stored aggregation from the raw rows
// and, when a folder with DLProf's CSV reports is given, every cell of those. What could not be
// compared is named and never passes for equal.
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
  aggregate::Selection selection;  // cut.kind reproduces the stored iteration list
  int64_t iteration_count = 0;
  std::vector<Check> tables;
  std::vector<Check> reports = {};  // of verify_against()
};

// An aggregation of the file whose range is unknown.
struct UnusableAggregation {
  int64_t id = 0;
  std::string reason;
};

struct Verification {
  std::string path;
  std::string against;      // the export that the database was compared with; "" = with itself
  std::vector<Check> rows;  // raw rows of database and export
  std::vector<AggregationCheck> aggregations;
  std::vector<UnusableAggregation> unusable;
  // The reports belong to one aggregation: the one with which they differ least.
  std::vector<Check> reports;
  int64_t reports_aggregation_id = 0;
  std::string reports_folder;

  int64_t difference_count() const;
  // No difference, and no aggregation of the file that could not be used.
  bool all_match() const;
  // The tables, reports and aggregations that were left out, by name.
  std::vector<std::string> not_compared() const;
};

// Fails for a file that cannot be opened or changes while it is read, one without stored
// aggregations and a folder without any of DLProf's reports. A canceled job returns an Error
// titled "Canceled".
base::Result<Verification> verify_database(
    const std::filesystem::path& path, const std::optional<std::filesystem::path>& reports_folder,
    base::Progress& progress);

// Aligned tables of matched / rows, the first differences below each, and a last line that says
// how it went.
void print(const Verification& verification, std::ostream& out);

}  // namespace dlview::verify
