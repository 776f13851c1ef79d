#include "ui/chart/current_range.h"

namespace dlview::ui {

aggregate::IterationRange current_range(const Model& model) {
  const aggregate::Selection& computed = model.aggregation->selection;
  if (model.selection.cut != computed.cut) return computed.range;
  const auto& rows = model.aggregation->iteration_table->iterations.rows;
  return aggregate::clamp_range(model.selection.range, static_cast<int64_t>(rows.size()));
}

}  // namespace dlview::ui
