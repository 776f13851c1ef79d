#include "ui/views/tables/ops.h"

#include <array>

#include "ui/views/tables/looks.h"

namespace dlview::ui {

OpsView::OpsView(const profile::Profile& profile)
    : ops_(ops_look(profile)), kernels_(kernels_look()) {}

void OpsView::draw(Frame& frame, const Box& box, Tables& tables) {
  const profile::Profile& profile = *frame.model.profile;
  const std::vector<profile::Row> op = op_with_id(profile, ops_.model().selected());
  std::optional<DetailsSubject> subject;
  if (!op.empty()) {
    subject = kernel_subject(profile, op[0], kernels_.model().selected());
    if (!subject || tables.focused == ops_.model().look().id) subject = DetailsSubject{op[0], {}};
  }
  const Box rest = pane_.draw(frame, box, subject);
  const auto boxes = stack_boxes(frame, rest, std::array{1.7f, 1.0f});
  ops_.draw(frame, boxes[0], ops_data_.get(frame.model), tables);
  kernels_.set_subject(op.empty() ? "" : std::string(profile.text(profile.ops.name[op[0]])));
  kernels_.draw(frame, boxes[1], op.empty() ? nullptr : kernels_data_.get(frame.model, {{}, op}),
                tables);
}

}  // namespace dlview::ui
