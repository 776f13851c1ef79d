#include "ui/widgets/limit_mark.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/units.h"

namespace dlview::ui {
namespace {

using aggregate::Limit;
using aggregate::Origin;

constexpr float kBadgeRadius = 4.5f;
constexpr float kMiniBarHeight = 5, kLeastMiniBar = 14;
constexpr float kHollowFill = 0.12f;  // opacity: a hollow mark is seen as an area

std::size_t index_of(Limit limit) {
  return static_cast<std::size_t>(limit);
}

// The corners of a shape of the area of a circle; none = a circle.
std::array<ImVec2, 4> corners_of(Limit limit, ImVec2 center, float radius, std::size_t& count) {
  const auto at = [&](float dx, float dy) {
    return ImVec2{center.x + dx * radius, center.y + dy * radius};
  };
  switch (limit) {
    case Limit::math:
      count = 4;
      return {at(-0.886f, -0.886f), at(0.886f, -0.886f), at(0.886f, 0.886f), at(-0.886f, 0.886f)};
    case Limit::both:
      count = 4;
      return {at(0, -1.253f), at(1.253f, 0), at(0, 1.253f), at(-1.253f, 0)};
    case Limit::neither:
      count = 3;
      return {at(0, -1.45f), at(1.347f, 0.88f), at(-1.347f, 0.88f), at(0, 0)};
    case Limit::no_flop:
      count = 4;
      return {at(-1.57f, -0.5f), at(1.57f, -0.5f), at(1.57f, 0.5f), at(-1.57f, 0.5f)};
    case Limit::memory:
    case Limit::unknown:
      break;
  }
  count = 0;
  return {};
}

void fill_shape(ImDrawList& list, Limit limit, ImVec2 center, float radius, Color color) {
  std::size_t count = 0;
  const auto corners = corners_of(limit, center, radius, count);
  if (count == 0) return list.AddCircleFilled(center, radius, color);
  list.AddConvexPolyFilled(corners.data(), static_cast<int>(count), color);
}

void outline_shape(ImDrawList& list, Limit limit, ImVec2 center, float radius, Color color,
                   float line) {
  std::size_t count = 0;
  const auto corners = corners_of(limit, center, radius, count);
  if (count == 0) return list.AddCircle(center, radius, color, 0, line);
  list.AddPolyline(corners.data(), static_cast<int>(count), color, ImDrawFlags_Closed, line);
}

}  // namespace

Color limit_color(const Palette& palette, Limit limit) {
  switch (limit) {
    case Limit::math:
      return palette.hues[1];
    case Limit::memory:
      return palette.tone(Tone::memory);
    case Limit::both:
      return palette.hues[5];
    case Limit::neither:
      return palette.hues[3];
    case Limit::no_flop:
      return palette.hues[9];
    case Limit::unknown:
      break;
  }
  return palette.dim;
}

std::string_view limit_letter(Limit limit) {
  switch (limit) {
    case Limit::math:
      return "C";
    case Limit::memory:
      return "M";
    case Limit::both:
      return "B";
    case Limit::neither:
      return "N";
    case Limit::no_flop:
      return "0";
    case Limit::unknown:
      break;
  }
  return "?";
}

void draw_limit_mark(const Frame& frame, float x, float y, float radius,
                     const LimitMarkLook& look) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 center{x, y};
  const Palette& palette = frame.palette();
  const Color color = with_opacity(limit_color(palette, look.limit), look.opacity);
  const float line = std::max(1.0f, frame.px(1.5f));
  const bool is_filled = look.origin == Origin::counted && look.limit != Limit::unknown;
  if (is_filled) {
    fill_shape(list, look.limit, center, radius, color);
    // Marks that overlap stay apart.
    outline_shape(list, look.limit, center, radius, with_opacity(palette.panel, look.opacity), 1);
  } else {
    fill_shape(list, look.limit, center, radius,
               with_opacity(limit_color(palette, look.limit), kHollowFill * look.opacity));
    if (look.origin == Origin::sampled && look.limit != Limit::unknown) {
      list.PushClipRect({x - 2 * radius, y}, {x + 2 * radius, y + 2 * radius}, true);
      fill_shape(list, look.limit, center, radius, color);
      list.PopClipRect();
    }
    outline_shape(list, look.limit, center, radius - line / 2, color, line);
  }
  if (look.is_near) outline_shape(list, look.limit, center, radius + frame.px(3), color, 1);
  if (look.is_above) {
    const float tip = y - radius - frame.px(7), half = frame.px(4);
    list.AddTriangleFilled({x - half, tip + half}, {x + half, tip + half}, {x, tip},
                           with_opacity(palette.attention, look.opacity));
  }
}

int64_t LimitBadge::total_ns() const {
  return std::accumulate(ns.begin(), ns.end(), int64_t{0});
}

int64_t LimitBadge::known_ns() const {
  return total_ns() - ns[index_of(Limit::unknown)];
}

std::optional<Limit> LimitBadge::limit() const {
  const int64_t known = known_ns();
  if (known == 0) return Limit::unknown;
  for (int i = 0; i < kLimits; ++i) {
    const auto limit = static_cast<Limit>(i);
    if (limit == Limit::unknown) continue;
    const auto part = static_cast<double>(ns[index_of(limit)]);
    if (part >= kDominantShare * static_cast<double>(known)) return limit;
  }
  return std::nullopt;
}

std::string_view LimitBadge::word() const {
  const std::optional<Limit> dominant = limit();
  return dominant ? aggregate::to_text(*dominant) : std::string_view("mixed");
}

std::string LimitBadge::text() const {
  const auto total = static_cast<double>(total_ns());
  if (total <= 0) return "No GPU time";
  std::array<std::size_t, kLimits> order{};
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return ns[a] > ns[b]; });
  std::string text;
  for (const std::size_t i : order) {
    if (ns[i] == 0) continue;
    if (!text.empty()) text += ", ";
    text += aggregate::to_text(static_cast<Limit>(i));
    text += ' ';
    text += base::format_percent(100 * static_cast<double>(ns[i]) / total);
  }
  return text + " of kernel time";
}

void LimitBadge::add(const LimitBadge& other) {
  for (std::size_t i = 0; i < ns.size(); ++i) ns[i] += other.ns[i];
  if (other.known_ns() > 0) {
    origin = origin == Origin::none ? other.origin : std::min(origin, other.origin);
  }
}

void draw_limit_badge(const Frame& frame, const Box& cell, const LimitBadge& badge, bool in_words) {
  const Palette& colors = frame.palette();
  const ImFont* font = frame.fonts().text;
  if (badge.total_ns() <= 0) return draw_text_in(font, cell, colors.dim, "–");
  const std::optional<Limit> limit = badge.limit();
  const float radius = frame.px(kBadgeRadius), middle = std::round((cell.top + cell.bottom) / 2);
  float x = cell.left + frame.px(7);
  if (limit) {
    draw_limit_mark(frame, x, middle, radius, {*limit, badge.origin});
    x += frame.px(10);
    const std::string_view word = in_words ? aggregate::to_text(*limit) : limit_letter(*limit);
    draw_text_in(font, {x, cell.top, cell.right, cell.bottom},
                 *limit == Limit::unknown ? colors.dim : colors.text, word);
    x += in_words ? text_width(font, word) : frame.px(11);
  } else {
    x = cell.left + frame.px(2);
    draw_text_in(font, {x, cell.top, cell.right, cell.bottom}, colors.text, "mixed");
    x += text_width(font, "mixed");
  }
  const bool has_parts = !limit || (*limit != Limit::unknown && badge.ns[0] > 0);
  const Box bar{x + frame.px(6), middle - frame.px(kMiniBarHeight) / 2, cell.right,
                middle + frame.px(kMiniBarHeight) / 2};
  if (!has_parts || bar.width() < frame.px(kLeastMiniBar)) return;
  const auto total = static_cast<float>(badge.total_ns());
  float left = bar.left;
  int64_t sum = 0;
  // Unknown last.
  for (int i = 1; i <= kLimits; ++i) {
    const auto which = static_cast<std::size_t>(i % kLimits);
    if (badge.ns[which] == 0) continue;
    sum += badge.ns[which];
    const float right = bar.left + std::round(bar.width() * static_cast<float>(sum) / total);
    const Box part{left, bar.top, right, bar.bottom};
    if (which == 0) {
      outline(part, colors.dim);
    } else {
      fill(part, limit_color(colors, static_cast<Limit>(which)));
    }
    left = right;
  }
}

}  // namespace dlview::ui
