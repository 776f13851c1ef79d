#include "ui/views/ranks/collective_chart.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/units.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/tooltip.h"

namespace dlview::ui {
namespace {

constexpr float kLeastColumn = 3, kMostColumn = 14;
constexpr std::size_t kFewCollectives = 100'000;  // whose calls are found within a frame
// Calls that take much longer than nearly all others are cut at this factor of them.
constexpr double kNearlyAll = 0.95, kCutAt = 2;
constexpr float kBandwidthShare = 0.34f, kLeastBandwidth = 200;
constexpr float kDot = 4, kReach = 8;
constexpr float kAxisHeight = 18, kAxisWidth = 62;

int64_t length_of(const ranks::CollectiveCall& call) {
  return call.transfer_ns + call.skew_ns;
}

// A logarithmic axis with whole powers of two at its ends, some room from the values.
struct LogAxis {
  static constexpr double kRoom = 0.25;
  double unit = 1;                          // whose powers of two are its ends
  double low = INFINITY, high = -INFINITY;  // exponents
  void include(double value) {
    low = std::min(low, std::floor(std::log2(value / unit) - kRoom));
    high = std::max(high, std::ceil(std::log2(value / unit) + kRoom));
  }
  double place_of(double value) const { return (std::log2(value / unit) - low) / (high - low); }
  double least() const { return unit * std::exp2(low); }
  double most() const { return unit * std::exp2(high); }
};

struct Dot {
  std::size_t row = 0;
  double bytes = 0, bandwidth = 0;
};

std::vector<Dot> dots_of(const ranks::RunFigures& run) {
  std::vector<Dot> dots;
  for (std::size_t row = 0; row < run.collectives.size(); ++row) {
    const ranks::CollectiveRow& its = run.collectives[row];
    const auto bandwidth = its.bus_bandwidth();
    if (its.bytes && bandwidth && *bandwidth > 0) {
      dots.push_back({row, static_cast<double>(*its.bytes), *bandwidth});
    }
  }
  return dots;
}

// Two slanted gaps below the top of a bar, and an arrow above it.
void draw_break_mark(const Frame& frame, float left, float right, float top) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Palette& colors = frame.palette();
  for (const float y : {top + frame.px(8), top + frame.px(13)}) {
    list.AddLine({left - 1, y + frame.px(2)}, {right + 1, y - frame.px(2)}, colors.panel,
                 frame.px(2));
  }
  const float middle = (left + right) / 2, half = std::max((right - left) / 2, frame.px(3));
  list.AddTriangleFilled({middle - half, top - frame.px(1)}, {middle + half, top - frame.px(1)},
                         {middle, top - frame.px(5)}, colors.attention);
}

}  // namespace

CallColumns make_call_columns(const std::vector<ranks::CollectiveCall>& calls, float width) {
  CallColumns all;
  if (calls.empty() || width < 1) return all;
  const auto most = std::max<std::size_t>(1, static_cast<std::size_t>(width / kLeastColumn));
  const std::size_t count = std::min(calls.size(), most);
  all.width = std::clamp(std::floor(width / static_cast<float>(count)), 1.0f, kMostColumn);
  std::vector<int64_t> lengths;
  for (std::size_t c = 0; c < count; ++c) {
    CallColumns::Column column{calls.size() * c / count, calls.size() * (c + 1) / count, {}};
    for (std::size_t i = column.first; i < column.last; ++i) {
      if (!calls[i].is_matched) continue;
      if (!column.longest || length_of(calls[i]) > length_of(calls[*column.longest])) {
        column.longest = i;
      }
    }
    if (column.longest) lengths.push_back(length_of(calls[*column.longest]));
    all.columns.push_back(column);
  }
  if (lengths.empty()) return all;
  std::ranges::sort(lengths);
  all.highest_ns = lengths.back();
  const auto place = static_cast<std::size_t>(kNearlyAll * static_cast<double>(lengths.size() - 1));
  const double cut = kCutAt * static_cast<double>(lengths[place]);
  all.top_ns = std::max<int64_t>(1, std::min(all.highest_ns, static_cast<int64_t>(cut)));
  return all;
}

std::optional<ranks::CollectiveCall> CollectiveChart::draw_calls(Frame& frame, const Box& box,
                                                                 const ranks::RunFigures& run,
                                                                 std::size_t row,
                                                                 BarLayer& layer) const {
  const Palette& colors = frame.palette();
  const ImFont* font = frame.fonts().text;
  const Calls& calls = *calls_.get();
  const ranks::CollectiveRow& its = run.collectives[row];
  const float line = line_height(font);
  std::string title =
      fmt::format("{} of {}", base::counted(its.calls, "calls"), profile::to_text(its.collective));
  if (its.bytes) title += ", " + base::format_bytes(*its.bytes);
  draw_text_cut(frame, font, box.left, box.top, box.width(), colors.text, title, CutAt::end);
  const Box plot{box.left + frame.px(kAxisWidth), box.top + line + frame.px(6), box.right,
                 box.bottom - frame.px(kAxisHeight)};
  if (plot.width() < 24 || plot.height() < frame.px(24)) return std::nullopt;
  const CallColumns all = make_call_columns(calls, plot.width());
  frame.inspector.record_value("ranks/calls",
                               fmt::format("{}: {} columns up to {}", title, all.columns.size(),
                                           base::format_duration(all.highest_ns)));
  std::vector<render::Rectangle> bars;
  const Color transfer = colors.tone(Tone::communication);
  const auto height_of = [&](int64_t ns) {
    const double share = std::min(1.0, static_cast<double>(ns) / static_cast<double>(all.top_ns));
    return std::round(static_cast<float>(share) * plot.height());
  };
  const float gap = all.width >= 5 ? 1.0f : 0.0f;
  std::vector<std::pair<float, float>> cut;
  for (std::size_t c = 0; c < all.columns.size(); ++c) {
    const auto& column = all.columns[c];
    if (!column.longest) continue;
    const ranks::CollectiveCall& call = calls[*column.longest];
    const float left = plot.left + static_cast<float>(c) * all.width;
    const float right = left + all.width - gap;
    // A bar that leaves the axis keeps the shares of its parts, and has a break.
    const bool is_cut = length_of(call) > all.top_ns;
    const double kept = static_cast<double>(all.top_ns) / static_cast<double>(length_of(call));
    const float dark =
        plot.bottom -
        height_of(is_cut ? static_cast<int64_t>(kept * static_cast<double>(call.transfer_ns))
                         : call.transfer_ns);
    const float light = plot.bottom - height_of(length_of(call));
    if (is_cut) cut.push_back({left, right});
    if (light < dark) bars.push_back({left, light, right, dark, with_opacity(transfer, 0.4f)});
    bars.push_back({left, std::min(dark, plot.bottom - 1), right, plot.bottom, transfer});
  }
  layer.add(*ImGui::GetWindowDrawList(), std::move(bars));
  horizontal_line(plot.left, plot.right, plot.bottom, colors.line);
  for (const auto& [left, right] : cut) draw_break_mark(frame, left, right, plot.top);
  frame.inspector.record_value("ranks/calls/cut", fmt::format("{}", cut.size()));
  const ImFont* small = frame.fonts().small;
  draw_text_right(small, plot.left - frame.px(6), plot.top, colors.dim,
                  base::format_duration(all.top_ns));
  draw_text_right(small, plot.left - frame.px(6), plot.bottom - line_height(small), colors.dim,
                  "0");
  const bool is_any_cut = all.highest_ns > all.top_ns;
  const std::string legend = is_any_cut ? fmt::format("Longest: {}. Dark: transfer, light: skew.",
                                                      base::format_duration(all.highest_ns))
                                        : "Dark: transfer, light: skew (first to last arrival).";
  draw_text_cut(frame, small, plot.left, plot.bottom + frame.px(3), plot.width(), colors.dim,
                legend, CutAt::end);
  const Hit hit = hit_area(frame, "ranks/calls", plot, Reach::mouse);
  if (!hit.hovered) return std::nullopt;
  const auto at =
      static_cast<std::size_t>(std::max(0.0f, (ImGui::GetIO().MousePos.x - plot.left) / all.width));
  if (at >= all.columns.size()) return std::nullopt;
  const CallColumns::Column& column = all.columns[at];
  using enum TooltipStyle;
  if (!column.longest) {
    show_tooltip(frame, "Unknown: calls are missing on a rank.");
    return std::nullopt;
  }
  const ranks::CollectiveCall& call = calls[*column.longest];
  std::vector<TooltipText> lines{
      {name, title},
      {value, fmt::format("Skew {}", base::format_duration(call.skew_ns))},
      {text, fmt::format("Transfer {}", base::format_duration(call.transfer_ns))}};
  if (length_of(call) > all.top_ns) {
    lines.push_back(
        {text, fmt::format("Total {} (exceeds the axis)", base::format_duration(length_of(call)))});
  }
  if (call.last_rank >= 0) {
    lines.push_back({text, fmt::format("Rank {} came last; rank {} waited longest", call.last_rank,
                                       call.first_rank)});
  }
  if (call.number) lines.push_back({text, fmt::format("Iteration {}", *call.number)});
  if (column.last - column.first > 1) {
    lines.push_back(
        {text, fmt::format("The longest of {} calls in this column", column.last - column.first)});
  }
  lines.push_back({note, "Click to show it on the timeline of ranks"});
  show_text_tooltip(frame, lines);
  return hit.clicked ? std::optional(call) : std::nullopt;
}

std::optional<std::size_t> CollectiveChart::draw_bandwidths(Frame& frame, const Box& box,
                                                            const ranks::RunFigures& run,
                                                            std::optional<std::size_t> row) const {
  const Palette& colors = frame.palette();
  const ImFont* font = frame.fonts().text;
  const ImFont* small = frame.fonts().small;
  draw_text_cut(frame, font, box.left, box.top, box.width(), colors.text,
                "Bus bandwidth over message size", CutAt::end);
  const std::vector<Dot> dots = dots_of(run);
  const float line = line_height(font);
  if (dots.empty()) {
    draw_wrapped(font, {box.left, box.top + line + frame.px(6), box.width()}, colors.dim,
                 "No message of 64 KiB or more has a known size and members.");
    return std::nullopt;
  }
  const Box plot{box.left + frame.px(kAxisWidth), box.top + line + frame.px(6),
                 box.right - frame.px(kDot), box.bottom - frame.px(kAxisHeight)};
  if (plot.width() < 24 || plot.height() < frame.px(24)) return std::nullopt;
  LogAxis bytes, rate{.unit = 1e9};
  for (const Dot& dot : dots) {
    bytes.include(dot.bytes);
    rate.include(dot.bandwidth);
  }
  outline(plot, colors.line);
  draw_text_right(small, plot.left - frame.px(6), plot.top, colors.dim,
                  base::format_byte_rate(rate.most()));
  draw_text_right(small, plot.left - frame.px(6), plot.bottom - line_height(small), colors.dim,
                  base::format_byte_rate(rate.least()));
  draw_text(small, plot.left, plot.bottom + frame.px(3), colors.dim,
            base::format_bytes(std::llround(bytes.least())));
  draw_text_right(small, plot.right, plot.bottom + frame.px(3), colors.dim,
                  base::format_bytes(std::llround(bytes.most())));
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const Dot* nearest = nullptr;
  float distance = frame.px(kReach);
  for (const Dot& dot : dots) {
    const float x = plot.left + static_cast<float>(bytes.place_of(dot.bytes)) * plot.width();
    const float y = plot.bottom - static_cast<float>(rate.place_of(dot.bandwidth)) * plot.height();
    const bool is_chosen = row == dot.row;
    ImGui::GetWindowDrawList()->AddCircleFilled(
        {x, y}, frame.px(is_chosen ? kDot + 1 : kDot),
        is_chosen ? colors.accent : colors.tone(Tone::communication));
    const float off = std::hypot(mouse.x - x, mouse.y - y);
    if (off >= distance) continue;
    distance = off;
    nearest = &dot;
  }
  const Hit hit = hit_area(frame, "ranks/bandwidths", plot, Reach::mouse);
  if (!hit.hovered || nearest == nullptr) return std::nullopt;
  const ranks::CollectiveRow& its = run.collectives[nearest->row];
  using enum TooltipStyle;
  show_text_tooltip(frame, {{name, std::string(profile::to_text(its.collective))},
                            {value, base::format_byte_rate(nearest->bandwidth)},
                            {text, fmt::format("{} of {}", base::counted(its.calls, "calls"),
                                               base::format_bytes(*its.bytes))},
                            {text, its.group.empty() ? "" : "Group " + its.group},
                            {note, "Click to show its calls"}});
  return hit.clicked ? std::optional(nearest->row) : std::nullopt;
}

CollectiveChart::Chosen CollectiveChart::draw(Frame& frame, const Box& box,
                                              const ranks::SharedRunFigures& run,
                                              std::optional<std::size_t> row, BarLayer& layer,
                                              Background& background) {
  Chosen chosen;
  fill(box, frame.palette().panel, frame.px(kRounding));
  outline(box, frame.palette().line, frame.px(kRounding));
  const float padding = frame.px(kPadding);
  const Box inner{box.left + padding, box.top + frame.px(10), box.right - padding,
                  box.bottom - frame.px(6)};
  const float right = std::max(frame.px(kLeastBandwidth), inner.width() * kBandwidthShare);
  const Box left_box{inner.left, inner.top, inner.right - right - padding, inner.bottom};
  chosen.row = draw_bandwidths(frame, {inner.right - right, inner.top, inner.right, inner.bottom},
                               *run, row);
  if (!row) {
    draw_wrapped(frame.fonts().text, {left_box.left, left_box.top, left_box.width()},
                 frame.palette().dim, "Select a row to see its calls.");
    return chosen;
  }
  calls_.want({run, *row}, run->summary.collectives.size() <= kFewCollectives, background,
              [run, row = *row](const base::Progress&) {
                return std::make_shared<const Calls>(run->calls_of(row));
              });
  if (calls_.get() && !calls_.is_late()) {
    chosen.call = draw_calls(frame, left_box, *run, *row, layer);
  }
  return chosen;
}

}  // namespace dlview::ui
