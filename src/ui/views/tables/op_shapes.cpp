#include "ui/views/tables/op_shapes.h"

#include "ui/views/tables/looks.h"

namespace dlview::ui {

OpShapesView::OpShapesView(const profile::Profile& profile) : ops_(op_shapes_look(profile)) {}

void OpShapesView::draw_tables(Frame& frame, const Box& box, Tables& tables) {
  constexpr float kWhole[] = {1};
  const auto summed = data_.get(frame.model, tables.background);
  const auto data = marked_.of(summed, frame.model.unknown_use);
  ops_.draw(frame, stack_boxes(frame, box, kWhole).front(), data, tables);
}

}  // namespace dlview::ui
