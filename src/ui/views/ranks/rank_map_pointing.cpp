// What the pointer and the keyboard do on the map of ranks.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/views/ranks/rank_map.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

constexpr double kZoomOfWheel = 0.8;

}  // namespace

// Over iterations, with Shift over ranks.
void RankMap::turn_wheel(const Box& plot) {
  const ImGuiIO& io = ImGui::GetIO();
  const double turned = static_cast<double>(io.MouseWheel != 0 ? io.MouseWheel : io.MouseWheelH);
  if (turned == 0) return;
  const MapCells& cells = content_.get()->cells;
  const double factor = std::pow(kZoomOfWheel, turned);
  if (io.KeyShift || io.MouseWheel == 0) {
    const auto at = static_cast<double>((io.MousePos.y - plot.top) / plot.height());
    window_.rows = zoomed(window_.rows, at, factor, cells.rows.size());
  } else {
    const auto at = static_cast<double>((io.MousePos.x - plot.left) / plot.width());
    window_.iterations = zoomed(window_.iterations, at, factor, cells.iterations);
  }
}

void RankMap::point(Frame& frame, const Layout& layout, const Shown& shown, MapRequest& request) {
  const MapPixels& pixels = *pixels_.get();
  const Box& plot = layout.plot;
  const Hit hit = hit_area(frame, "ranks/map", plot, Reach::chart);
  if (hit.has_ring) walk(frame, plot, shown, request);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (hit.hovered) turn_wheel(plot);
  const std::size_t column = bin_at(mouse.x - plot.left, plot.width(), pixels.columns);
  const std::size_t row = bin_at(mouse.y - plot.top, plot.height(), pixels.rows);
  const MapCell at{pixels.down.begin(row), pixels.across.begin(column)};
  if (hit.held && !drag_from_) drag_from_ = at;
  if (drag_from_ && was_dragged(frame)) drag(frame, plot, at, hit.held, request);
  const bool was_dragging = drag_from_ && was_dragged(frame);
  if (!hit.held) drag_from_.reset();
  if (!hit.hovered || was_dragging) return;
  const ImVec2 moved = ImGui::GetIO().MouseDelta;
  if (moved.x != 0 || moved.y != 0 || !cursor_) cursor_.emplace(row, column);
  if (!hit.has_ring) explain(frame, row, column, "Click", shown);
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (hit.clicked) ask_for(pixels.at(row, column), request);
}

void RankMap::ask_for(const MapPixels::Worst& cell, MapRequest& request) const {
  request.rank = rank_at(cell.row);
  request.iteration = cell.iteration;
}

std::pair<std::size_t, std::size_t> RankMap::first_cursor(const Shown& shown) const {
  const MapPixels& pixels = *pixels_.get();
  const auto bin_of = [](const MapAxis& axis, std::size_t cell) {
    std::size_t bin = 0;
    while (bin + 1 < axis.bins && axis.begin(bin + 1) <= cell) ++bin;
    return bin;
  };
  if (!shown.active) return {0, 0};
  const std::vector<std::size_t>& rows = content_.get()->cells.rows;
  const auto row = static_cast<std::size_t>(std::ranges::find(rows, *shown.active) - rows.begin());
  return {bin_of(pixels.down, row), bin_of(pixels.across, shown.selected.value_or(0))};
}

void RankMap::walk(Frame& frame, const Box& plot, const Shown& shown, MapRequest& request) {
  const MapPixels& pixels = *pixels_.get();
  if (!cursor_) cursor_ = first_cursor(shown);
  auto& [row, column] = *cursor_;
  const auto move = [](std::size_t& place, std::size_t count, ImGuiKey back, ImGuiKey forward) {
    if (pressed(back) && place > 0) --place;
    if (pressed(forward)) ++place;
    place = std::min(place, count - 1);
  };
  move(row, pixels.rows, ImGuiKey_UpArrow, ImGuiKey_DownArrow);
  move(column, pixels.columns, ImGuiKey_LeftArrow, ImGuiKey_RightArrow);
  const float least = frame.px(4);
  Box cell;
  cell.left = plot.left + bin_edge(column, pixels.columns, plot.width()) - 1;
  cell.top = plot.top + bin_edge(row, pixels.rows, plot.height()) - 1;
  cell.right =
      std::max(cell.left + least, plot.left + bin_edge(column + 1, pixels.columns, plot.width()));
  cell.bottom =
      std::max(cell.top + least, plot.top + bin_edge(row + 1, pixels.rows, plot.height()));
  outline(cell, frame.palette().text);
  frame.inspector.record_item("ranks/cursor", {cell.left, cell.top, cell.right, cell.bottom});
  place_next_tooltip(frame, cell);
  explain(frame, row, column, "Press Enter", shown);
  if (pressed(ImGuiKey_Enter)) ask_for(pixels.at(row, column), request);
}

// Along a row iterations, down a column ranks: by the way that the pointer has gone farther.
void RankMap::drag(Frame& frame, const Box& plot, MapCell to, bool is_held,
                   MapRequest& request) const {
  const MapPixels& pixels = *pixels_.get();
  const auto edge = [](const MapAxis& axis, std::size_t cell, float length) {
    // The wheel may have moved the axis away from where the drag began.
    const std::size_t shown = std::clamp(cell, axis.first, axis.first + axis.count) - axis.first;
    return static_cast<float>(static_cast<double>(shown) / static_cast<double>(axis.count)) *
           length;
  };
  const ImVec2 way = ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, 0);
  Box chosen = plot;
  if (std::abs(way.x) >= std::abs(way.y)) {
    const auto [first, last] = std::minmax(drag_from_->iteration, to.iteration);
    chosen.left = plot.left + edge(pixels.across, first, plot.width());
    chosen.right = plot.left + edge(pixels.across, last + 1, plot.width());
    if (!is_held) request.range = std::pair(first, last);
  } else {
    const auto [first, last] = std::minmax(drag_from_->row, to.row);
    if (first == last) return;  // a click whose pointer slipped
    chosen.top = plot.top + edge(pixels.down, first, plot.height());
    chosen.bottom = plot.top + edge(pixels.down, last + 1, plot.height());
    for (std::size_t row = first; row <= last && !is_held; ++row) {
      request.only.push_back(rank_at(row));
    }
  }
  outline(chosen, frame.palette().bound);
}

void RankMap::explain(Frame& frame, std::size_t row, std::size_t column, const std::string& how,
                      const Shown& shown) const {
  const ranks::RunFigures& run = *shown.run;
  const MapPixels& pixels = *pixels_.get();
  const MapPixels::Worst& cell = pixels.at(row, column);
  const std::size_t cells = (pixels.across.begin(column + 1) - pixels.across.begin(column)) *
                            (pixels.down.begin(row + 1) - pixels.down.begin(row));
  const std::size_t rank = rank_at(cell.row);
  std::vector<TooltipText> lines;
  const bool is_known = cell.value != kUnknownCell;
  std::string value = "unknown";
  if (is_known) {
    value = is_two_sided() ? signed_time(cell.value) : base::format_duration(cell.value);
  }
  lines.push_back({TooltipStyle::value, value});
  lines.push_back({TooltipStyle::text, std::string(title_of(value_))});
  lines.push_back({TooltipStyle::name, "Rank " + content_.get()->names[cell.row]});
  lines.push_back(
      {TooltipStyle::text, fmt::format("Iteration {}", run.times.numbers[cell.iteration])});
  if (is_known && run.times.wait_ns.at(rank, cell.iteration) >= 0) {
    lines.push_back(
        {TooltipStyle::text,
         fmt::format(
             "Own work {}, exposed wait {} of {}",
             base::format_duration(run.times.own_ns(rank, cell.iteration)),
             base::format_duration(run.times.least_exposed_wait_ns.at(rank, cell.iteration)),
             base::format_duration(run.times.duration_ns.at(rank, cell.iteration)))});
  } else {
    lines.push_back({TooltipStyle::text, "Wait unknown: calls are missing or do not match."});
  }
  if (cells > 1) {
    lines.push_back({TooltipStyle::text,
                     fmt::format("The {} of {} cells in this pixel",
                                 value_ == MapValue::exposed_wait ? "longest" : "slowest", cells)});
  }
  const std::string& path = (*shown.paths)[rank];
  if (path.empty()) {
    lines.push_back(
        {TooltipStyle::note, fmt::format("Profile not found: {}", run.part_of(rank).head.file)});
  } else {
    lines.push_back({TooltipStyle::note, path == shown.active_path
                                             ? how + " to select the iteration"
                                             : how + " to open this rank"});
  }
  frame.inspector.record_value("ranks/pointed",
                               fmt::format("rank {} iteration {}: {}", run.times.ranks[rank],
                                           run.times.numbers[cell.iteration], value));
  show_text_tooltip(frame, lines);
}

}  // namespace dlview::ui
