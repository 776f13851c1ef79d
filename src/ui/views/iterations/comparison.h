// Compares two iterations: their categories, and the ops or kernels that differ most.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aggregate/compare.h"
#include "aggregate/outliers.h"
#include "aggregate/recorded.h"
#include "report/differences.h"
#include "ui/chart/iteration_name.h"
#include "ui/table/row_order.h"
#include "ui/table/table_data.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

// The differences of two iterations as tables whose columns have the numbers of the iterations. The
// Timeline side by side shows them, and the Iterations view copies and saves them.

TableData op_differences(const std::shared_ptr<const profile::Profile>& profile,
                         const std::shared_ptr<const aggregate::Aggregation>& aggregation,
                         const report::SharedComparison& comparison);
TableData kernel_differences(const std::shared_ptr<const profile::Profile>& profile,
                             const std::shared_ptr<const aggregate::Aggregation>& aggregation,
                             const report::SharedComparison& comparison);

struct ComparisonRow {
  std::string name;
  std::string detail;                       // an op's type, a kernel's launches
  std::string value, baseline, difference;  // or "not recorded" and two empty texts
  std::string title;                        // on hover; may be empty
  std::string op_id;                        // what a click opens; empty = nothing
  Tone tone = Tone::other;                  // of a category
  double share = 0;                         // of the largest difference of its table, signed
};

// What the second panel lists, and its first row.
struct ComparisonList {
  bool kernels = false;
  std::size_t first = 0;
  bool operator==(const ComparisonList&) const = default;
};
inline constexpr std::size_t kComparedRows = 7;  // visible at once

struct ComparisonTexts {
  std::string detail;                     // "+142 ms · data loader · Step 470 vs. 1120"
  std::string column, baseline_column;    // "Iteration 47", "Typical 112"
  std::vector<ComparisonRow> categories;  // exposed communication after other kernels, if any
  std::vector<ComparisonRow> rows;        // the visible rows of the list
  std::size_t row_count = 0;              // of the whole list
  // The list as a table, to copy and save. The caller that draws sets it.
  std::shared_ptr<const ShownRows> whole;
};

// `iterations` are those that are compared; `outlier` may be null.
ComparisonTexts prepare_comparison(const profile::Profile& profile,
                                   const aggregate::Iterations& iterations,
                                   const aggregate::IterationComparison& comparison,
                                   const ComparedIterations& compared,
                                   const aggregate::Outlier* outlier,
                                   const aggregate::RecordedCategories& recorded,
                                   const ComparisonList& list);

// Two panels side by side, or one above the other in a narrow window. Returns the bottom.
// `count` iterations can be chosen from.
float draw_comparison(Frame& frame, const Area& area, const ComparedIterations& compared,
                      int64_t count, const ComparisonTexts& texts, ComparisonList& list);

}  // namespace dlview::ui
