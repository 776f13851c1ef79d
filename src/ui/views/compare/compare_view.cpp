#include "ui/views/compare/compare_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/units.h"
#include "report/comparison/comparison_tables.h"
#include "ui/chart/navigation.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/panel.h"

namespace dlview::ui {
namespace {

using aggregate::Comparison;

constexpr float kWaterfallShare = 0.55f;  // of the width
constexpr float kChartsShare = 0.6f;      // of the height
constexpr float kLeastTable = 160, kLeastCharts = 250;
constexpr int64_t kQuickIterations = 4000;  // of both: their spread is made in the frame
constexpr float kIterationsHeight = 148, kLowIterationsHeight = 60;
constexpr float kRangeWidth = 104, kMostRangeShare = 0.4f;  // beside each chart of iterations
constexpr std::array<Segment, 4> kTables{
    {{"ops", "Ops"}, {"kernels", "Kernels"}, {"matching", "Matching"}, {"checks", "Checks"}}};
constexpr std::array<Segment, 2> kAxes{{{"from_zero", "From 0"}, {"changes", "Changes only"}}};
constexpr std::array<Segment, 2> kScales{{{"linear", "Linear"}, {"log", "Log"}}};

void draw_surface(Frame& frame, const Box& box) {
  fill(box, frame.palette().panel, frame.px(kRounding));
  outline(box, frame.palette().line, frame.px(kRounding));
}

Area inside(Frame& frame, const Box& box) {
  const float padding = frame.px(kPadding);
  return {box.left + padding, box.top + frame.px(10), box.width() - 2 * padding};
}

// Of ranges that may be newer than the data.
std::shared_ptr<const Histograms> make_spread(const aggregate::RunPair& runs,
                                              const aggregate::RangePair& ranges,
                                              const ChangePlace& place, const CompareData* data,
                                              std::optional<bool> is_log) {
  const aggregate::RowValues values = values_of(runs, ranges, place);
  const Comparison* compared = data == nullptr ? nullptr : data->comparison.get();
  const bool is_judged = compared != nullptr && compared->is_judged();
  return std::make_shared<const Histograms>(prepare_histograms(
      values.before, values.after, is_judged ? change_of(*compared, place) : nullptr,
      compared != nullptr ? compared->floor : aggregate::RunFloor{},
      is_log.value_or(wants_log(values.before, values.after))));
}

// The answer whose split the comparison has, whatever the filters.
const aggregate::Aggregation& whole_of(const workspace::RunModel& run) {
  return run.unfiltered ? *run.unfiltered : *run.aggregation;
}

bool is_of(const aggregate::ComparedRun& run, const CompareSide& side) {
  return run.profile == side.run->profile && run.cut == whole_of(*side.run).selection.cut &&
         run.cut == side.run->aggregation->selection.cut;
}

bool is_ready(const workspace::RunModel& run) {
  return run.profile && run.aggregation && run.rules;
}

// The level that the chart shows.
aggregate::WaterfallScope scope_of(const ChangePlace& place) {
  using Depth = aggregate::WaterfallScope::Depth;
  if (!place.op) return {place.part ? Depth::ops : Depth::parts, place.part};
  return {Depth::kernels, place.part, std::pair(place.op->before, place.op->after)};
}

}  // namespace

CompareView::CompareView()
    : ops_(op_changes_look([this](CopyMenu& menu, Host& host, const TableData& data,
                                  std::size_t row) { offer(menu, host, data, row); })),
      kernels_(kernel_changes_look()),
      matching_(op_matches_look([this](CopyMenu& menu, Host& host, const TableData& data,
                                       std::size_t row) { offer(menu, host, data, row); })),
      checks_(comparison_checks_look()) {}

void CompareView::set_table(const workspace::TableState& state) {
  if (state.table == kPlaceState) place_ = parse_change_place(state.selected);
  if (state.table == kTableState) {
    const auto found = std::ranges::find(kTables, state.selected, &Segment::id);
    if (found != kTables.end()) shown_table_ = static_cast<std::size_t>(found - kTables.begin());
  }
  if (state.table == kPairsState) {
    pairs_.clear();
    pairs_of_.reset();
    std::string_view rest = state.selected;
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      const std::size_t equals = line.find('=');
      if (equals == std::string_view::npos) continue;
      pairs_.emplace_back(line.substr(0, equals), line.substr(equals + 1));
    }
  }
  for (DataTable* const table : all_tables_) {
    if (state.table == table->model().look().id) table->set(state);
  }
}

std::vector<workspace::TableState> CompareView::table_states() {
  std::vector<workspace::TableState> states;
  if (place_.part) states.push_back({kPlaceState, {}, to_text(place_)});
  if (shown_table_ != 0) states.push_back({kTableState, {}, std::string(kTables[shown_table_].id)});
  std::string lines;
  for (const auto& [old_op, new_op] : pairs_) lines += fmt::format("{}={}\n", old_op, new_op);
  if (!lines.empty()) {
    lines.pop_back();
    states.push_back({kPairsState, {}, std::move(lines)});
  }
  for (DataTable* const table : all_tables_) {
    if (table->is_changed()) states.push_back(table->state());
  }
  return states;
}

void CompareView::forget(workspace::RunId other) {
  if (other != other_run_) return;
  run_before_.drop();
  run_after_.drop();
  pair_.drop();
  used_pair_.reset();
  last_pair_.reset();
  data_.drop();
  spread_.drop();
  side_before_ = side_after_ = {};
  waterfall_of_ = {};
  chart_of_ = {};
  chart_ = {};
  half_pair_.reset();
  for (DataTable* const table : all_tables_) *table = DataTable(table->model().look());
}

const Comparison* CompareView::comparison() const {
  return shared_comparison().get();
}

bool CompareView::find_sides(const Model& model) {
  if (!model.compared_run) return false;
  active_is_after_ = model.is_after;
  other_run_ = model.compared_run->run.run;
  CompareSide active{&model, model.runs[model.active_run].name, {}};
  CompareSide other{&model.compared_run->run, model.compared_run->name, {}};
  for (CompareSide* const side : {&active, &other}) {
    if (side->run->aggregation) side->range = current_range(*side->run);
  }
  before_ = active_is_after_ ? other : active;
  after_ = active_is_after_ ? active : other;
  ranges_ = {before_.range, after_.range};
  const SideRuns sides{before_.run->run, after_.run->run};
  if (sides != sides_) take_sides(sides);
  pairs_of_ = sides;
  return true;
}

void CompareView::take_sides(const SideRuns& sides) {
  const auto swapped = [](const SideRuns& runs) { return SideRuns{runs.second, runs.first}; };
  if (sides == swapped(sides_)) std::swap(run_before_, run_after_);
  sides_ = sides;
  if (pairs_of_) {
    other_pairs_[*pairs_of_] = std::move(pairs_);
    pairs_.clear();
    if (const auto same = other_pairs_.extract(sides)) {
      pairs_ = std::move(same.mapped());
    } else if (const auto turned = other_pairs_.extract(swapped(sides))) {
      for (const auto& [old_op, new_op] : turned.mapped()) pairs_.emplace_back(new_op, old_op);
    }
  }
  half_pair_.reset();
}

bool CompareView::is_of_sides(const aggregate::RunPair& runs) const {
  return is_of(runs.before(), before_) && is_of(runs.after(), after_);
}

void CompareView::take_pair() {
  const auto is_same = [this](const aggregate::RunPair& runs) {
    return &runs.before() == &used_pair_->before() && &runs.after() == &used_pair_->after();
  };
  // Of other pairs by hand, ops are the same ones.
  if (last_pair_ && !is_same(*last_pair_)) {
    data_.drop();
    spread_.drop();
    side_before_ = side_after_ = {};
    chart_of_ = {};
    place_.op.reset();
    half_pair_.reset();
    for (DataTable* const table : all_tables_) table->model().deselect();
  }
  last_pair_ = used_pair_;
}

bool CompareView::want_pair(Background& background) {
  used_pair_.reset();
  const auto want_run = [&background](Late<RunKey, aggregate::ComparedRun>& kept,
                                      const workspace::RunModel& run) {
    const aggregate::Aggregation& whole = whole_of(run);
    kept.want({run.profile, whole.selection.cut}, has_few_events(*run.profile), background,
              [profile = run.profile, table = whole.iteration_table, cut = whole.selection.cut,
               rules = run.rules](const base::Progress&) {
                return std::make_shared<const aggregate::ComparedRun>(profile, table, cut, *rules);
              });
  };
  want_run(run_before_, *before_.run);
  want_run(run_after_, *after_.run);
  if (!run_before_.get() || !run_after_.get()) return false;
  if (!is_of(*run_before_.get(), before_) || !is_of(*run_after_.get(), after_)) return false;
  aggregate::MatchOptions options;
  options.pairs = pairs_;
  const bool is_quick =
      has_few_events(*run_before_.get()->profile) && has_few_events(*run_after_.get()->profile);
  pair_.want(
      {run_before_.get(), run_after_.get(), options}, is_quick, background,
      [before = run_before_.get(), after = run_after_.get(), options](const base::Progress&) {
        return std::make_shared<const aggregate::RunPair>(before, after, options);
      });
  if (!pair_.get() || !is_of_sides(*pair_.get())) return false;
  used_pair_ = pair_.get();
  if (used_pair_ != last_pair_) take_pair();
  return true;
}

bool CompareView::KeptSide::update(const aggregate::ComparedRun& wanted,
                                   const aggregate::IterationRange& of) {
  if (&wanted == run && of == range && side) return false;
  side.emplace(wanted.side(of));
  run = &wanted;
  range = of;
  return true;
}

void CompareView::want_data(const Model& model, Background& background) {
  const auto runs = used_pair_;
  // Of a bound that is dragged, only one side is another one.
  const bool is_new_before = side_before_.update(runs->before(), ranges_.before);
  const bool is_new_after = side_after_.update(runs->after(), ranges_.after);
  const std::tuple waterfall_of{runs, place_};
  if (waterfall_of_ != waterfall_of || is_new_before || is_new_after) {
    waterfall_ = runs->waterfall(*side_before_.side, *side_after_.side, scope_of(place_));
    waterfall_of_ = waterfall_of;
  }
  if (place_.op && find_bar(waterfall_, *place_.op) == nullptr) place_.op.reset();
  TableData shown;
  shown.profile = model.profile;
  shown.aggregation = model.aggregation;
  data_.want({runs, ranges_}, false, background,
             [runs, ranges = ranges_, shown](const base::Progress&) {
               return make_compare_data(aggregate::compare(runs, ranges), shown);
             });
  const ChangePlace place = looked_at();
  const bool is_quick =
      place == ChangePlace{} && ranges_.before.size() + ranges_.after.size() <= kQuickIterations;
  spread_.want(
      {runs, ranges_, place, data_.get(), is_log_}, is_quick, background,
      [runs, ranges = ranges_, place, data = data_.get(), is_log = is_log_](const base::Progress&) {
        return make_spread(*runs, ranges, place, data.get(), is_log);
      });
  const std::tuple chart_of{static_cast<const void*>(runs.get()), ranges_, place_,
                            static_cast<const void*>(data_.get().get())};
  if (chart_of != chart_of_) {
    chart_ = prepare_change_chart(*runs, waterfall_, place_, comparison());
    chart_of_ = chart_of;
  }
}

void CompareView::take_command(Tables& tables) {
  if (tables.command != TableCommand::deselect || !place_.part) return;
  tables.command.reset();
  open(place_.op ? ChangePlace{place_.part, std::nullopt} : ChangePlace{});
}

void CompareView::open(const ChangePlace& place) {
  place_ = place;
  if (place.op) select_row(*place.op);
}

void CompareView::select_row(const ChangedOp& op) {
  const auto row = data_.get() ? data_.get()->row_of(op) : std::nullopt;
  if (!row) return;
  ops_.model().select(text_of_cell(data_.get()->ops->table, *row, "changed_row"));
  ops_.reveal_selected();
}

std::optional<ChangedOp> CompareView::selected_op() const {
  const auto& shown = ops_.model().rows();
  const auto row = ops_.model().selected_row();
  if (!row || !shown || !data_.get() || shown->data != data_.get()->ops) return std::nullopt;
  return data_.get()->op_rows[*row];
}

ChangePlace CompareView::looked_at() const {
  if (shown_table_ == 0) {
    if (const auto op = selected_op()) return {op->part, op};
  }
  return place_;
}

void CompareView::draw_tables(Frame& frame, const Box& box, Tables& tables) {
  take_command(tables);
  if (!find_sides(frame.model)) return draw_alone(frame, box);
  const bool are_ready = is_ready(*before_.run) && is_ready(*after_.run);
  if (!are_ready || (used_pair_ && !is_of_sides(*used_pair_))) used_pair_.reset();
  const float gap = frame.px(kGap);
  const float top = draw_head(frame, box) + gap;
  const Box content{box.left + gap, top, box.right - gap, box.bottom - gap};
  if (!are_ready || !want_pair(tables.background)) {
    return draw_waiting(frame, content);
  }
  want_data(frame.model, tables.background);
  const float least_table = frame.px(kLeastTable);
  const float charts =
      std::min(std::max(frame.px(kLeastCharts), std::round(content.height() * kChartsShare)),
               content.height() - least_table - gap);
  const float middle = std::round(content.left + content.width() * kWaterfallShare);
  const float charts_bottom = content.top + charts;
  draw_waterfall_panel(frame, {content.left, content.top, middle - gap / 2, charts_bottom});
  // Where there is little height, iterations leave it to the distribution.
  const bool is_low = charts < frame.px(kLeastCharts);
  const float iterations = is_low
                               ? frame.px(kLowIterationsHeight)
                               : std::min(frame.px(kIterationsHeight), std::round(charts * 0.45f));
  const Box right{middle + gap / 2, content.top, content.right, charts_bottom};
  draw_distribution_panel(frame,
                          {right.left, right.top, right.right, right.bottom - iterations - gap});
  draw_iterations_panel(frame, {right.left, right.bottom - iterations, right.right, right.bottom});
  draw_table_panel(frame, {content.left, charts_bottom + gap, content.right, content.bottom},
                   tables);
}

void CompareView::draw_waterfall_panel(Frame& frame, const Box& box) {
  draw_surface(frame, box);
  const Area area = inside(frame, box);
  const float axes = segments_width(frame, kAxes);
  const bool from_zero = from_zero_.value_or(!chart_.needs_zoom());
  if (!chart_.rows.empty()) {
    const auto axis = draw_segments(frame, "compare/axis", area.right() - axes,
                                    area.top - frame.px(4), kAxes, from_zero ? 0 : 1);
    if (axis) from_zero_ = *axis == 0;
  }
  const Area heading{area.left, area.top, area.width - axes - frame.px(8)};
  float left = area.left;
  if (place_.part) {
    left += button_width(frame, "Back") + frame.px(10);
    if (draw_button(frame, "compare/back", area.left, area.top - frame.px(4), "Back")) {
      open(place_.op ? ChangePlace{place_.part, std::nullopt} : ChangePlace{});
    }
  }
  const std::string title = place_.part ? chart_.title : "Difference per iteration and GPU";
  draw_text_cut(frame, frame.fonts().strong, left, area.top, heading.right() - left,
                frame.palette().text, title, CutAt::middle);
  frame.inspector.record_value("compare/waterfall/title", title);
  const float top = area.top + frame.px(kControlHeight);
  const ChangeChartResult result =
      draw_change_chart(frame, {box.left, top, box.right, box.bottom - frame.px(6)}, chart_, place_,
                        from_zero, selected_op());
  if (result.opened) open(*result.opened);
}

void CompareView::draw_distribution_panel(Frame& frame, const Box& box) {
  draw_surface(frame, box);
  const Area area = inside(frame, box);
  const ChangePlace place = looked_at();
  std::string title = "Iterations";
  if (place.op) {
    title = used_pair_->name_of(bar_of(*place.op));
  } else if (place.part) {
    title = aggregate::title_of(*place.part);
  }
  const Histograms* spread = spread_.get().get();
  const float scales = segments_width(frame, kScales);
  if (const auto scale =
          draw_segments(frame, "compare/scale", area.right() - scales, area.top - frame.px(4),
                        kScales, spread != nullptr && spread->is_log ? 1 : 0)) {
    is_log_ = *scale == 1;
  }
  draw_text_cut(frame, frame.fonts().strong, area.left, area.top, area.width - scales - frame.px(8),
                frame.palette().text, title, CutAt::middle);
  frame.inspector.record_value("compare/distribution/title", title);
  const float top = area.top + frame.px(kControlHeight);
  if (spread == nullptr) return;
  draw_histograms(frame, {area.left, top, area.right(), box.bottom - frame.px(4)}, *spread);
}

void CompareView::draw_iterations_panel(Frame& frame, const Box& box) {
  draw_surface(frame, box);
  const float inset = frame.px(10);
  const float apart = box.height() > frame.px(kLowIterationsHeight) ? inset : frame.px(6);
  chart_before_.prepare(*before_.run);
  chart_after_.prepare(*after_.run);
  const double top_ns = std::max(chart_before_.fitting_top_ns(), chart_after_.fitting_top_ns());
  const float height = std::round((box.height() - 3 * apart) / 2);
  const float most = std::round(box.width() * kMostRangeShare);
  float texts = frame.px(kRangeWidth) - frame.px(8);
  for (const auto& [chart, side] :
       {std::pair(&chart_before_, &before_), {&chart_after_, &after_}}) {
    const std::string part = prepare_strip_text(chart->iterations(), side->range).part;
    texts = std::max(texts, std::ceil(text_width(frame.fonts().small, part)));
  }
  texts = std::min(texts, most);
  Box line{box.left + inset, box.top + apart, box.right - inset, box.top + apart + height};
  draw_iterations(frame, line, before_, chart_before_, top_ns, texts, false);
  line.top += height + apart;
  line.bottom += height + apart;
  draw_iterations(frame, line, after_, chart_after_, top_ns, texts, true);
}

void CompareView::draw_iterations(Frame& frame, const Box& line, const CompareSide& side,
                                  StripChart& chart, double top_ns, float width, bool is_after) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  const std::string path = fmt::format("compare/iterations_{}", is_after ? "after" : "before");
  const StripText text = prepare_strip_text(chart.iterations(), side.range);
  const std::string word = is_after ? "After" : "Before", range = range_text(side.range);
  const float small = line_height(fonts.small), usual = line_height(fonts.text);
  // As much as fits: side and range in one line, in two, and the part of all iterations.
  if (line.height() < small + usual) {
    const float y = std::round((line.top + line.bottom - usual) / 2);
    draw_text(fonts.text, line.left, y, colors.dim, word);
    const float beside = text_width(fonts.text, "Before") + frame.px(8);
    draw_text_cut(frame, fonts.text, line.left + beside, y, width - beside, colors.text, range,
                  CutAt::end);
  } else {
    draw_text(fonts.small, line.left, line.top, colors.dim, word);
    draw_text_cut(frame, fonts.text, line.left, line.top + small, width, colors.text, range,
                  CutAt::end);
    if (line.height() >= 2 * small + usual - frame.px(2)) {
      draw_text_cut(frame, fonts.small, line.left, line.top + small + usual, width, colors.dim,
                    text.part, CutAt::end);
    }
  }
  frame.inspector.record_value(path + "/range", range);
  const Box plot{line.left + width + frame.px(8), line.top, line.right, line.bottom};
  const auto dragged = chart.draw(frame, *side.run, path, plot, bars(), {}, top_ns);
  if (!dragged) return;
  const aggregate::Selection selection = side.run->selection.with_range(*dragged);
  if (side.run == &frame.model) {
    frame.host.select(selection);
  } else {
    frame.host.select_in_run(side.run->run, selection);
  }
}

void CompareView::draw_table_panel(Frame& frame, const Box& box, Tables& tables) {
  const CompareData* data = data_.get().get();
  const std::array<std::shared_ptr<const TableData>, 4> all{
      data ? data->ops : nullptr, data ? data->kernels : nullptr, data ? data->matching : nullptr,
      data ? data->checks : nullptr};
  float top = box.top;
  if (half_pair_) {
    const std::string text =
        fmt::format("Pair {}: right-click an op {} the change", half_pair_->name,
                    half_pair_->before == profile::kNoRow ? "before" : "after");
    const float cancel = button_width(frame, "Cancel");
    draw_text_cut(frame, frame.fonts().text, box.left,
                  top + (frame.px(kControlHeight) - font_size(frame.fonts().text)) / 2,
                  box.width() - cancel - frame.px(8), frame.palette().attention, text,
                  CutAt::middle);
    frame.inspector.record_value("compare/half_pair", text);
    if (draw_button(frame, "compare/cancel_pair", box.right - cancel, top, "Cancel")) {
      half_pair_.reset();
    }
    top += frame.px(kControlHeight) + frame.px(6);
  }
  table().draw(frame, {box.left, top, box.right, box.bottom}, all[shown_table_], tables);
  // In the place of its title.
  if (const auto chosen = draw_segments(frame, "compare/table", box.left + frame.px(kPadding),
                                        top + frame.px(10), kTables, shown_table_)) {
    shown_table_ = *chosen;
  }
}

}  // namespace dlview::ui
