#include "ui/views/tables/groups.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "aggregate/communication_ops.h"
#include "aggregate/group_tree.h"
#include "ui/table/row_order.h"
#include "ui/views/tables/kernel_columns.h"
#include "ui/views/tables/looks.h"
#include "ui/views/tables/time_columns.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/panel.h"

namespace dlview::ui {
namespace {

constexpr float kAroundIcicle = 76;                         // heading and margins
constexpr float kLeastIcicle = 0.16f, kMostIcicle = 0.45f;  // of the height

std::string id_of(const TableData& data, uint32_t row) {
  return report::to_text(data.table.cell(row, find_column(data.table, "row_full_id")));
}

// Calls use(i, row) with the number of each op in the aggregation, for its row and for those of all
// groups around it.
template <typename Use>
void for_each_row_of_an_op(const TableData& data, const Use& use) {
  auto row = static_cast<uint32_t>(data.aggregation->groups.size());  // the ops stand behind them
  for (std::size_t i = 0; i < data.aggregation->ops.size(); ++i, ++row) {
    for (uint32_t at = row; at != RowTree::kTop; at = data.tree->parent[at]) use(i, at);
  }
}

// "fprop, bprop"
std::string joined(const profile::Profile& profile, std::vector<profile::StringId> texts) {
  std::ranges::sort(texts, std::ranges::greater(),
                    [&](profile::StringId text) { return profile.text(text); });
  std::string all;
  for (const profile::StringId text : texts) {
    if (!all.empty()) all += ", ";
    all += profile.text(text);
  }
  return all;
}

// Of an op its own; of a group those of the ops below.
void add_directions(TableData& data) {
  const profile::Profile& profile = *data.profile;
  std::vector<std::vector<profile::StringId>> below(data.table.row_count);  // few in each
  for_each_row_of_an_op(data, [&](std::size_t i, uint32_t row) {
    const profile::StringId direction = profile.ops.direction[data.aggregation->ops[i].op];
    if (profile.text(direction).empty() || std::ranges::count(below[row], direction) > 0) return;
    below[row].push_back(direction);
  });
  auto texts = std::make_shared<std::vector<std::string>>();
  texts->reserve(below.size());
  for (auto& directions : below) texts->push_back(joined(profile, std::move(directions)));
  data.table.columns.push_back(report::column(
      "group_ops.direction", [texts](std::size_t row) { return std::string_view((*texts)[row]); }));
}

void add_parts_of_groups(TableData& data) {
  const auto communication = aggregate::communication_of_ops(*data.profile, *data.aggregation);
  std::vector<KernelTimes> times(data.table.row_count);
  for_each_row_of_an_op(data, [&](std::size_t i, uint32_t row) {
    times[row].add(data.aggregation->ops[i], communication.empty() ? 0 : communication[i]);
  });
  add_kernel_columns(data.table, std::move(times));
}

// Which row of "group_ops" is in which: those of the aggregation's groups, and behind them those of
// its ops. All are closed. Their keys are the numbers of groups and ops in the profile.
RowTree tree_of_groups(const aggregate::Aggregation& aggregation) {
  const aggregate::GroupTree& groups = *aggregation.group_tree;
  std::vector<uint32_t> row_of_group(groups.groups.size(), RowTree::kTop);
  for (uint32_t row = 0; row < aggregation.groups.size(); ++row) {
    row_of_group[aggregation.groups[row].group] = row;
  }
  const std::size_t rows = aggregation.groups.size() + aggregation.ops.size();
  RowTree tree;
  tree.parent.reserve(rows);
  tree.key.reserve(rows);
  tree.is_open.resize(rows);
  tree.has_children.resize(rows);
  const auto add_below = [&](profile::Row group) {
    const uint32_t row = group == profile::kNoRow ? RowTree::kTop : row_of_group[group];
    tree.parent.push_back(row);
    if (row != RowTree::kTop) tree.has_children[row] = true;
  };
  for (const auto& group : aggregation.groups) {
    tree.key.push_back(group.group);
    add_below(groups.groups[group.group].parent);
  }
  for (const auto& op : aggregation.ops) {
    tree.key.push_back(groups.groups.size() + op.op);
    add_below(groups.group_of_op[op.op]);
  }
  return tree;
}

}  // namespace

void add_tree(TableData& data, const report::ViewArguments& arguments) {
  data.tree = std::make_shared<const RowTree>(tree_of_groups(*data.aggregation));
  // The group of the names that begin with '/' has none of its own.
  report::Column& name = data.table.columns[find_column(data.table, "row_trimmed_name")];
  name.cell = [cell = name.cell](std::size_t row) -> report::Cell {
    report::Cell text = cell(row);
    return report::to_text(text).empty() ? report::Cell(std::string_view("/")) : text;
  };
  add_directions(data);
  add_parts_of_groups(data);
  add_times_of_groups(data, arguments);
}

GroupsView::GroupsView(const profile::Profile& profile)
    : view_data_("group_ops", add_tree), groups_(groups_look(profile)) {}

std::shared_ptr<const TableData> GroupsView::data(const Model& model, Background& background) {
  const auto made = badged_.of(view_data_.get(model), model, background);
  if (std::exchange(opens_first_, false)) open_.open_first(*made->tree);
  return open_.apply(made);
}

void GroupsView::draw_tables(Frame& frame, const Box& box, Tables& tables) {
  std::shared_ptr<const TableData> data = this->data(frame.model, tables.background);
  std::optional<DetailsSubject> subject;
  const std::string& selected = groups_.model().selected();
  if (!selected.empty()) {
    const profile::Profile& profile = *frame.model.profile;
    const profile::Row group =
        aggregate::find_group(profile, *frame.model.aggregation->group_tree, selected);
    const std::vector<profile::OpIndex> op = op_with_id(profile, selected);
    if (group != profile::kNoRow) {
      subject = DetailsSubject{{}, {}, group};
    } else if (!op.empty()) {
      subject = DetailsSubject{op[0], {}};
    }
  }
  const Box rest = pane_.draw(frame, box, subject);
  const float wanted = icicle_.height(frame) + frame.px(kAroundIcicle);
  const float share = std::clamp(wanted / rest.height(), kLeastIcicle, kMostIcicle);
  const auto boxes = stack_boxes(frame, rest, std::array{share, 1.0f - share});
  draw_icicle(frame, boxes[0], data);
  groups_.draw(frame, boxes[1], std::move(data), tables);
  if (const auto row = groups_.model().take_turned()) open_.turn(*row);
}

void GroupsView::draw_icicle(Frame& frame, const Box& box,
                             const std::shared_ptr<const TableData>& data) {
  fill(box, frame.palette().panel, frame.px(kRounding));
  outline(box, frame.palette().line, frame.px(kRounding));
  const float padding = frame.px(kPadding);
  const Area area{box.left + padding, box.top + frame.px(10), box.width() - 2 * padding};
  float right = area.right();
  for (const bool open : {false, true}) {
    const std::string_view label = open ? "Expand all" : "Collapse all";
    right -= button_width(frame, label);
    if (draw_button(frame, open ? "groups/expand" : "groups/collapse", right, area.top, label)) {
      open_.set_all(open);
    }
    right -= frame.px(8);
  }
  const float middle = area.top + (frame.px(kControlHeight) - font_size(frame.fonts().strong)) / 2;
  draw_heading(frame, {area.left, middle, right - area.left},
               {"GPU time by group", "op_gpu_time", "", "union per call, summed over calls"});
  const Box picture{area.left, area.top + frame.px(kControlHeight) + frame.px(8), area.right(),
                    box.bottom - padding};
  const auto selected = groups_.model().selected_row();
  const auto clicked = icicle_.draw(frame, picture, data, selected);
  if (icicle_.is_empty()) {
    draw_text(frame.fonts().text, picture.left, picture.top, frame.palette().dim,
              data->table.row_count == 0 ? why_none(groups_.model().look(), *data)
                                         : "These ops used no GPU.");
  }
  if (!clicked) return;
  open_.reveal(*clicked);
  groups_.model().select(id_of(*data, *clicked));
  groups_.reveal_selected();
}

}  // namespace dlview::ui
