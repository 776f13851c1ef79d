#include "ui/chart/compared.h"

#include <fmt/format.h>

#include "base/units.h"

namespace dlview::ui {

std::optional<ComparedIterations> compared_iterations(const Model& model, int64_t slowest) {
  if (!model.outliers || !model.aggregation) return std::nullopt;
  if (model.aggregation->iteration_table->iterations.rows.size() < 2) return std::nullopt;
  const IterationPair& chosen = model.compared;
  const int64_t typical = model.outliers->typical;
  const int64_t iteration = chosen.iteration.value_or(slowest);
  const int64_t baseline = chosen.baseline.value_or(typical);
  return ComparedIterations{iteration, baseline, iteration == slowest, baseline == typical};
}

std::string describe_compared(const ComparedIterations& compared) {
  const std::string first =
      fmt::format("{} {}", compared.is_slowest ? "Slowest of the range: iteration" : "Iteration",
                  base::format_count(compared.iteration));
  if (compared.is_typical && compared.iteration == compared.baseline) {
    return first + " is the typical one";
  }
  return fmt::format("{} against {}{}", first, compared.is_typical ? "the typical " : "",
                     base::format_count(compared.baseline));
}

}  // namespace dlview::ui
