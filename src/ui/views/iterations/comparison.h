// One iteration against the typical one: its categories and the ops that made the difference.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "aggregate/compare.h"
#include "aggregate/outliers.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

struct ComparisonRow {
  std::string name;
  std::string detail;                       // an op's type; empty for a category
  std::string value, baseline, difference;  // "not recorded" and empty ones where it is not
  std::string title;                        // on hover; may be empty
  aggregate::Category category{};           // its colour, for a category
  double share = 0;                         // of the largest difference of its table, signed
};

struct ComparisonTexts {
  std::string heading;                  // "Iteration 47 against the typical 112"
  std::string detail;                   // "+142 ms · outlier: data loader"
  std::string column, baseline_column;  // "Iteration 47", "Typical 112"
  std::vector<ComparisonRow> categories, ops;
};

inline constexpr std::size_t kMostComparedOps = 7;

// `why` stands before the heading's number: "Slowest of the range: iteration"; `outlier` may be
// null.
ComparisonTexts prepare_comparison(const profile::Profile& profile,
                                   const aggregate::IterationComparison& comparison,
                                   std::string_view why, const aggregate::Outlier* outlier,
                                   bool io_recorded);

// Two panels side by side, one above the other where that is too narrow. Returns the bottom.
float draw_comparison(Frame& frame, const Area& area, const ComparisonTexts& texts);

// The longest iteration of a range; ties: the first.
int64_t slowest_iteration(const aggregate::IterationTable& table,
                          const aggregate::IterationRange& range);

}  // namespace dlview::ui
