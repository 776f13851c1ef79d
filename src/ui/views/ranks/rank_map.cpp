#include "ui/views/ranks/rank_map.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/chart/categories.h"
#include "ui/chart/round_step.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

using ranks::MeanIteration;

constexpr float kNamesWidth = 176, kRankBarsWidth = 220, kCostsHeight = 44, kLegendHeight = 22,
                kMapAxisHeight = 18;
constexpr float kMostRow = 34;
constexpr std::size_t kQuickCells = 1'000'000;
constexpr float kThinnestBar = 8;  // that leaves room to the next row
constexpr std::size_t kTransfer = MeanIteration::kTransfer, kWait = MeanIteration::kWait;

Color color_of_part(const Palette& colors, std::size_t part) {
  if (part >= kTransfer) return colors.tone(Tone::communication);
  return colors.tone(tone_of(static_cast<aggregate::Category>(part)));
}

std::string title_of_part(std::size_t part) {
  if (part == kTransfer) return "Exposed transfer";
  if (part == kWait) return "Exposed wait";
  return category_label(static_cast<aggregate::Category>(part));
}

}  // namespace

std::string name_of_rank(const ranks::RunFigures& run, std::size_t rank) {
  const ranks::RankHead& head = run.part_of(rank).head;
  std::string name = fmt::format("{}", run.times.ranks[rank]);
  if (!head.host.empty()) name += " · " + head.host;
  if (head.first_device >= 0) name += fmt::format(" · GPU {}", head.first_device);
  return name;
}

bool RankMap::want(const ranks::SharedRunFigures& run, Background& background) {
  // By similarity costs many passes.
  const std::size_t most = order_ == MapOrder::similarity ? kQuickCells / 16 : kQuickCells;
  content_.want({run, value_, order_}, run->rank_count() * run->times.numbers.size() <= most,
                background, [run, value = value_, order = order_](const base::Progress&) {
                  auto made = std::make_shared<Content>();
                  made->run = run;
                  made->cells = make_map_cells(*run, value, order);
                  made->bars = ranks::mean_iterations(run->times);
                  std::vector<int64_t> own;
                  for (const MeanIteration& bar : made->bars) {
                    made->longest_bar_ns =
                        std::max(made->longest_bar_ns, bar.own_ns + bar.parts_ns[kWait]);
                    own.push_back(static_cast<int64_t>(bar.own_ns));
                  }
                  made->median_own_ns = static_cast<double>(ranks::lower_median(own));
                  for (const std::size_t rank : made->cells.rows) {
                    made->names.push_back(name_of_rank(*run, rank));
                  }
                  return std::shared_ptr<const Content>(std::move(made));
                });
  const auto content = content_.get();
  if (!content) return false;
  // Rows and columns of what was shown before may be others.
  const ranks::RankTimes &shown = content->run->times, &wanted = run->times;
  return content->run == run || (shown.ranks == wanted.ranks && shown.numbers == wanted.numbers);
}

float RankMap::height(const Frame& frame) const {
  return frame.px(kMostRow) * static_cast<float>(content_.get()->cells.rows.size()) +
         frame.px(kControlHeight + kCostsHeight + kMapAxisHeight + kLegendHeight + 52);
}

std::string RankMap::state() const {
  if (value_ == MapValue::deviation && order_ == MapOrder::rank) return "";
  return fmt::format("{}/{}", name_of(value_), name_of(order_));
}

void RankMap::set_state(std::string_view text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  for (std::size_t v = 0; v < kMapValues; ++v) {
    const auto value = static_cast<MapValue>(v);
    if (text.substr(0, slash) == name_of(value)) value_ = value;
  }
  for (std::size_t o = 0; o < kMapOrders && slash < text.size(); ++o) {
    const auto order = static_cast<MapOrder>(o);
    if (text.substr(slash + 1) == name_of(order)) order_ = order;
  }
}

void RankMap::draw_controls(Frame& frame, const Box& box) {
  std::vector<Segment> values, orders;
  for (std::size_t v = 0; v < kMapValues; ++v) {
    values.push_back({name_of(static_cast<MapValue>(v)), title_of(static_cast<MapValue>(v))});
  }
  for (std::size_t o = 0; o < kMapOrders; ++o) {
    orders.push_back({name_of(static_cast<MapOrder>(o)), title_of(static_cast<MapOrder>(o))});
  }
  const auto value = draw_segments(frame, "ranks/value", box.left, box.top, values,
                                   static_cast<std::size_t>(value_));
  const auto order = draw_segments(frame, "ranks/order", box.right - segments_width(frame, orders),
                                   box.top, orders, static_cast<std::size_t>(order_));
  if (window_ != MapWindow()) {
    const float right = box.right - segments_width(frame, orders) - frame.px(12);
    const std::string all = "Show all";
    if (draw_button(frame, "ranks/all", right - button_width(frame, all), box.top, all))
      window_ = {};
  }
  if (value) value_ = static_cast<MapValue>(*value);
  if (order) order_ = static_cast<MapOrder>(*order);
}

MapRequest RankMap::draw(Frame& frame, const Box& box, const Shown& shown, BarLayer& layer,
                         Background& background) {
  MapRequest request;
  fill(box, frame.palette().panel, frame.px(kRounding));
  outline(box, frame.palette().line, frame.px(kRounding));
  const float padding = frame.px(kPadding), gap = frame.px(12);
  float y = box.top + frame.px(10);
  draw_controls(frame, {box.left + padding, y, box.right - padding, y + frame.px(kControlHeight)});
  y += frame.px(kControlHeight) + gap;
  Layout layout;
  layout.legend = {box.left + padding, box.bottom - padding - frame.px(kLegendHeight),
                   box.right - padding, box.bottom - padding};
  const float left = box.left + padding + frame.px(kNamesWidth);
  const float right = box.right - padding - frame.px(kRankBarsWidth) - gap;
  const float costs_bottom = layout.legend.top - frame.px(4 + kMapAxisHeight);
  layout.costs = {left, costs_bottom - frame.px(kCostsHeight), right, costs_bottom};
  layout.plot = {left, y, right, layout.costs.top - frame.px(6)};
  const float most = frame.px(kMostRow) * static_cast<float>(content_.get()->cells.rows.size());
  layout.plot.bottom = std::min(layout.plot.bottom, layout.plot.top + most);
  layout.names = {box.left + padding, y, left - frame.px(8), layout.plot.bottom};
  layout.bars = {right + gap, y, box.right - padding, layout.plot.bottom};
  if (layout.plot.width() < 8 || layout.plot.height() < 8) return request;
  const auto content = content_.get();
  const auto width = static_cast<std::size_t>(layout.plot.width());
  const auto height = static_cast<std::size_t>(layout.plot.height());
  const MapWindow window = window_of_ == shown.run ? window_ : MapWindow();
  if (window_of_ != shown.run) drag_from_.reset();
  window_of_ = shown.run;
  window_ = window;
  pixels_.want({content, width, height, window.rows, window.iterations},
               content->cells.values.size() <= kQuickCells, background,
               [content, width, height, window](const base::Progress&) {
                 return std::make_shared<const MapPixels>(
                     make_map_pixels(content->cells, width, height, window));
               });
  // Of cells that were shown before, until these are there.
  if (!pixels_.get() || pixels_.is_late()) {
    if (pixels_.get()) draw_legend(frame, layout);
    return request;
  }
  draw_names(frame, layout, shown);
  draw_cells(frame, layout, layer);
  draw_selected(frame, layout.plot, shown);
  draw_bars(frame, layout, layer, request);
  draw_costs(frame, layout, shown, layer);
  draw_axis(frame, layout, shown);
  draw_legend(frame, layout);
  point(frame, layout, shown, request);
  return request;
}

void RankMap::draw_names(Frame& frame, const Layout& layout, const Shown& shown) const {
  const Palette& colors = frame.palette();
  const MapAxis& down = pixels_.get()->down;
  const float height = layout.plot.height() / static_cast<float>(down.count);
  const float line = line_height(frame.fonts().text);
  const auto step = static_cast<std::size_t>(std::max(1.0f, std::ceil(line / height)));
  // In the middle of its row, also where that is lower than the text.
  const auto name_top = [&](std::size_t place) {
    return layout.plot.top + (static_cast<float>(place) + 0.5f) * height - line / 2;
  };
  std::vector<float> taken;
  const auto draw_name = [&](std::size_t place, Color color) {
    const float top = name_top(place);
    const auto is_in_way = [&](float other) { return std::abs(top - other) < line; };
    if (step > 1 && std::ranges::any_of(taken, is_in_way)) return;
    taken.push_back(top);
    const std::size_t row = down.first + place;
    const std::string& name = content_.get()->names[row];
    draw_text_cut(frame, frame.fonts().text, layout.names.left, std::round(top),
                  layout.names.width(), color, name, CutAt::middle);
    frame.inspector.record_value(fmt::format("ranks/row/{}", row), name);
  };
  // The active rank and the slow one have their names, and those that would be in their way do not.
  std::optional<std::size_t> active, slow;
  for (std::size_t place = 0; place < down.count; ++place) {
    const std::size_t rank = rank_at(down.first + place);
    if (shown.active == rank) active = place;
    if (shown.run->stragglers.rank == rank) slow = place;
  }
  if (active) {
    const float top = layout.plot.top + std::floor(static_cast<float>(*active) * height);
    fill({layout.names.left - frame.px(8), top, layout.names.left - frame.px(5),
          top + std::max(frame.px(3), height - 1)},
         colors.accent);
    draw_name(*active, colors.text);
  }
  if (slow && slow != active) draw_name(*slow, colors.dim);
  for (std::size_t place = 0; place < down.count; place += step) {
    if (place != active && place != slow) draw_name(place, colors.dim);
  }
}

void RankMap::draw_cells(Frame& frame, const Layout& layout, BarLayer& layer) {
  const Box& plot = layout.plot;
  const DrawingKey wanted{pixels_.get(), &frame.palette(), plot.left,
                          plot.top,      plot.right,       plot.bottom};
  if (drawing_of_ != wanted) {
    drawing_of_ = wanted;
    drawing_ = make_map_drawing(*pixels_.get(), is_two_sided(), frame.palette(),
                                {plot.left, plot.top, plot.right, plot.bottom, 0});
  }
  for (const render::Rectangle& part : drawing_.unknown) {
    hatch(frame, {part.left, part.top, part.right, part.bottom}, frame.palette().faint);
  }
  layer.add(*ImGui::GetWindowDrawList(), drawing_.cells);
}

// A frame around the selected iteration of the active rank, large enough to be seen.
void RankMap::draw_selected(Frame& frame, const Box& plot, const Shown& shown) const {
  if (!shown.active || !shown.selected) return;
  const std::vector<std::size_t>& rows = content_.get()->cells.rows;
  const auto row = static_cast<std::size_t>(std::ranges::find(rows, *shown.active) - rows.begin());
  const MapPixels& pixels = *pixels_.get();
  const auto is_in = [](const MapAxis& axis, std::size_t cell) {
    return axis.first <= cell && cell < axis.first + axis.count;
  };
  if (!is_in(pixels.down, row) || !is_in(pixels.across, *shown.selected)) return;
  const auto edge = [](const MapAxis& axis, std::size_t cell, float length) {
    return std::floor(static_cast<float>(static_cast<double>(cell - axis.first) /
                                         static_cast<double>(axis.count)) *
                      length);
  };
  const float least = frame.px(4);
  Box cell;
  cell.left = plot.left + edge(pixels.across, *shown.selected, plot.width()) - 1;
  cell.top = plot.top + edge(pixels.down, row, plot.height()) - 1;
  cell.right = std::max(cell.left + least,
                        plot.left + edge(pixels.across, *shown.selected + 1, plot.width()));
  cell.bottom = std::max(cell.top + least, plot.top + edge(pixels.down, row + 1, plot.height()));
  outline(cell, frame.palette().bound);
  frame.inspector.record_item("ranks/selected", {cell.left, cell.top, cell.right, cell.bottom});
}

// The mean iteration of each rank; where several share a pixel, that with the most own work.
void RankMap::draw_bars(Frame& frame, const Layout& layout, BarLayer& layer,
                        MapRequest& request) const {
  const Content& content = *content_.get();
  const Palette& colors = frame.palette();
  const Box& box = layout.bars;
  if (content.longest_bar_ns <= 0) return;
  const MapAxis& down = pixels_.get()->down;
  const std::size_t bins = down.bins;
  const float per_ns = box.width() / static_cast<float>(content.longest_bar_ns);
  const float spaced = frame.px(kThinnestBar) * static_cast<float>(bins);
  const float gap = box.height() >= spaced ? 1.0f : 0.0f;
  std::vector<render::Rectangle> parts;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    const MeanIteration* bar = nullptr;
    for (std::size_t row = down.begin(bin); row < down.begin(bin + 1); ++row) {
      const MeanIteration& its = content.bars[content.cells.rows[row]];
      if (bar == nullptr || its.own_ns > bar->own_ns) bar = &its;
    }
    const float top = box.top + bin_edge(bin, bins, box.height());
    const float bottom = box.top + bin_edge(bin + 1, bins, box.height()) - gap;
    double sum = 0;
    for (std::size_t part = 0; part < MeanIteration::kParts; ++part) {
      const float left = box.left + std::round(static_cast<float>(sum) * per_ns);
      sum += bar->parts_ns[part];
      const float right = box.left + std::round(static_cast<float>(sum) * per_ns);
      if (right <= left) continue;
      parts.push_back({left, top, right, bottom, color_of_part(colors, part)});
      if (part == kWait && right - left >= 2) {
        parts.back().color = with_opacity(parts.back().color, 0.25f);
        hatch(frame, {left, top, right, bottom}, colors.tone(Tone::communication));
      }
    }
  }
  layer.add(*ImGui::GetWindowDrawList(), std::move(parts));
  const float median = box.left + std::round(static_cast<float>(content.median_own_ns) * per_ns);
  fill({median, box.top - frame.px(3), median + frame.px(1), box.bottom + frame.px(3)},
       colors.bound);
  frame.inspector.record_item("ranks/median", {median, box.top, median + frame.px(1), box.bottom});
  draw_text_cut(frame, frame.fonts().small, box.left, box.bottom + frame.px(6), box.width(),
                colors.dim, "Mean iteration; line: median own work", CutAt::end);
  const Hit hit = hit_area(frame, "ranks/bars", box, Reach::mouse);
  if (!hit.hovered) return;
  const float y = std::clamp(ImGui::GetIO().MousePos.y - box.top, 0.0f, box.height() - 1);
  const auto place = static_cast<std::size_t>(y * static_cast<float>(down.count) / box.height());
  const std::size_t row = down.first + std::min(place, down.count - 1);
  const MeanIteration& bar = content.bars[rank_at(row)];
  std::vector<TooltipRow> lines;
  for (std::size_t part = 0; part < MeanIteration::kParts; ++part) {
    if (bar.parts_ns[part] <= 0) continue;
    lines.push_back({title_of_part(part),
                     base::format_duration(static_cast<int64_t>(bar.parts_ns[part])), "",
                     color_of_part(colors, part)});
  }
  lines.push_back({"Own work", base::format_duration(static_cast<int64_t>(bar.own_ns)), "", 0});
  show_rows_tooltip(
      frame, "Rank " + content.names[row], lines,
      "Mean over the iterations, per GPU. Own work: iteration time minus exposed wait.");
  if (hit.clicked) request.rank = rank_at(row);
}

// What the slowest rank costs in each iteration; where several share a pixel, the most.
void RankMap::draw_costs(Frame& frame, const Layout& layout, const Shown& shown,
                         BarLayer& layer) const {
  const Palette& colors = frame.palette();
  const ranks::Stragglers& found = shown.run->stragglers;
  const Box& box = layout.costs;
  const MapAxis& across = pixels_.get()->across;
  const std::size_t bins = across.bins;
  if (found.cost_ns.size() < across.first + across.count) return;
  std::vector<int64_t> sorted = found.cost_ns;
  const auto place = static_cast<std::ptrdiff_t>((sorted.size() - 1) * 99 / 100);
  std::nth_element(sorted.begin(), sorted.begin() + place, sorted.end());
  // One iteration may be far above the others.
  const int64_t most_ns = std::ranges::max(found.cost_ns);
  const int64_t usual_ns = sorted[static_cast<std::size_t>(place)];
  if (most_ns <= 0) {
    // One rank has nobody to wait for it.
    const std::string none = shown.run->rank_count() > 1 ? "none found" : "needs two ranks";
    draw_text(frame.fonts().text, layout.names.left, layout.plot.bottom + frame.px(6), colors.dim,
              "Cost of the slowest");
    draw_text_cut(frame, frame.fonts().text, layout.names.left,
                  layout.plot.bottom + frame.px(6) + line_height(frame.fonts().text),
                  layout.names.width(), colors.dim, none, CutAt::end);
    return;
  }
  const bool is_clipped = most_ns > 2 * usual_ns;
  const int64_t top_ns = std::max<int64_t>(1, is_clipped ? usual_ns : most_ns);
  const float plot_top = layout.plot.bottom + frame.px(6);
  const float bottom = plot_top + frame.px(kCostsHeight);
  const float gap = layout.plot.width() >= 5 * static_cast<float>(bins) ? 1.0f : 0.0f;
  std::vector<render::Rectangle> bars;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    int64_t cost = 0;
    bool is_found = false;
    for (std::size_t i = across.begin(bin); i < across.begin(bin + 1); ++i) {
      cost = std::max(cost, found.cost_ns[i]);
      is_found = is_found || found.straggler[i] >= 0;
    }
    const double share = std::min(1.0, static_cast<double>(cost) / static_cast<double>(top_ns));
    const float height = std::round(static_cast<float>(share) * frame.px(kCostsHeight));
    if (height < 1) continue;
    bars.push_back({box.left + bin_edge(bin, bins, box.width()), bottom - height,
                    box.left + bin_edge(bin + 1, bins, box.width()) - gap, bottom,
                    is_found ? colors.tone(Tone::cpu) : colors.outside});
  }
  layer.add(*ImGui::GetWindowDrawList(), std::move(bars));
  horizontal_line(box.left, box.right, bottom, colors.line);
  const float line = line_height(frame.fonts().text);
  draw_text(frame.fonts().text, layout.names.left, plot_top, colors.dim, "Cost of the slowest");
  draw_text_cut(
      frame, frame.fonts().text, layout.names.left, plot_top + line, layout.names.width(),
      colors.dim,
      fmt::format("up to {}{}", base::format_duration(most_ns), is_clipped ? " (clipped)" : ""),
      CutAt::end);
  frame.inspector.record_item("ranks/costs", {box.left, plot_top, box.right, bottom});
  explain_cost(frame, {box.left, plot_top, box.right, bottom}, shown);
}

// Numbers of iterations, below the costs.
void RankMap::draw_axis(Frame& frame, const Layout& layout, const Shown& shown) const {
  const MapAxis& across = pixels_.get()->across;
  const std::vector<int64_t>& numbers = shown.run->times.numbers;
  const std::size_t end = across.first + across.count;
  if (numbers.size() < end) return;
  const ImFont* font = frame.fonts().small;
  const float column = layout.plot.width() / static_cast<float>(across.count);
  const float room = text_width(font, fmt::format("{}", numbers[end - 1])) + frame.px(20);
  const auto step =
      static_cast<int64_t>(round_step(std::max(1.0, std::ceil(double{room} / double{column}))));
  const float top = layout.plot.bottom + frame.px(6 + kCostsHeight + 3);
  for (std::size_t i = across.first; i < end; ++i) {
    if (numbers[i] % step != 0) continue;
    const std::string text = fmt::format("{}", numbers[i]);
    const float middle = layout.plot.left + (static_cast<float>(i - across.first) + 0.5f) * column;
    const float left = std::clamp(middle - text_width(font, text) / 2, layout.plot.left,
                                  layout.plot.right - text_width(font, text));
    draw_text(font, std::round(left), top, frame.palette().dim, text);
    frame.inspector.record_value(fmt::format("ranks/axis/{}", numbers[i]), text);
  }
  draw_text(font, layout.names.left, top, frame.palette().dim, "Iteration");
}

void RankMap::explain_cost(Frame& frame, const Box& box, const Shown& shown) const {
  if (!hovered(box)) return;
  const MapAxis& across = pixels_.get()->across;
  const ranks::Stragglers& found = shown.run->stragglers;
  const std::size_t bin = bin_at(ImGui::GetIO().MousePos.x - box.left, box.width(), across.bins);
  std::size_t most = across.begin(bin);
  for (std::size_t i = most; i < across.begin(bin + 1); ++i) {
    if (found.cost_ns[i] > found.cost_ns[most]) most = i;
  }
  const int64_t rank = found.straggler[most];
  std::vector<TooltipText> lines;
  lines.push_back({TooltipStyle::value, base::format_duration(found.cost_ns[most])});
  lines.push_back(
      {TooltipStyle::text, "Own work of the slowest rank minus the median of its peers"});
  lines.push_back(
      {TooltipStyle::text, fmt::format("Iteration {}", shown.run->times.numbers[most])});
  lines.push_back(
      {TooltipStyle::text,
       rank < 0 ? "No rank stands out from chance"
                : "Slowest: rank " + name_of_rank(*shown.run, static_cast<std::size_t>(rank))});
  show_text_tooltip(frame, lines);
}

void RankMap::draw_legend(Frame& frame, const Layout& layout) const {
  const MapCells& cells = content_.get()->cells;
  const Palette& colors = frame.palette();
  const ImFont* font = frame.fonts().small;
  const Box& box = layout.legend;
  const float top = std::round(box.top + (box.height() - line_height(font)) / 2);
  float x = layout.plot.left;
  const auto text = [&](const std::string& words, Color color) {
    draw_text(font, x, top, color, words);
    x += text_width(font, words) + frame.px(8);
  };
  const MapScale& scale = pixels_.get()->scale;
  const bool sides = is_two_sided();
  text(sides ? signed_time(scale.low) : base::format_duration(scale.low), colors.text);
  constexpr int kSwatches = 48;
  const float swatch = frame.px(2);
  for (int s = 0; s < kSwatches; ++s) {
    const double at = static_cast<double>(s) / (kSwatches - 1);
    fill({x, box.top + frame.px(5), x + swatch, box.bottom - frame.px(5)},
         map_color(colors, sides ? 2 * at - 1 : at));
    x += swatch;
  }
  x += frame.px(8);
  text(sides ? signed_time(scale.high) : base::format_duration(scale.high), colors.text);
  x += frame.px(8);
  std::string words = sides ? "Blue: faster, orange: slower than the iteration median" : "";
  if (scale.middle != 0) {
    words = fmt::format("Slowest rank per pixel, minus the iteration median; gray: {}",
                        signed_time(scale.middle));
  }
  if (scale.is_clipped) {
    words += fmt::format("{}clipped at the 1st and 99th percentile", words.empty() ? "" : "; ");
  }
  frame.inspector.record_value("ranks/legend", words);
  text(words, colors.dim);
  if (!cells.has_unknown) return;
  x += frame.px(8);
  hatch(frame, {x, box.top + frame.px(5), x + frame.px(18), box.bottom - frame.px(5)},
        colors.faint);
  x += frame.px(24);
  text("Unknown", colors.dim);
  frame.inspector.record_value("ranks/unknown", "Unknown");
}

}  // namespace dlview::ui
