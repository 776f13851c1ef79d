#include "ui/views/tables/operators.h"

#include <algorithm>
#include <string_view>

#include "profile/python_frames.h"
#include "ui/pages.h"
#include "ui/views/tables/looks.h"
#include "ui/widgets/controls.h"

namespace dlview::ui {
namespace {

constexpr float kToolbarLeft = 12;  // that of the switch above it
constexpr std::array<Segment, 4> kChoices{{{"torch_ops", "By name"},
                                           {"torch_op_shapes", "By input shape"},
                                           {"torch_op_stacks", "By call stack"},
                                           {"torch_op_tree", "Tree"}}};

}  // namespace

OperatorsView::OperatorsView(const profile::Profile& profile)
    : parts_{{{LateViewData("torch_ops"), DataTable(operators_look(profile))},
              {LateViewData("torch_op_shapes"), DataTable(operator_shapes_look(profile))},
              {LateViewData("torch_op_stacks"), DataTable(operator_stacks_look(profile))},
              {LateViewData("torch_op_tree", {"depth", "torch_op_path"}),
               DataTable(operator_tree_look(profile))}}} {}

void OperatorsView::set_table(const workspace::TableState& state) {
  const std::string& name = state.table == kOperatorChoice ? state.selected : state.table;
  const auto found = std::ranges::find(kChoices, name, &Segment::id);
  if (found == kChoices.end()) return;
  const auto part = static_cast<std::size_t>(found - kChoices.begin());
  if (state.table == kOperatorChoice) {
    choice_ = part;
  } else {
    parts_[part].table.set(state);
  }
}

std::vector<workspace::TableState> OperatorsView::table_states() {
  std::vector<workspace::TableState> states;
  if (choice_ != kNames) states.push_back({kOperatorChoice, {}, std::string(kChoices[choice_].id)});
  for (const Part& part : parts_) {
    if (part.table.is_changed()) states.push_back(part.table.state());
  }
  return states;
}

void OperatorsView::draw_tables(Frame& frame, const Box& box, Tables& tables) {
  constexpr float kWhole[] = {1};
  const float gap = frame.px(kGap), left = box.left + frame.px(kToolbarLeft);
  const float top = draw_toolbar(frame, {left, box.top + gap, box.right - gap - left});
  const Box rest =
      pane_.draw(frame, {box.left, top, box.right, box.bottom}, this->tables(), tables.focused);
  if (choice_ == kTree) return draw_tree(frame, rest, tables);
  const bool has_frames = profile::python_frame_count(*frame.model.profile) > 0;
  if (choice_ == kStacks && has_frames && !frame.model.python_frames) {
    tables.command.reset();
    return draw_frames_card(frame, rest, "operators");
  }
  chosen().table.draw(frame, stack_boxes(frame, rest, kWhole).front(),
                      chosen().data.get(frame.model, tables.background), tables);
}

float OperatorsView::draw_toolbar(Frame& frame, const Area& area) {
  Flow flow(frame, area);
  float left = flow.place(segments_width(frame, kChoices));
  if (const auto chosen =
          draw_segments(frame, "operators/by", left, flow.top(), kChoices, choice_)) {
    choice_ = *chosen;
  }
  if (choice_ != kTree) return flow.bottom();
  flow.skip(frame.px(8));
  for (const bool open : {true, false}) {
    const std::string_view label = open ? "Expand all" : "Collapse all";
    left = flow.place(button_width(frame, label));
    const std::string_view name = open ? "operators/expand" : "operators/collapse";
    if (draw_button(frame, name, left, flow.top(), label)) open_.set_all(open);
  }
  return flow.bottom();
}

void OperatorsView::draw_tree(Frame& frame, const Box& box, Tables& tables) {
  constexpr float kWhole[] = {1};
  const auto data = chosen().data.get(frame.model, tables.background);
  chosen().table.draw(frame, stack_boxes(frame, box, kWhole).front(),
                      data ? open_.apply(data) : nullptr, tables);
  if (const auto row = chosen().table.model().take_turned()) open_.turn(*row);
}

}  // namespace dlview::ui
