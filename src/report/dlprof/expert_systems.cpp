#include "report/dlprof/reports.h"

namespace dlview::report::dlprof {

Table expert_systems_report(const profile::Profile&, const aggregate::Aggregation& aggregation) {
  const auto& advice = aggregation.advice;
  Table table{"expert_systems", "Expert Systems Feedback", Layout::rows, {}, advice.size()};
  table.columns.push_back(text_column("problem", "Problem", [&advice](std::size_t row) {
    return std::string_view(advice[row].problem);
  }));
  table.columns.push_back(text_column("recommendation", "Recommendation", [&](std::size_t row) {
    return std::string_view(advice[row].recommendation);
  }));
  return table;
}

}  // namespace dlview::report::dlprof
