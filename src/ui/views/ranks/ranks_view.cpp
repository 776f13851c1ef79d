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

constexpr float kNamesWidth = 176, kRankBarsWidth = 220, kCostsHeight = 44, kLegendHeight = 22;
constexpr float kMapShare = 0.6f;  // of the height
constexpr float kLeastMap = 220, kLeastRankTable = 150;
constexpr float kMostRow = 34;  // of the map
constexpr std::size_t kQuickCells = 1'000'000;
constexpr float kThinnestBar = 8;  // that leaves room to the next row
constexpr std::size_t kShownNotes = 8;
constexpr std::array<Segment, 2> kRankTables{{{"ranks", "Ranks"}, {"collectives", "Collectives"}}};
constexpr std::size_t kTransfer = aggregate::kCategoryCount, kWait = kTransfer + 1;

std::string signed_time(int64_t ns) {
  const std::string text = base::format_duration(ns < 0 ? -ns : ns);
  return ns < 0 ? "−" + text : ns > 0 ? "+" + text : text;
}

// "17 · host b · GPU 1".
std::string name_of_rank(const ranks::RunFigures& run, std::size_t rank) {
  const ranks::RankHead& head = run.part_of(rank).head;
  std::string name = fmt::format("{}", run.times.ranks[rank]);
  if (!head.host.empty()) name += " · " + head.host;
  if (head.first_device >= 0) name += fmt::format(" · GPU {}", head.first_device);
  return name;
}

// How the clocks relate: each way once, that by collectives with its greatest error.
std::string clocks_text(const ranks::RunFigures& run) {
  std::set<std::string> ways;
  const ranks::ClockFit* worst = nullptr;
  for (const ranks::ClockFit& fit : run.clocks) {
    if (fit.by == ranks::ClockBy::reference) continue;
    if (fit.by != ranks::ClockBy::collectives) {
      ways.insert(ranks::describe(fit));
    } else if (worst == nullptr || fit.error_ns > worst->error_ns) {
      worst = &fit;
    }
  }
  if (worst != nullptr) ways.insert(ranks::describe(*worst));
  std::string text = fmt::format("{}", fmt::join(ways, "; "));
  // Terminals may lack the sign.
  if (text.ends_with(" us")) text.replace(text.size() - 2, 2, "µs");
  return text.empty() ? "" : "Clocks: " + text;
}

std::string left_out_text(const workspace::ReadRanks& read) {
  const auto& first = read.left_out.front();
  std::string text = fmt::format("Cannot read {}: {}", first.name, first.error.title);
  if (read.left_out.size() > 1) text += fmt::format(", and {} more", read.left_out.size() - 1);
  return text;
}

void draw_ranks_surface(Frame& frame, const Box& box) {
  fill(box, frame.palette().panel, frame.px(kRounding));
  outline(box, frame.palette().line, frame.px(kRounding));
}

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

std::vector<RankBar> make_rank_bars(const ranks::RunFigures& run) {
  const ranks::RankTimes& times = run.times;
  const std::size_t count = times.numbers.size();
  std::vector<RankBar> bars(run.rank_count());
  for (std::size_t rank = 0; rank < bars.size(); ++rank) {
    RankBar& bar = bars[rank];
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t part = 0; part < aggregate::kCategoryCount; ++part) {
        bar.parts_ns[part] += static_cast<double>(times.parts[part].at(rank, i));
      }
      const int64_t exposed = times.exposed_ns.at(rank, i);
      const int64_t wait = std::clamp<int64_t>(times.least_exposed_wait_ns.at(rank, i), 0,
                                               std::max<int64_t>(exposed, 0));
      bar.parts_ns[kTransfer] += static_cast<double>(exposed - wait);
      bar.parts_ns[kWait] += static_cast<double>(wait);
    }
    // A file may call its NCCL kernels Tensor Core kernels.
    double communication = bar.parts_ns[kTransfer] + bar.parts_ns[kWait];
    for (const auto part :
         {aggregate::Category::other_kernels, aggregate::Category::tensor_core_kernels}) {
      double& kernels = bar.parts_ns[static_cast<std::size_t>(part)];
      const double taken = std::min(kernels, communication);
      kernels -= taken;
      communication -= taken;
    }
    for (double& part : bar.parts_ns) part /= static_cast<double>(std::max<std::size_t>(count, 1));
    for (std::size_t part = 0; part < kWait; ++part) bar.own_ns += bar.parts_ns[part];
  }
  return bars;
}

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
  if (state.table == kMapState) {
    const std::string_view text = state.selected;
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
  if (state.table == kTableState) shown_table_ = state.selected == kRankTables[1].id ? 1 : 0;
  for (DataTable* const table : {&ranks_, &collectives_}) {
    if (state.table == table->model().look().id) table->set(state);
  }
}

std::vector<workspace::TableState> RanksView::table_states() {
  std::vector<workspace::TableState> states;
  if (value_ != MapValue::deviation || order_ != MapOrder::rank) {
    states.push_back({kMapState, {}, fmt::format("{}/{}", name_of(value_), name_of(order_))});
  }
  if (shown_table_ != 0) states.push_back({kTableState, {}, std::string(kRankTables[1].id)});
  for (DataTable* const table : {&ranks_, &collectives_}) {
    if (table->is_changed()) states.push_back(table->state());
  }
  return states;
}

void RanksView::draw_tables(Frame& frame, const Box& box, Tables& tables) {
  if (!frame.model.ranks) return;
  const workspace::RankModel& model = *frame.model.ranks;
  layer_ = &bars();
  if (read_ != model.read) {
    read_ = model.read;
    head_ = {};
    if (read_ && read_->figures) {
      const ranks::RunFigures& figures = *read_->figures;
      head_ = {figures.ranks_text(), figures.sentence(), clocks_text(figures), figures.notes()};
      for (const auto& file : read_->left_out) {
        head_.notes.push_back(fmt::format("{}: {}", file.name, base::one_line(file.error)));
      }
    }
  }
  if (!read_ || !read_->figures) return draw_nothing(frame, box, model);
  const float gap = frame.px(kGap);
  const float top = draw_head(frame, box, model) + gap;
  const Box content{box.left + gap, top, box.right - gap, box.bottom - gap};
  const Run& run = read_->figures;
  content_.want({run, value_, order_}, run->rank_count() * run->times.numbers.size() <= kQuickCells,
                tables.background, [run, value = value_, order = order_](const base::Progress&) {
                  auto made = std::make_shared<Content>();
                  made->cells = make_map_cells(*run, value, order);
                  made->bars = make_rank_bars(*run);
                  std::vector<int64_t> own;
                  for (const RankBar& bar : made->bars) {
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
  if (!content_.get()) return;
  const float map =
      std::clamp(std::round(content.height() * kMapShare), frame.px(kLeastMap),
                 std::max(frame.px(kLeastMap), content.height() - frame.px(kLeastRankTable) - gap));
  // A few ranks need less.
  const float wanted = frame.px(kMostRow) * static_cast<float>(content_.get()->cells.rows.size()) +
                       frame.px(kControlHeight + kCostsHeight + kLegendHeight + 56);
  const bool has_tables = frame.model.profile && frame.model.aggregation;
  if (!has_tables) {
    const float line = frame.px(kControlHeight);
    draw_map_panel(frame, {content.left, content.top, content.right, content.bottom - line},
                   tables);
    return draw_table_panel(
        frame, {content.left, content.bottom - line, content.right, content.bottom}, tables);
  }
  const float bottom = content.top + std::min(map, std::max(frame.px(kLeastMap), wanted));
  draw_map_panel(frame, {content.left, content.top, content.right, bottom}, tables);
  draw_table_panel(frame, {content.left, bottom + gap, content.right, content.bottom}, tables);
}

void RanksView::draw_nothing(Frame& frame, const Box& box,
                             const workspace::RankModel& model) const {
  if (model.reading) {
    if (draw_progress_card(frame, box, "ranks/reading", "Reading ranks",
                           base::counted(static_cast<int64_t>(model.files), "files"),
                           *model.reading)) {
      frame.host.run_command("ranks.cancel");
    }
    return;
  }
  if (read_ && read_->error) {
    return draw_error_card(frame, box, "ranks/error", *read_->error,
                           {{"Read again", "ranks.read"}, {"Open ranks…", "ranks.open"}});
  }
  if (!model.is_canceled) return;
  draw_error_card(
      frame, box, "ranks/canceled",
      {"Reading was canceled", base::counted(static_cast<int64_t>(model.files), "files"), ""},
      {{"Read again", "ranks.read"}, {"Open ranks…", "ranks.open"}});
}

float RanksView::draw_head(Frame& frame, const Box& box, const workspace::RankModel& model) {
  const Fonts& fonts = frame.fonts();
  const Palette& colors = frame.palette();
  const float gap = frame.px(kGap), height = frame.px(30);
  const float top = box.top + frame.px(8), left = box.left + gap + frame.px(2);
  const float control_top = top + std::round((height - frame.px(kControlHeight)) / 2);
  float right = box.right - gap;
  const auto button = [&](const char* name, const std::string& label) {
    right -= button_width(frame, label);
    const bool is_clicked = draw_button(frame, name, right, control_top, label);
    right -= frame.px(8);
    return is_clicked;
  };
  const std::size_t notes = head_.notes.size();
  if (notes > 0 && button("ranks/notes", shows_notes_ ? std::string("Hide notes")
                                                      : fmt::format("Notes ({})", notes))) {
    shows_notes_ = !shows_notes_;
  }
  if (model.reading && button("ranks/cancel", "Cancel")) frame.host.run_command("ranks.cancel");
  if (!model.reading && (model.is_canceled || !read_->left_out.empty()) &&
      button("ranks/again", "Read again")) {
    frame.host.run_command("ranks.read");
  }
  const float text_top = std::round(top + (height - font_size(fonts.strong)) / 2);
  const std::string& count = head_.count;
  draw_text(fonts.strong, left, text_top, colors.text, count);
  const float sentence_left = left + text_width(fonts.strong, count) + frame.px(12);
  const std::string& sentence = head_.sentence;
  draw_text_cut(frame, fonts.text, sentence_left, text_top, right - sentence_left, colors.text,
                sentence, CutAt::end);
  frame.inspector.record_value("ranks/count", count);
  frame.inspector.record_value("ranks/sentence", sentence);
  std::string detail = head_.clocks;
  frame.inspector.record_value("ranks/clocks", detail);
  const auto add = [&detail](const std::string& text) {
    detail += (detail.empty() ? "" : " · ") + text;
  };
  if (model.reading) {
    add(fmt::format("{} {} of {}", model.reading->stage, model.reading->done + 1,
                    model.reading->total));
  } else if (model.is_canceled) {
    add(fmt::format("Canceled: not all of {} were read",
                    base::counted(static_cast<int64_t>(model.files), "files")));
  }
  float y = top + height;
  const Area area{left, y, box.right - gap - left};
  if (!detail.empty()) {
    draw_text_cut(frame, fonts.text, left, y, area.width, colors.dim, detail, CutAt::end);
    y += line_height(fonts.text) + frame.px(4);
  }
  if (!read_->left_out.empty()) {
    const std::string text = left_out_text(*read_);
    draw_text_cut(frame, fonts.text, left, y, area.width, colors.attention, text, CutAt::end);
    frame.inspector.record_value("ranks/left_out", text);
    y += line_height(fonts.text) + frame.px(4);
  }
  if (shows_notes_) y = draw_notes(frame, area.below(y));
  y += frame.px(3);
  horizontal_line(box.left, box.right, y, colors.line);
  return y + 1;
}

float RanksView::draw_notes(Frame& frame, const Area& area) const {
  std::vector<std::string> notes = head_.notes;
  float y = area.top;
  const std::size_t count = std::min(notes.size(), kShownNotes);
  if (count < notes.size()) {
    notes[count - 1] = fmt::format("And {} more: dlview ranks lists all", notes.size() - count + 1);
  }
  for (std::size_t n = 0; n < count; ++n) {
    draw_text_cut(frame, frame.fonts().text, area.left, y, area.width, frame.palette().dim,
                  notes[n] + ".", CutAt::end);
    frame.inspector.record_value(fmt::format("ranks/note/{}", n), notes[n]);
    y += line_height(frame.fonts().text) + frame.px(4);
  }
  return y;
}

void RanksView::draw_map_panel(Frame& frame, const Box& box, Tables& tables) {
  draw_ranks_surface(frame, box);
  const float padding = frame.px(kPadding), gap = frame.px(12);
  float y = box.top + frame.px(10);
  std::vector<Segment> values, orders;
  for (std::size_t v = 0; v < kMapValues; ++v) {
    values.push_back({name_of(static_cast<MapValue>(v)), title_of(static_cast<MapValue>(v))});
  }
  for (std::size_t o = 0; o < kMapOrders; ++o) {
    orders.push_back({name_of(static_cast<MapOrder>(o)), title_of(static_cast<MapOrder>(o))});
  }
  const auto value = draw_segments(frame, "ranks/value", box.left + padding, y, values,
                                   static_cast<std::size_t>(value_));
  const auto order =
      draw_segments(frame, "ranks/order", box.right - padding - segments_width(frame, orders), y,
                    orders, static_cast<std::size_t>(order_));
  if (value) value_ = static_cast<MapValue>(*value);
  if (order) order_ = static_cast<MapOrder>(*order);
  y += frame.px(kControlHeight) + gap;
  Layout layout;
  layout.legend = {box.left + padding, box.bottom - padding - frame.px(kLegendHeight),
                   box.right - padding, box.bottom - padding};
  const float left = box.left + padding + frame.px(kNamesWidth);
  const float right = box.right - padding - frame.px(kRankBarsWidth) - gap;
  layout.costs = {left, layout.legend.top - frame.px(8) - frame.px(kCostsHeight), right,
                  layout.legend.top - frame.px(8)};
  layout.plot = {left, y, right, layout.costs.top - frame.px(6)};
  const float most = frame.px(kMostRow) * static_cast<float>(content_.get()->cells.rows.size());
  layout.plot.bottom = std::min(layout.plot.bottom, layout.plot.top + most);
  layout.names = {box.left + padding, y, left - frame.px(8), layout.plot.bottom};
  layout.bars = {right + gap, y, box.right - padding, layout.plot.bottom};
  if (layout.plot.width() < 8 || layout.plot.height() < 8) return;
  const auto content = content_.get();
  const auto width = static_cast<std::size_t>(layout.plot.width());
  const auto height = static_cast<std::size_t>(layout.plot.height());
  pixels_.want(
      {content, width, height}, content->cells.values.size() <= kQuickCells, tables.background,
      [content, width, height](const base::Progress&) {
        return std::make_shared<const MapPixels>(make_map_pixels(content->cells, width, height));
      });
  // Of cells that were shown before, until these are there.
  if (!pixels_.get() || pixels_.is_late()) return draw_legend(frame, layout);
  draw_names(frame, layout);
  draw_cells(frame, layout);
  draw_bars(frame, layout);
  draw_costs(frame, layout);
  draw_legend(frame, layout);
  point_at_map(frame, layout);
}

void RanksView::draw_names(Frame& frame, const Layout& layout) {
  const Palette& colors = frame.palette();
  const std::size_t rows = content_.get()->cells.rows.size();
  const float height = layout.plot.height() / static_cast<float>(rows);
  const float line = line_height(frame.fonts().text);
  const auto step = static_cast<std::size_t>(std::max(1.0f, std::ceil(line / height)));
  const std::optional<std::size_t> active = active_rank(frame.model);
  for (std::size_t row = 0; row < rows; ++row) {
    const float top = layout.plot.top + std::floor(static_cast<float>(row) * height);
    const bool is_active = active == rank_at(row);
    if (is_active) {
      fill({layout.names.left - frame.px(8), top, layout.names.left - frame.px(5),
            top + std::max(frame.px(3), height - 1)},
           colors.accent);
    }
    if (row % step != 0) continue;
    const std::string& name = content_.get()->names[row];
    const float middle = top + (step > 1 ? line / 2 : height / 2);
    draw_text_cut(frame, frame.fonts().text, layout.names.left, std::round(middle - line / 2),
                  layout.names.width(), is_active ? colors.text : colors.dim, name, CutAt::middle);
    frame.inspector.record_value(fmt::format("ranks/row/{}", row), name);
  }
}

void RanksView::draw_cells(Frame& frame, const Layout& layout) {
  const MapCells& cells = content_.get()->cells;
  const Box& plot = layout.plot;
  const DrawingKey wanted{pixels_.get(), &frame.palette(), plot.left,
                          plot.top,      plot.right,       plot.bottom};
  if (drawing_of_ != wanted) {
    drawing_of_ = wanted;
    drawing_ = make_map_drawing(*pixels_.get(), cells, is_two_sided(), frame.palette(),
                                {plot.left, plot.top, plot.right, plot.bottom, 0});
  }
  for (const render::Rectangle& part : drawing_.unknown) {
    hatch(frame, {part.left, part.top, part.right, part.bottom}, frame.palette().faint);
  }
  layer_->add(*ImGui::GetWindowDrawList(), drawing_.cells);
}

// The mean iteration of each rank; where several share a pixel, that with the most own work.
void RanksView::draw_bars(Frame& frame, const Layout& layout) {
  const Content& content = *content_.get();
  const Palette& colors = frame.palette();
  const Box& box = layout.bars;
  if (content.longest_bar_ns <= 0) return;
  const std::size_t rows = content.cells.rows.size(), bins = pixels_.get()->rows;
  const float per_ns = box.width() / static_cast<float>(content.longest_bar_ns);
  const float spaced = frame.px(kThinnestBar) * static_cast<float>(bins);
  const float gap = box.height() >= spaced ? 1.0f : 0.0f;
  std::vector<render::Rectangle> parts;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    const RankBar* bar = nullptr;
    for (std::size_t row = first_cell(bin, bins, rows); row < first_cell(bin + 1, bins, rows);
         ++row) {
      const RankBar& its = content.bars[content.cells.rows[row]];
      if (bar == nullptr || its.own_ns > bar->own_ns) bar = &its;
    }
    const float top = box.top + bin_edge(bin, bins, box.height());
    const float bottom = box.top + bin_edge(bin + 1, bins, box.height()) - gap;
    double sum = 0;
    for (std::size_t part = 0; part < RankBar::kParts; ++part) {
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
  layer_->add(*ImGui::GetWindowDrawList(), std::move(parts));
  const float median = box.left + std::round(static_cast<float>(content.median_own_ns) * per_ns);
  fill({median, box.top - frame.px(3), median + frame.px(1), box.bottom + frame.px(3)},
       colors.bound);
  frame.inspector.record_item("ranks/median", {median, box.top, median + frame.px(1), box.bottom});
  draw_text_cut(frame, frame.fonts().small, box.left, box.bottom + frame.px(6), box.width(),
                colors.dim, "Mean iteration; line: median own work", CutAt::end);
  const Hit hit = hit_area(frame, "ranks/bars", box, Reach::mouse);
  if (!hit.hovered) return;
  const float y = std::clamp(ImGui::GetIO().MousePos.y - box.top, 0.0f, box.height() - 1);
  const auto row =
      std::min(rows - 1, static_cast<std::size_t>(y * static_cast<float>(rows) / box.height()));
  const RankBar& bar = content.bars[rank_at(row)];
  std::vector<TooltipRow> lines;
  for (std::size_t part = 0; part < RankBar::kParts; ++part) {
    if (bar.parts_ns[part] <= 0) continue;
    lines.push_back({title_of_part(part),
                     base::format_duration(static_cast<int64_t>(bar.parts_ns[part])), "",
                     color_of_part(colors, part)});
  }
  lines.push_back({"Own work", base::format_duration(static_cast<int64_t>(bar.own_ns)), "", 0});
  show_rows_tooltip(frame, "Rank " + content.names[row], lines,
                    "Mean over the iterations, per GPU. Own work is all but the exposed wait.");
  if (hit.clicked) click(frame, rank_at(row), std::nullopt);
}

// What the slowest rank costs in each iteration; where several share a pixel, the most.
void RanksView::draw_costs(Frame& frame, const Layout& layout) {
  const Palette& colors = frame.palette();
  const ranks::Stragglers& found = read_->figures->stragglers;
  const Box& box = layout.costs;
  const std::size_t bins = pixels_.get()->columns, count = found.cost_ns.size();
  if (count == 0) return;
  std::vector<int64_t> sorted = found.cost_ns;
  const auto place = static_cast<std::ptrdiff_t>((sorted.size() - 1) * 99 / 100);
  std::nth_element(sorted.begin(), sorted.begin() + place, sorted.end());
  const int64_t top_ns = std::max<int64_t>(1, sorted[static_cast<std::size_t>(place)]);
  const float plot_top = layout.plot.bottom + frame.px(6);
  const float bottom = plot_top + frame.px(kCostsHeight);
  const float gap = layout.plot.width() >= 5 * static_cast<float>(bins) ? 1.0f : 0.0f;
  std::vector<render::Rectangle> bars;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    int64_t cost = 0;
    bool is_found = false;
    for (std::size_t i = first_cell(bin, bins, count); i < first_cell(bin + 1, bins, count); ++i) {
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
  layer_->add(*ImGui::GetWindowDrawList(), std::move(bars));
  horizontal_line(box.left, box.right, bottom, colors.line);
  const float line = line_height(frame.fonts().text);
  draw_text(frame.fonts().text, layout.names.left, plot_top, colors.dim, "Cost of the slowest");
  draw_text_cut(frame, frame.fonts().text, layout.names.left, plot_top + line, layout.names.width(),
                colors.dim, fmt::format("up to {}", base::format_duration(top_ns)), CutAt::end);
  frame.inspector.record_item("ranks/costs", {box.left, plot_top, box.right, bottom});
}

void RanksView::draw_legend(Frame& frame, const Layout& layout) {
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
  const bool sides = is_two_sided();
  text(sides ? signed_time(cells.low) : base::format_duration(cells.low), colors.text);
  constexpr int kSwatches = 48;
  const float swatch = frame.px(2);
  for (int s = 0; s < kSwatches; ++s) {
    const double at = static_cast<double>(s) / (kSwatches - 1);
    fill({x, box.top + frame.px(5), x + swatch, box.bottom - frame.px(5)},
         map_color(colors, sides ? 2 * at - 1 : at));
    x += swatch;
  }
  x += frame.px(8);
  text(sides ? signed_time(cells.high) : base::format_duration(cells.high), colors.text);
  x += frame.px(8);
  std::string words = sides ? "Faster and slower than the median of the iteration" : "";
  if (cells.is_clipped) {
    words += fmt::format("{}clipped at the 1st and 99th percentile", words.empty() ? "" : "; ");
  }
  frame.inspector.record_value("ranks/legend", words);
  text(words, colors.dim);
  if (!cells.has_unknown) return;
  x += frame.px(8);
  hatch(frame, {x, box.top + frame.px(5), x + frame.px(18), box.bottom - frame.px(5)},
        colors.faint);
  x += frame.px(24);
  text("Not known", colors.dim);
  frame.inspector.record_value("ranks/unknown", "Not known");
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

void RanksView::point_at_map(Frame& frame, const Layout& layout) {
  const Content& content = *content_.get();
  const MapPixels& pixels = *pixels_.get();
  const Box& plot = layout.plot;
  const Hit hit = hit_area(frame, "ranks/map", plot, Reach::mouse);
  const auto bin_at = [](float offset, float length, std::size_t bins) {
    const float share = std::clamp(offset / length, 0.0f, 0.999999f);
    auto bin = static_cast<std::size_t>(share * static_cast<float>(bins));
    while (bin + 1 < bins && offset >= bin_edge(bin + 1, bins, length)) ++bin;
    while (bin > 0 && offset < bin_edge(bin, bins, length)) --bin;
    return bin;
  };
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const std::size_t column = bin_at(mouse.x - plot.left, plot.width(), pixels.columns);
  const std::size_t row = bin_at(mouse.y - plot.top, plot.height(), pixels.rows);
  if (hit.held) {
    const std::size_t at = first_cell(column, pixels.columns, content.cells.iterations);
    if (!drag_from_) drag_from_ = at;
  }
  if (drag_from_ && was_dragged(frame)) {
    const std::size_t at = first_cell(column, pixels.columns, content.cells.iterations);
    const auto [first, last] = std::minmax(*drag_from_, at);
    const auto edge = [&](std::size_t cell) {
      return plot.left + static_cast<float>(static_cast<double>(cell) /
                                            static_cast<double>(content.cells.iterations)) *
                             plot.width();
    };
    outline({edge(first), plot.top, edge(last + 1), plot.bottom}, frame.palette().bound);
    if (!hit.held) select_range(frame, first, last);
  }
  const bool was_dragging = drag_from_ && was_dragged(frame);
  if (!hit.held) drag_from_.reset();
  if (!hit.hovered || was_dragging) return;
  const MapPixels::Worst& cell = pixels.at(row, column);
  const std::size_t cells = (first_cell(column + 1, pixels.columns, content.cells.iterations) -
                             first_cell(column, pixels.columns, content.cells.iterations)) *
                            (first_cell(row + 1, pixels.rows, content.cells.rows.size()) -
                             first_cell(row, pixels.rows, content.cells.rows.size()));
  explain(frame, cell, cells);
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (hit.clicked) click(frame, rank_at(cell.row), cell.iteration);
}

void RanksView::explain(Frame& frame, const MapPixels::Worst& cell, std::size_t cells) const {
  const ranks::RunFigures& run = *read_->figures;
  const std::size_t rank = rank_at(cell.row);
  std::vector<TooltipText> lines;
  const bool is_known = cell.value != kUnknownCell;
  std::string value = "not known";
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
    lines.push_back({TooltipStyle::text, "A call of a collective is missing on another rank."});
  }
  if (cells > 1) {
    lines.push_back({TooltipStyle::text,
                     fmt::format("The {} of {} cells in this pixel",
                                 value_ == MapValue::exposed_wait ? "longest" : "slowest", cells)});
  }
  const std::string& path = read_->paths[rank];
  if (path.empty()) {
    lines.push_back({TooltipStyle::note,
                     fmt::format("Its profile is not at hand: {}", run.part_of(rank).head.file)});
  } else {
    lines.push_back({TooltipStyle::note, path == frame.model.ranks->active_path
                                             ? "Click to select the iteration"
                                             : "Click to open the profile of this rank"});
  }
  frame.inspector.record_value("ranks/pointed",
                               fmt::format("rank {} iteration {}: {}", run.times.ranks[rank],
                                           run.times.numbers[cell.iteration], value));
  show_text_tooltip(frame, lines);
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
