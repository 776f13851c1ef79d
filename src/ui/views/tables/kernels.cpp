#include "ui/views/tables/kernels.h"

#include "profile/launch_attributes.h"
#include "ui/views/tables/looks.h"

namespace dlview::ui {
namespace {

Box with_margin(const Frame& frame, const Box& box) {
  constexpr float kWhole[] = {1};
  return stack_boxes(frame, box, kWhole).front();
}

}  // namespace

KernelsView::KernelsView(const profile::Profile& profile)
    : has_means_(profile::tells_occupancy(profile)), kernels_(kernel_names_look(profile)) {}

void KernelsView::draw_tables(Frame& frame, const Box& box, Tables& tables) {
  const auto summed =
      has_means_ ? late_data_.get(frame.model, tables.background) : data_.get(frame.model);
  const auto data =
      badged_.of(marked_.of(summed, frame.model.unknown_use), frame.model, tables.background);
  kernels_.draw(frame, with_margin(frame, box), data, tables);
}

LaunchesView::LaunchesView(const profile::Profile& profile) : launches_(launches_look(profile)) {}

void LaunchesView::draw_tables(Frame& frame, const Box& box, Tables& tables) {
  const auto summed = data_.get(frame.model, tables.background);
  const auto data = marked_.of(summed, frame.model.unknown_use);
  launches_.draw(frame, with_margin(frame, box), data, tables);
}

}  // namespace dlview::ui
