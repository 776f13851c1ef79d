#include "ui/views/tables/kernels.h"

#include "ui/views/tables/looks.h"

namespace dlview::ui {
namespace {

Box with_margin(const Frame& frame, const Box& box) {
  constexpr float kWhole[] = {1};
  return stack_boxes(frame, box, kWhole).front();
}

}  // namespace

KernelsView::KernelsView(const profile::Profile& profile) : kernels_(kernel_names_look(profile)) {}

void KernelsView::draw_tables(Frame& frame, const Box& box, Tables& tables) {
  const auto& unknown = unknown_use_.get(frame.model, tables.background);
  if (used_ != unknown) {
    used_ = unknown;
    data_ = ViewData("kernel_names",
                     [used = used_](TableData& data, const report::ViewArguments& arguments) {
                       add_unknown_names(data, used);
                       add_times_of_kernel_names(data, arguments);
                     });
  }
  kernels_.draw(frame, with_margin(frame, box), data_.get(frame.model), tables);
}

LaunchesView::LaunchesView(const profile::Profile& profile) : launches_(launches_look(profile)) {}

void LaunchesView::draw_tables(Frame& frame, const Box& box, Tables& tables) {
  const auto unknown = unknown_use_.get(frame.model, tables.background);
  const auto extend = [unknown](TableData& data) { add_unknown_names(data, unknown); };
  launches_.draw(frame, with_margin(frame, box),
                 data_.get(frame.model, tables.background, unknown, extend), tables);
}

}  // namespace dlview::ui
