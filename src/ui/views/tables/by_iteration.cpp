#include "ui/views/tables/by_iteration.h"

#include <utility>

#include "base/parse.h"
#include "ui/views/tables/kernel_rules.h"
#include "ui/views/tables/looks.h"

namespace dlview::ui {

namespace {

// The view has names only, and several ops may have one.
void add_op_ids_and_rules(TableData& data, const report::ViewArguments& arguments) {
  auto kernels =
      report::make_view("iteration_op_kernels", *data.profile, *data.aggregation, arguments);
  data.table.columns.push_back(std::move(kernels->columns[find_column(*kernels, "op_node_id")]));
  add_tensor_core_rules(data, arguments);
}

}  // namespace

std::optional<int64_t> selected_iteration(const TableModel& iterations) {
  return base::parse_natural(iterations.selected());
}

ByIterationView::ByIterationView(const profile::Profile& profile)
    : iterations_data_("iterations_profiled", add_iteration_times),
      kernels_data_("iteration_kernels", add_op_ids_and_rules),
      iterations_(iterations_look(profile)),
      kernels_(iteration_kernels_look(profile)) {}

void ByIterationView::draw(Frame& frame, const Box& box, Tables& tables) {
  const auto iteration = selected_iteration(iterations_.model());
  const bool is_waiting = !iteration;
  if (std::exchange(is_waiting_, is_waiting) != is_waiting) iterations_.reveal_selected();
  const auto boxes = stack_.draw(frame, box, is_waiting ? 1 : 0);
  iterations_.draw(frame, boxes[0], iterations_data_.get(frame.model), tables);
  kernels_.set_subject(iteration ? "iteration " + std::to_string(*iteration) : "");
  kernels_.draw(frame, boxes[1],
                iteration ? kernels_data_.get(frame.model, {iteration, {}}) : nullptr, tables);
}

}  // namespace dlview::ui
