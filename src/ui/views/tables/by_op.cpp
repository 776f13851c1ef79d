#include "ui/views/tables/by_op.h"

#include <utility>

#include "ui/views/tables/by_iteration.h"
#include "ui/views/tables/kernel_rules.h"
#include "ui/views/tables/looks.h"

namespace dlview::ui {
namespace {

TableLook iterations_above_ops(const profile::Profile& profile) {
  TableLook look = iterations_look(profile);
  look.id = "by_op_iterations";
  return look;
}

}  // namespace

ByOpView::ByOpView(const profile::Profile& profile)
    : iterations_data_("iterations_profiled", add_iteration_times),
      kernels_data_("iteration_op_kernels", add_tensor_core_rules),
      iterations_(iterations_above_ops(profile)),
      ops_(iteration_ops_look(profile)),
      kernels_(iteration_op_kernels_look(profile)) {}

void ByOpView::draw(Frame& frame, const Box& box, Tables& tables) {
  const profile::Profile& profile = *frame.model.profile;
  const auto iteration = selected_iteration(iterations_.model());
  std::vector<profile::Row> op;
  std::optional<DetailsSubject> subject;
  if (iteration) op = op_with_id(profile, ops_.model().selected());
  if (!op.empty()) subject = DetailsSubject{op[0], {}};
  const Box rest = pane_.draw(frame, box, subject);
  const std::size_t waiting = !iteration ? 2 : op.empty() ? 1 : 0;
  if (std::exchange(waiting_, waiting) != waiting) {  // those above got another height
    iterations_.reveal_selected();
    ops_.reveal_selected();
  }
  const auto boxes = stack_.draw(frame, rest, waiting);
  iterations_.draw(frame, boxes[0], iterations_data_.get(frame.model), tables);
  const std::string number = iteration ? "iteration " + std::to_string(*iteration) : "";
  ops_.set_subject(number);
  ops_.draw(frame, boxes[1], iteration ? ops_data_.get(frame.model, {iteration, {}}) : nullptr,
            tables);
  kernels_.set_subject(
      op.empty() ? "" : number + " · " + std::string(profile.text(profile.ops.name[op[0]])));
  kernels_.draw(frame, boxes[2],
                op.empty() ? nullptr : kernels_data_.get(frame.model, {iteration, op}), tables);
}

}  // namespace dlview::ui
