#include "ui/views/tables/groups.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "aggregate/communication_ops.h"
#include "aggregate/group_tree.h"
#include "base/units.h"
#include "profile/event_count.h"
#include "ui/table/row_order.h"
#include "ui/views/tables/kernel_columns.h"
#include "ui/views/tables/looks.h"
#include "ui/views/tables/time_columns.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/panel.h"

namespace dlview::ui {
namespace {

constexpr float kAroundIcicle = 136;                        // heading and margins
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
  take_command(tables, *data);
  want_colors(frame.model, data, tables.background);
  icicle_.search(data, groups_.model().query().search);
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
  if (std::exchange(saves_picture_, false)) frame.host.save_picture("groups", item_rect(box));
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
  const float below = area.top + frame.px(kControlHeight) + frame.px(8);
  const float controls = draw_controls(frame, {area.left, below, area.width}, *data);
  const float legend = draw_legend(frame, {area.left, controls + frame.px(6), area.width});
  const Box picture{area.left, legend + frame.px(6), area.right(), box.bottom - padding};
  const auto selected = groups_.model().selected_row();
  const auto clicked = icicle_.draw(frame, picture, data, selected);
  if (icicle_.is_empty()) {
    draw_text(frame.fonts().text, picture.left, picture.top, frame.palette().dim,
              data->table.row_count == 0 ? why_none(groups_.model().look(), *data)
                                         : "These ops used no GPU.");
  }
  if (clicked) select_row(*data, *clicked);
}

void GroupsView::select_row(const TableData& data, uint32_t row) {
  open_.reveal(row);
  groups_.model().select(id_of(data, row));
  groups_.reveal_selected();
}

void GroupsView::step_match(const TableData& data, bool forward) {
  if (!icicle_.hits() || icicle_.hits()->empty()) return;
  const std::vector<uint32_t>& hits = *icicle_.hits();
  const auto selected = groups_.model().selected_row();
  const auto at = selected ? std::ranges::find(hits, static_cast<uint32_t>(*selected)) : hits.end();
  const std::size_t count = hits.size();
  std::size_t next = forward ? 0 : count - 1;
  if (at != hits.end()) {
    next = (static_cast<std::size_t>(at - hits.begin()) + (forward ? 1 : count - 1)) % count;
  }
  icicle_.reveal(data, hits[next]);
  select_row(data, hits[next]);
}

void GroupsView::set_table(const workspace::TableState& state) {
  if (state.table == kColoring) coloring_ = parse_group_coloring(state.selected);
  if (state.table == groups_.model().look().id) groups_.set(state);
}

std::vector<workspace::TableState> GroupsView::table_states() {
  std::vector<workspace::TableState> states;
  if (coloring_ != GroupColoring::category) {
    states.push_back({kColoring, {}, std::string(to_text(coloring_))});
  }
  if (groups_.is_changed()) states.push_back(groups_.state());
  return states;
}

void GroupsView::take_command(Tables& tables, const TableData& data) {
  if (!tables.command) return;
  switch (*tables.command) {
    case TableCommand::next_group_coloring:
      coloring_ =
          static_cast<GroupColoring>((static_cast<std::size_t>(coloring_) + 1) % kGroupColorings);
      break;
    case TableCommand::group_fit:
      icicle_.fit(data, groups_.model().selected_row());
      break;
    case TableCommand::next_group_match:
      step_match(data, true);
      break;
    case TableCommand::previous_group_match:
      step_match(data, false);
      break;
    case TableCommand::group_save_png:
      saves_picture_ = true;
      break;
    default:
      return;
  }
  tables.command.reset();
}

void GroupsView::want_colors(const Model& model, const std::shared_ptr<const TableData>& data,
                             Background& background) {
  const bool at_once = coloring_ != GroupColoring::device || has_few_events(*model.profile);
  const UnknownUse unknown = model.unknown_use;
  const GroupColoring coloring = coloring_;
  colors_.want({data, unknown, coloring}, at_once, background,
               [data, unknown, coloring](const base::Progress&) {
                 return std::make_shared<const GroupColors>(
                     coloring == GroupColoring::device ? group_colors_by_device(*data)
                                                       : group_colors(*data, coloring, unknown));
               });
  const auto& made = colors_.get();
  const bool fits = made && made->coloring == coloring &&
                    made->ns.size() == made->classes.size() * data->table.row_count;
  icicle_.color_by(fits && coloring != GroupColoring::category ? made : nullptr);
}

float GroupsView::draw_controls(Frame& frame, const Area& area, const TableData& data) {
  constexpr std::array<Segment, kGroupColorings> kColorings{{{"category", "Category"},
                                                             {"tensor_cores", "Tensor Cores"},
                                                             {"time", "Time"},
                                                             {"device", "GPU"}}};
  Flow flow(frame, area);
  float left = flow.place(segments_width(frame, kColorings));
  if (const auto chosen = draw_segments(frame, "groups/coloring", left, flow.top(), kColorings,
                                        static_cast<std::size_t>(coloring_))) {
    coloring_ = static_cast<GroupColoring>(*chosen);
  }
  const bool is_whole = icicle_.root_name().empty();
  const auto selected = groups_.model().selected_row();
  const std::string_view fit = is_whole ? "Fit selection" : "Show all";
  left = flow.place(button_width(frame, fit));
  if (draw_button(frame, "groups/fit", left, flow.top(), fit, ButtonKind::plain,
                  !is_whole || selected.has_value())) {
    icicle_.fit(data, is_whole ? selected : std::nullopt);
  }
  if (!icicle_.hits()) return flow.bottom();
  const bool has_hits = !icicle_.hits()->empty();
  for (const bool forward : {false, true}) {
    const std::string_view label = forward ? "Next match" : "Previous match";
    left = flow.place(button_width(frame, label));
    if (draw_button(frame, forward ? "groups/next" : "groups/previous", left, flow.top(), label,
                    ButtonKind::plain, has_hits)) {
      step_match(data, forward);
    }
  }
  const auto count = static_cast<int64_t>(icicle_.hits()->size());
  const std::string text =
      count == 1 ? "1 match" : fmt::format("{} matches", base::format_count(count));
  const ImFont* font = frame.fonts().text;
  left = flow.place(text_width(font, text));
  frame.inspector.record_value("groups/matches", text);
  draw_text(font, left, flow.top() + (frame.px(kControlHeight) - font_size(font)) / 2,
            frame.palette().dim, text);
  return flow.bottom();
}

float GroupsView::draw_legend(Frame& frame, const Area& area) const {
  const ImFont* font = frame.fonts().small;
  const float swatch = frame.px(10), gap = frame.px(5), between = frame.px(14);
  const float bottom = area.top + line_height(font);
  const auto& colors = colors_.get();
  if (!colors || colors->coloring != coloring_) return bottom;
  float x = area.left;
  for (std::size_t of = 0; of < colors->classes.size(); ++of) {
    const GroupColorClass& each = colors->classes[of];
    const float width = swatch + gap + text_width(font, each.name) + between;
    if (x + width > area.right()) break;
    const Box box{x, area.top + frame.px(1), x + swatch, area.top + frame.px(1) + swatch};
    const Color color = class_color(frame.palette(), coloring_, of);
    fill(box, color, frame.px(2));
    if (each.hatched) hatch(frame, box, hatch_color(color));
    outline(box, frame.palette().dim, frame.px(2));
    draw_text(font, x + swatch + gap, area.top, frame.palette().dim, each.name);
    frame.inspector.record_value("groups/legend/" + each.name, each.hatched ? "hatched" : "plain");
    x += width;
  }
  return bottom;
}

}  // namespace dlview::ui
