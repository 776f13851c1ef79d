#include "ui/views/stacks/stacks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "profile/event_count.h"
#include "ui/pages.h"
#include "ui/views/tables/looks.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/menu.h"
#include "ui/widgets/panel.h"

namespace dlview::ui {
namespace {

constexpr float kToolbarLeft = 12;  // that of the switch above it
constexpr std::array<uint32_t, 5> kLevelChoices{0, 5, 10, 20, 40};
constexpr std::array<uint32_t, 4> kCutoffChoices{0, 1, 10, 50};  // per mille

std::string levels_text(uint32_t levels) {
  return levels == 0 ? "all" : fmt::to_string(levels);
}
std::string cutoff_text(uint32_t per_mille) {
  return per_mille == 0 ? "none" : fmt::format("{}%", static_cast<double>(per_mille) / 10);
}

report::TableQuery sorted_by(std::string column) {
  report::TableQuery query;
  query.sort.push_back({std::move(column), report::SortDirection::descending});
  return query;
}

}  // namespace

StacksView::StacksView() : functions_(stacks_look()), tree_(stack_tree_look()) {}

std::vector<DataTable*> StacksView::tables() {
  return {choice_.style == StackStyle::table ? &tree_ : &functions_};
}

void StacksView::set_table(const workspace::TableState& state) {
  if (state.table == kStackChoice) {
    choice_ = parse_stack_choice(state.selected);
    sorts_by_measure_ = choice_.measure != StackMeasure::cpu;
  }
  for (DataTable* table : {&functions_, &tree_}) {
    if (table->model().look().id == state.table) table->set(state);
  }
}

std::vector<workspace::TableState> StacksView::table_states() {
  std::vector<workspace::TableState> states;
  if (choice_ != StackChoice{}) states.push_back({kStackChoice, {}, to_text(choice_)});
  for (const DataTable* table : {&functions_, &tree_}) {
    if (table->is_changed()) states.push_back(table->state());
  }
  return states;
}

void StacksView::choose(StackStyle style) {
  choice_.style = style;
}

void StacksView::choose(StackMeasure measure) {
  if (choice_.measure == measure) return;
  choice_.measure = measure;
  sorts_by_measure_ = true;
}

void StacksView::take_command(Tables& tables) {
  if (!tables.command) return;
  switch (*tables.command) {
    case TableCommand::next_stack_style:
      choose(static_cast<StackStyle>((static_cast<int>(choice_.style) + 1) % 3));
      break;
    case TableCommand::stack_icicle:
      choose(StackStyle::icicle);
      break;
    case TableCommand::stack_sunburst:
      choose(StackStyle::sunburst);
      break;
    case TableCommand::stack_table:
      choose(StackStyle::table);
      break;
    case TableCommand::stack_measure:
      choose(choice_.measure == StackMeasure::cpu ? StackMeasure::gpu : StackMeasure::cpu);
      break;
    case TableCommand::stack_internal:
      choice_.hides_internal = !choice_.hides_internal;
      break;
    default:
      return;
  }
  tables.command.reset();
}

void StacksView::draw_no_frames(Frame& frame, const Box& box) const {
  draw_error_card(
      frame, box, "stacks/none",
      {"No Python frames recorded", fmt::format("{} has no Python frames.", frame.model.file_name),
       "Record with torch.profiler.profile(with_stack=True)."},
      {});
}

void StacksView::draw_tables(Frame& frame, const Box& box, Tables& tables) {
  const Model& model = frame.model;
  if (profile::python_frame_count(*model.profile) == 0) {
    tables.command.reset();
    return draw_no_frames(frame, box);
  }
  take_command(tables);
  if (!model.python_frames) {
    tables.command.reset();
    return draw_frames_card(frame, box, "stacks");
  }
  data_.want({model.aggregation, choice_.hides_internal},
             has_few_events(*model.profile) && has_few_frames(model.python_frames.get()),
             tables.background,
             [profile = model.profile, aggregation = model.aggregation,
              frames = model.python_frames, hides = choice_.hides_internal](const base::Progress&) {
               return std::make_shared<const StackData>(
                   make_stack_data(profile, aggregation, frames, hides));
             });
  if (std::exchange(sorts_by_measure_, false)) {
    const std::string_view measure = choice_.measure == StackMeasure::cpu ? "cpu" : "gpu";
    for (const auto& [table, what] : {std::pair(&functions_, "self"), std::pair(&tree_, "total")}) {
      report::TableQuery query = table->model().query();
      query.sort = sorted_by(fmt::format("{}_time_{}", measure, what)).sort;
      table->model().set_query(std::move(query));
    }
  }
  const float gap = frame.px(kGap), left = box.left + frame.px(kToolbarLeft);
  const float top = draw_toolbar(frame, {left, box.top + gap, box.right - gap - left});
  const Box rest =
      pane_.draw(frame, {box.left, top, box.right, box.bottom}, this->tables(), tables.focused);
  if (choice_.style == StackStyle::table) return draw_tree(frame, rest, tables);
  // Shallow stacks leave the room to the table.
  const bool is_icicle = choice_.style == StackStyle::icicle;
  const float height = is_icicle ? chart_.icicle_height(frame) : 0;
  const std::vector<float> most(height > 0 ? 1 : 0, around_chart_ + height);
  const std::vector<Box> boxes = boxes_.draw(frame, rest, 0, most);
  draw_chart(frame, boxes[0], data());
  functions_.draw(frame, boxes[1], data() ? data()->functions : nullptr, tables);
  if (data()) link_selections(*data());
}

float StacksView::draw_toolbar(Frame& frame, const Area& area) {
  constexpr std::array<Segment, 3> kStyles{
      {{"icicle", "Icicle"}, {"sunburst", "Sunburst"}, {"table", "Table"}}};
  constexpr std::array<Segment, 2> kMeasures{{{"cpu", "Wall time"}, {"gpu", "GPU time"}}};
  constexpr std::array<Segment, 2> kFrames{
      {{"all", "All frames"}, {"own", "Hide internal frames"}}};
  Flow flow(frame, area);
  float left = flow.place(segments_width(frame, kStyles));
  if (const auto style = draw_segments(frame, "stacks/style", left, flow.top(), kStyles,
                                       static_cast<std::size_t>(choice_.style))) {
    choose(static_cast<StackStyle>(*style));
  }
  flow.skip(frame.px(8));
  left = flow.place(segments_width(frame, kMeasures));
  if (const auto measure = draw_segments(frame, "stacks/measure", left, flow.top(), kMeasures,
                                         static_cast<std::size_t>(choice_.measure))) {
    choose(static_cast<StackMeasure>(*measure));
  }
  flow.skip(frame.px(8));
  left = flow.place(segments_width(frame, kFrames));
  if (const auto frames = draw_segments(frame, "stacks/frames", left, flow.top(), kFrames,
                                        choice_.hides_internal ? 1 : 0)) {
    choice_.hides_internal = *frames == 1;
  }
  if (choice_.style == StackStyle::table) {
    for (const bool open : {true, false}) {
      const std::string_view label = open ? "Expand all" : "Collapse all";
      left = flow.place(button_width(frame, label));
      const std::string_view name = open ? "stacks/expand" : "stacks/collapse";
      if (draw_button(frame, name, left, flow.top(), label)) open_.set_all(open);
    }
    return flow.bottom();
  }
  flow.skip(frame.px(8));
  const auto menu = [&](std::string_view name, const std::string& label, auto choices, auto text_of,
                        uint32_t& value) {
    std::vector<MenuItem> items;
    for (const uint32_t choice : choices) {
      MenuItem item{fmt::format("{}_{}", name, choice), text_of(choice)};
      item.chosen = choice == value;
      item.run = [&value, choice] { value = choice; };
      items.push_back(std::move(item));
    }
    const float width = menu_button_width(frame, label);
    const float at = flow.place(width);
    draw_menu(frame, name, label, at + width, flow.top(), items);
  };
  menu("stacks/depth", fmt::format("Depth: {}", levels_text(choice_.levels)), kLevelChoices,
       levels_text, choice_.levels);
  menu("stacks/cutoff", fmt::format("Cutoff: {}", cutoff_text(choice_.per_mille)), kCutoffChoices,
       cutoff_text, choice_.per_mille);
  return flow.bottom();
}

void StacksView::draw_chart(Frame& frame, const Box& box, const StackData* data) {
  fill(box, frame.palette().panel, frame.px(kRounding));
  outline(box, frame.palette().line, frame.px(kRounding));
  const float padding = frame.px(kPadding);
  const Area area{box.left + padding, box.top + frame.px(10), box.width() - 2 * padding};
  const bool by_cpu = choice_.measure == StackMeasure::cpu;
  const Area body = draw_heading(
      frame, area,
      {by_cpu ? "Total wall time by call stack" : "Total GPU time by call stack",
       by_cpu ? aggregate::MetricId("stack_cpu_time") : aggregate::MetricId("stack_gpu_time"), "",
       ""});
  if (data == nullptr) {
    draw_text(frame.fonts().text, body.left, body.top, frame.palette().dim,
              functions_.model().look().prompt);
    return;
  }
  draw_legend(frame, area, *data);
  const auto& content = by_cpu ? data->by_cpu : data->by_gpu;
  if (content->tree.value(ValueTree::kTop) == 0) {
    const std::string why = by_cpu || data->tree->table.row_count == 0
                                ? functions_.model().look().when_none
                                : "No Python frame launched a kernel in this range.";
    frame.inspector.record_value("stacks/why_none", why);
    draw_text(frame.fonts().text, body.left, body.top, frame.palette().dim, why);
    return;
  }
  begin_at_split(content);
  const TreeChartOptions options{
      choice_.style == StackStyle::sunburst ? TreeStyle::sunburst : TreeStyle::icicle,
      choice_.levels, choice_.per_mille / 1000.0, functions_.model().query().search};
  const Box chart{body.left, body.top, body.right(), box.bottom - padding};
  around_chart_ = box.height() - chart.height();
  const auto node = chart_.draw(frame, chart, content, options);
  if (!node) return;
  linked_ = content->name(*node);
  functions_.model().select(linked_);
  functions_.reveal_selected();
}

// Frames that pass everything on, from the start of the program to the model, fill no levels until
// the user goes back to them.
void StacksView::begin_at_split(const std::shared_ptr<const TreeContent>& content) {
  if (content == charted_) return;
  const bool is_at_begin = begins_at_ && chart_.root() == *begins_at_;
  chart_.show(content);
  charted_ = content;
  begins_at_.reset();
  if (!is_at_begin) return;
  begins_at_ = first_split(content->tree);
  chart_.begin_at(*begins_at_);
}

// At the right edge of the heading, as many as there is room for.
void StacksView::draw_legend(Frame& frame, const Area& area, const StackData& data) const {
  const ImFont* font = frame.fonts().small;
  const float swatch = frame.px(9), gap = frame.px(5), between = frame.px(14);
  const float most = area.width * 0.7f;
  std::vector<const StackData::Package*> shown;
  float width = 0;
  for (const StackData::Package& package : data.packages) {
    const float wanted = swatch + gap + text_width(font, package.name) + between;
    if (!package.hue && package.name != "built-in") continue;
    if (width + wanted > most) break;
    width += wanted;
    shown.push_back(&package);
  }
  float x = area.right() - width + between;
  for (const StackData::Package* package : shown) {
    const float top = area.top + std::round((line_height(font) - swatch) / 2) + frame.px(1);
    fill({x, top, x + swatch, top + swatch},
         tree_color(frame.palette(), package_color(frame.palette(), *package)), frame.px(2));
    x += swatch + gap;
    draw_text(font, x, area.top + frame.px(1), frame.palette().dim, package->name);
    x += text_width(font, package->name) + between;
  }
}

// A row that is selected in the table shows in the chart: of several stacks the longest.
void StacksView::link_selections(const StackData& data) {
  const std::string chosen(functions_.model().chosen());
  if (chosen == linked_) return;
  linked_ = chosen;
  if (chosen.empty()) return;
  const TreeContent& content = choice_.measure == StackMeasure::cpu ? *data.by_cpu : *data.by_gpu;
  std::optional<uint32_t> longest;
  for (uint32_t node = 0; node < content.tree.size(); ++node) {
    const bool is_longer = !longest || content.tree.value(node) > content.tree.value(*longest);
    if (is_longer && content.name(node) == chosen) longest = node;
  }
  if (longest) chart_.select(*longest);
}

// Down the path that most of the time takes.
void StacksView::open_longest(const RowTree& tree, const ValueTree& values) {
  uint32_t row = ValueTree::kTop;
  for (auto children = values.children(row); !children.empty(); children = values.children(row)) {
    if (values.value(children[0]) == 0 || 2 * values.value(children[0]) < values.value(row)) break;
    row = children[0];
    open_.open(tree, row);
  }
}

void StacksView::draw_tree(Frame& frame, const Box& box, Tables& tables) {
  constexpr float kWhole[] = {1};
  const auto& made = data_.get();
  if (made && std::exchange(opens_first_, false)) {
    open_longest(*made->tree->tree, made->by_cpu->tree);
    open_longest(*made->tree->tree, made->by_gpu->tree);
  }
  tree_.draw(frame, stack_boxes(frame, box, kWhole).front(),
             made ? open_.apply(made->tree) : nullptr, tables);
  if (const auto row = tree_.model().take_turned()) open_.turn(*row);
}

}  // namespace dlview::ui
