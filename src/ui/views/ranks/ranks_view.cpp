#include "ui/views/ranks/ranks_view.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/units.h"
#include "report/ranks/rank_tables.h"
#include "ui/chart/bars.h"
#include "ui/chart/categories.h"
#include "ui/pages.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/menu.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

constexpr float kMapShare = 0.6f;  // of the height
constexpr float kLeastMap = 220, kLeastRankTable = 150;
constexpr std::array<Segment, 2> kRankTables{{{"ranks", "Ranks"}, {"collectives", "Collectives"}}};

ColumnLook rank_column(const char* id, float width, bool shown = true) {
  ColumnLook look;
  look.id = id;
  look.width = width;
  look.shown = shown;
  return look;
}

ColumnLook rank_text(const char* id, float width, float share, bool shown = true) {
  ColumnLook look = rank_column(id, width, shown);
  look.share = share;
  look.cut = CutAt::middle;
  return look;
}

TableLook rank_table_look() {
  TableLook look;
  look.id = "ranks";
  look.noun = "ranks";
  look.key = report::ColumnName(std::string_view("rank"));
  look.when_none = "No rank was read.";
  look.prompt = "Reading ranks…";
  look.frozen = "rank";
  look.columns = {rank_column("rank", 52),
                  rank_text("host", 90, 1),
                  rank_text("gpu", 120, 1),
                  rank_column("device", 62),
                  rank_column("duration", 84),
                  rank_column("own", 84),
                  rank_column("wait", 84),
                  rank_column("exposed_wait", 96),
                  rank_column("blame", 116),
                  rank_column("straggler", 72),
                  rank_text("clock", 150, 1.5f),
                  rank_column("clock_offset", 96, false),
                  rank_column("clock_error", 90, false),
                  rank_text("source", 110, 1, false),
                  rank_text("file", 150, 2)};
  for (ColumnLook& column : look.columns) column.stays = column.id == "rank";
  return look;
}

TableLook collective_table_look() {
  TableLook look;
  look.id = "rank_collectives";
  look.noun = "collectives";
  look.key = report::ColumnName(std::string_view("row"));
  look.when_none = "No synchronizing collective was recorded.";
  look.prompt = "Reading ranks…";
  look.frozen = "collective";
  look.columns = {rank_text("collective", 110, 0),
                  rank_text("group", 120, 1),
                  rank_column("bytes", 78),
                  rank_column("members", 56),
                  rank_column("calls", 64),
                  rank_column("transfer_median", 110),
                  rank_column("transfer_p95", 96),
                  rank_column("skew_median", 96),
                  rank_column("skew_p95", 84),
                  rank_column("skew_sum", 84),
                  rank_column("last_rank", 110),
                  rank_column("last_times", 80),
                  rank_column("algorithm_bandwidth", 130, false),
                  rank_column("bus_bandwidth", 104),
                  rank_column("exposed", 72),
                  rank_column("match_rate", 72)};
  for (ColumnLook& column : look.columns) column.stays = column.id == "last_rank";
  return look;
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

RanksView::RanksView() : ranks_(rank_table_look()), collectives_(collective_table_look()) {}

void RanksView::set_table(const workspace::TableState& state) {
  if (state.table == kMapState) map_.set_state(state.selected);
  if (state.table == kTableState) shown_table_ = state.selected == kRankTables[1].id ? 1 : 0;
  for (DataTable* const table : {&ranks_, &collectives_}) {
    if (state.table == table->model().look().id) table->set(state);
  }
}

std::vector<workspace::TableState> RanksView::table_states() {
  std::vector<workspace::TableState> states;
  if (const std::string map = map_.state(); !map.empty()) states.push_back({kMapState, {}, map});
  if (shown_table_ != 0) states.push_back({kTableState, {}, std::string(kRankTables[1].id)});
  for (DataTable* const table : {&ranks_, &collectives_}) {
    if (table->is_changed()) states.push_back(table->state());
  }
  return states;
}

void RanksView::draw_tables(Frame& frame, const Box& box, Tables& tables) {
  if (!frame.model.ranks) return;
  const workspace::RankModel& model = *frame.model.ranks;
  if (read_ != model.read) {
    read_ = model.read;
    learn_head();
  }
  if (!read_ || !read_->figures) return draw_nothing(frame, box, model);
  const float gap = frame.px(kGap);
  const float top = draw_head(frame, box, model) + gap;
  const Box content{box.left + gap, top, box.right - gap, box.bottom - gap};
  if (!map_.want(read_->figures, tables.background)) return;
  const float map =
      std::clamp(std::round(content.height() * kMapShare), frame.px(kLeastMap),
                 std::max(frame.px(kLeastMap), content.height() - frame.px(kLeastRankTable) - gap));
  const bool has_tables = frame.model.profile && frame.model.aggregation;
  if (!has_tables) {
    const float line = frame.px(kControlHeight);
    draw_map(frame, {content.left, content.top, content.right, content.bottom - line}, tables);
    return draw_table_panel(
        frame, {content.left, content.bottom - line, content.right, content.bottom}, tables);
  }
  // A few ranks need less.
  const float bottom =
      content.top + std::min(map, std::max(frame.px(kLeastMap), map_.height(frame)));
  draw_map(frame, {content.left, content.top, content.right, bottom}, tables);
  draw_table_panel(frame, {content.left, bottom + gap, content.right, content.bottom}, tables);
}

void RanksView::draw_map(Frame& frame, const Box& box, Tables& tables) {
  const MapRequest request = map_.draw(
      frame, box,
      {read_->figures, &read_->paths, frame.model.ranks->active_path, active_rank(frame.model)},
      bars(), tables.background);
  if (request.rank) click(frame, *request.rank, request.iteration);
  if (request.range) select_range(frame, request.range->first, request.range->second);
}

std::optional<std::size_t> RanksView::active_rank(const Model& model) const {
  if (!model.profile || !model.aggregation || !model.ranks || model.ranks->active_path.empty()) {
    return std::nullopt;
  }
  const ranks::RankTimes& times = read_->figures->times;
  const auto& rows = model.aggregation->iteration_table->iterations.rows;
  std::optional<std::size_t> by_file;
  for (std::size_t rank = 0; rank < read_->paths.size(); ++rank) {
    if (read_->paths[rank] != model.ranks->active_path || times.numbers.empty()) continue;
    if (!by_file) by_file = rank;
    const int64_t first = times.start_ns.at(rank, 0);
    const auto same = std::ranges::find(rows, first, &aggregate::Iteration::start_ns);
    if (same != rows.end()) return rank;
  }
  return by_file;
}

void RanksView::click(Frame& frame, std::size_t rank, std::optional<std::size_t> column) const {
  const std::string& path = read_->paths[rank];
  if (path.empty()) {
    return frame.host.notify(fmt::format("The profile of rank {} is not at hand: {}",
                                         read_->figures->times.ranks[rank],
                                         read_->figures->part_of(rank).head.file));
  }
  std::optional<int64_t> iteration;
  if (column) iteration = iteration_in_profile(*read_->figures, rank, *column);
  if (path != frame.model.ranks->active_path) return frame.host.show_rank(path, iteration);
  if (iteration && active_rank(frame.model)) frame.host.select_iteration(iteration);
}

// Of the active run, if its iterations are those of the map.
void RanksView::select_range(Frame& frame, std::size_t first, std::size_t last) const {
  const Model& model = frame.model;
  const std::optional<std::size_t> rank = active_rank(model);
  if (!rank) return frame.host.notify("No profile of these ranks is open: no range to select.");
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
        "The profile is split into other iterations than the ranks: no range was selected.");
  }
  frame.host.select(model.selection.with_range({from, to}));
}

void RanksView::draw_table_panel(Frame& frame, const Box& box, Tables& tables) {
  const Model& model = frame.model;
  if (!model.profile || !model.aggregation) {
    draw_text_in(frame.fonts().text,
                 {box.left + frame.px(kPadding), box.top, box.right, box.bottom},
                 frame.palette().dim,
                 "Tables need the profile of a rank. dlview ranks lists them on the command line.");
    return;
  }
  if (box.height() < frame.px(60)) return;
  if (const auto chosen =
          draw_segments(frame, "ranks/table", box.left, box.top, kRankTables, shown_table_)) {
    shown_table_ = *chosen;
  }
  const Box below{box.left, box.top + frame.px(kControlHeight + 6), box.right, box.bottom};
  const std::tuple wanted{read_->figures, model.aggregation};
  if (tables_of_ != wanted) {
    tables_of_ = wanted;
    const auto data_of = [&](report::Table table) {
      TableData data;
      data.profile = model.profile;
      data.aggregation = model.aggregation;
      data.table = std::move(table);
      return std::make_shared<const TableData>(std::move(data));
    };
    ranks_data_ = data_of(report::make_ranks(read_->figures));
    report::Table calls = report::make_rank_collectives(read_->figures);
    calls.columns.push_back(report::text_column(
        "row", "Row", [](std::size_t row) -> report::Cell { return fmt::format("{}", row); }));
    collectives_data_ = data_of(std::move(calls));
  }
  table().draw(frame, below, shown_table_ == 0 ? ranks_data_ : collectives_data_, tables);
}

}  // namespace dlview::ui
