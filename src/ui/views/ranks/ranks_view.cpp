#include "ui/views/ranks/ranks_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/units.h"
#include "report/ranks/rank_tables.h"
#include "ui/views/ranks/rank_looks.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/menu.h"
#include "ui/widgets/panel.h"

namespace dlview::ui {
namespace {

// Of the height; the same above tables and charts, so that tabs stay where they are.
constexpr float kMapShare = 0.45f;
constexpr float kLeastMap = 220, kLeastPanel = 150;
constexpr float kCallsShare = 0.5f;  // of the width, beside the table

constexpr std::array<Segment, 5> kPanels{{{"ranks", "Ranks"},
                                          {"collectives", "Collectives"},
                                          {"timeline", "Timeline"},
                                          {"ops", "Ops of all ranks"},
                                          {"kernels", "Kernels of all ranks"}}};

std::shared_ptr<const TableData> data_of(report::Table table) {
  table.columns.push_back(report::text_column(
      "row", "Row", [](std::size_t row) -> report::Cell { return fmt::format("{}", row); }));
  TableData data;
  data.table = std::move(table);
  return std::make_shared<const TableData>(std::move(data));
}

}  // namespace

int64_t iteration_in_profile(const ranks::RunFigures& run, std::size_t rank, std::size_t column) {
  for (const ranks::RankPart& part : run.summary.parts) {
    if (part.head.rank != run.times.ranks[rank]) continue;
    const std::vector<int64_t> numbers = part.column(ranks::RowColumn::number);
    const auto found = std::ranges::find(numbers, run.times.numbers[column]);
    if (found != numbers.end()) return part.first + (found - numbers.begin());
  }
  return 0;
}

RanksView::RanksView()
    : ranks_(with_actions(ranks_look())),
      collectives_(rank_collectives_look()),
      ops_(rank_ops_look()),
      kernels_(rank_kernels_look()) {}

TableLook RanksView::with_actions(TableLook look) {
  look.actions = [this](CopyMenu& menu, Host& host, const TableData&, std::size_t row) {
    if (read_ && read_->figures && row < read_->paths.size()) {
      menu.action("open", "Open the profile of this rank",
                  [this, &host, row] { open_rank(host, row, std::nullopt); });
    }
  };
  return look;
}

DataTable& RanksView::table() {
  switch (panel_) {
    case Panel::collectives:
      return collectives_;
    case Panel::ops:
      return ops_;
    case Panel::kernels:
      return kernels_;
    case Panel::ranks:
    case Panel::timeline:
      break;
  }
  return ranks_;
}

void RanksView::set_table(const workspace::TableState& state) {
  if (state.table == kMapState) map_.set_state(state.selected);
  if (state.table == kOnlyState) {
    if (auto only = ranks::parse_rank_set(state.selected)) wanted_only_ = *std::move(only);
  }
  if (state.table == kPanelState) {
    const auto panel = std::ranges::find(kPanels, state.selected, &Segment::id);
    if (panel != kPanels.end()) panel_ = static_cast<Panel>(panel - kPanels.begin());
  }
  for (DataTable* const table : {&ranks_, &collectives_, &ops_, &kernels_}) {
    if (state.table == table->model().look().id) table->set(state);
  }
}

std::vector<workspace::TableState> RanksView::table_states() {
  std::vector<workspace::TableState> states;
  if (const std::string map = map_.state(); !map.empty()) states.push_back({kMapState, {}, map});
  if (read_ && read_->figures && !read_->figures->only.empty()) {
    states.push_back({kOnlyState, {}, read_->figures->only.text()});
  }
  if (panel_ != Panel::ranks) {
    states.push_back({kPanelState, {}, std::string(kPanels[static_cast<std::size_t>(panel_)].id)});
  }
  for (DataTable* const table : {&ranks_, &collectives_, &ops_, &kernels_}) {
    if (table->is_changed()) states.push_back(table->state());
  }
  return states;
}

void RanksView::learn_run() {
  learn_head();
  ranks_data_ = collectives_data_ = ops_data_ = kernels_data_ = nullptr;
  if (!read_ || !read_->figures) return;
  const ranks::SharedRunFigures& run = read_->figures;
  ranks_data_ = data_of(report::make_ranks(run));
  collectives_data_ = data_of(report::make_rank_collectives(run));
  ops_data_ = data_of(report::make_rank_ops(run));
  kernels_data_ = data_of(report::make_rank_kernels(run));
}

void RanksView::draw_tables(Frame& frame, const Box& box, Tables& tables) {
  if (!frame.model.ranks) return;
  const workspace::RankModel& model = *frame.model.ranks;
  if (read_ != model.read) {
    read_ = model.read;
    learn_run();
  }
  if (!read_ || !read_->figures) return draw_nothing(frame, box, model);
  if (wanted_only_) frame.host.only_ranks(*std::exchange(wanted_only_, std::nullopt));
  if (tables.command == TableCommand::ranks_next_skew) {
    tables.command.reset();
    panel_ = Panel::timeline;
    timeline_.find_next_skew();
  }
  const float gap = frame.px(kGap);
  const float top = draw_head(frame, box, model) + gap;
  const Box content{box.left + gap, top, box.right - gap, box.bottom - gap};
  if (!map_.want(read_->figures, tables.background)) return;
  const float least = frame.px(kLeastMap);
  const float most = std::max(least, content.height() - frame.px(kLeastPanel) - gap);
  const float map = std::clamp(std::round(content.height() * kMapShare), least, most);
  // A few ranks need less.
  const float bottom = content.top + std::min(map, std::max(least, map_.height(frame)));
  draw_map(frame, {content.left, content.top, content.right, bottom}, tables);
  draw_panel(frame, {content.left, bottom + gap, content.right, content.bottom}, tables);
}

void RanksView::draw_panel(Frame& frame, const Box& box, Tables& tables) {
  if (box.height() < frame.px(60)) return;
  const auto chosen = draw_segments(frame, "ranks/table", box.left, box.top, kPanels,
                                    static_cast<std::size_t>(panel_));
  if (chosen) panel_ = static_cast<Panel>(*chosen);
  if (panel_ == Panel::timeline) RankTimeline::draw_legend(frame, box.right, box.top);
  const Box below{box.left, box.top + frame.px(kControlHeight + 6), box.right, box.bottom};
  switch (panel_) {
    case Panel::ranks:
      return ranks_.draw(frame, below, ranks_data_, tables);
    case Panel::collectives:
      return draw_collectives(frame, below, tables);
    case Panel::timeline:
      return draw_timeline(frame, below, tables);
    case Panel::ops:
      return ops_.draw(frame, below, ops_data_, tables);
    case Panel::kernels:
      return kernels_.draw(frame, below, kernels_data_, tables);
  }
}

void RanksView::draw_collectives(Frame& frame, const Box& box, Tables& tables) {
  const float middle = std::round(box.left + box.width() * kCallsShare);
  const float gap = frame.px(kGap);
  collectives_.draw(frame, {box.left, box.top, middle, box.bottom}, collectives_data_, tables);
  const ranks::SharedRunFigures& run = read_->figures;
  std::optional<std::size_t> row = collectives_.model().selected_row();
  if (row && *row >= run->collectives.size()) row.reset();
  const auto chosen = calls_.draw(frame, {middle + gap, box.top, box.right, box.bottom}, run, row,
                                  bars(), tables.background);
  if (chosen.row) {
    workspace::TableState state = collectives_.state();
    state.selected = fmt::format("{}", *chosen.row);
    collectives_.set(state);
    collectives_.reveal_selected();
  }
  if (chosen.call && row) {
    timeline_.show_call(run->collectives[*row].group, chosen.call->place);
    panel_ = Panel::timeline;
  }
}

void RanksView::draw_timeline(Frame& frame, const Box& box, Tables& tables) {
  RankTimeline::Shown shown;
  shown.run = read_->figures;
  shown.model = &*frame.model.ranks;
  shown.active = frame.model.ranks->active;
  shown.ranks = timeline_ranks(*shown.run, read_->paths, shown.active);
  shown.iteration = selected_column(frame.model, shown.active);
  frame.host.want_rank_timelines(shown.ranks);
  const MapRequest request = timeline_.draw(frame, box, shown, bars(), tables.background);
  if (request.rank) open_rank(frame.host, *request.rank, std::nullopt);
}

void RanksView::draw_map(Frame& frame, const Box& box, Tables& tables) {
  const std::optional<std::size_t> active = frame.model.ranks->active;
  const MapRequest request =
      map_.draw(frame, box,
                {read_->figures, &read_->paths, frame.model.ranks->active_path, active,
                 selected_column(frame.model, active)},
                bars(), tables.background);
  if (request.rank) open_rank(frame.host, *request.rank, request.iteration);
  if (request.range) select_range(frame, request.range->first, request.range->second);
  if (!request.only.empty()) {
    std::vector<int64_t> only;
    for (const std::size_t rank : request.only) only.push_back(read_->figures->times.ranks[rank]);
    frame.host.only_ranks(ranks::RankSet(only));
  }
}

std::optional<std::size_t> RanksView::selected_column(const Model& model,
                                                      std::optional<std::size_t> active) const {
  if (!active || !model.aggregation || !model.compared.iteration) return std::nullopt;
  const auto& rows = model.aggregation->iteration_table->iterations.rows;
  const auto row = static_cast<std::size_t>(*model.compared.iteration);
  if (row >= rows.size()) return std::nullopt;
  const ranks::RankMatrix& starts = read_->figures->times.start_ns;
  for (std::size_t column = 0; column < starts.iterations(); ++column) {
    if (starts.at(*active, column) == rows[row].start_ns) return column;
  }
  return std::nullopt;
}

void RanksView::open_rank(Host& host, std::size_t rank, std::optional<std::size_t> column) const {
  const std::string& path = read_->paths[rank];
  const int64_t number = read_->figures->times.ranks[rank];
  if (path.empty()) {
    return host.notify(fmt::format("Profile of rank {} not found: {}", number,
                                   read_->figures->part_of(rank).head.file));
  }
  std::optional<int64_t> iteration;
  if (column) iteration = iteration_in_profile(*read_->figures, rank, *column);
  host.show_rank({path, number, iteration});
}

// Of the active run, if its iterations are those of the map.
void RanksView::select_range(Frame& frame, std::size_t first, std::size_t last) const {
  const Model& model = frame.model;
  const std::optional<std::size_t> rank = model.ranks->active;
  if (!rank || !model.aggregation)
    return frame.host.notify("Open a profile of this run to select a range.");
  const ranks::RunFigures& run = *read_->figures;
  const int64_t from = iteration_in_profile(run, *rank, first);
  const int64_t to = iteration_in_profile(run, *rank, last);
  const auto& rows = model.aggregation->iteration_table->iterations.rows;
  const auto agrees = [&](int64_t iteration, std::size_t column) {
    const auto at = static_cast<std::size_t>(iteration);
    return at < rows.size() && rows[at].start_ns == run.times.start_ns.at(*rank, column);
  };
  if (!agrees(from, first) || !agrees(to, last)) {
    return frame.host.notify(
        "Range not selected: the profile and the ranks are split into different iterations.");
  }
  frame.host.select(model.selection.with_range({from, to}));
}

}  // namespace dlview::ui
