// What limits a kernel or an op, as a mark: color and shape tell the class, its fill tells where
// the numbers come from.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "aggregate/limits/verdicts.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

inline constexpr int kLimits = 6;  // of aggregate::Limit

// On a panel.
Color limit_color(const Palette& palette, aggregate::Limit limit);
// "C" compute, "M" memory, "B" both, "N" neither, "0" no FLOP, "?" unknown.
std::string_view limit_letter(aggregate::Limit limit);

struct LimitMarkLook {
  aggregate::Limit limit = aggregate::Limit::unknown;
  aggregate::Origin origin = aggregate::Origin::none;
  bool is_near = false;   // to a threshold: a second outline
  bool is_above = false;  // its roof: an arrow on top
  float opacity = 1;
};
// math: square, memory: circle, both: diamond, neither: triangle, no FLOP: bar, unknown: ring; all
// with the area of a circle of this radius. Counted: filled, sampled: half, else hollow.
void draw_limit_mark(const Frame& frame, float x, float y, float radius, const LimitMarkLook& look);

// The class of an op, a kernel or a group in a cell.
struct LimitBadge {
  std::array<int64_t, kLimits> ns{};  // GPU time by class
  aggregate::Origin origin = aggregate::Origin::none;
  int64_t known_ns() const;
  int64_t total_ns() const;
  // That of at least 70% of the known time; unknown without any; nullopt = mixed.
  std::optional<aggregate::Limit> limit() const;
  // "math", "mixed": for sorting, searching and files.
  std::string_view word() const;
  // "math 82%, memory 10%, unknown 8% of kernel time".
  std::string text() const;
  void add(const LimitBadge& other);
};
inline constexpr double kDominantShare = 0.7;

// The mark with its letter; where classes are mixed or time is unknown, a bar of the parts behind
// it. With `in_words` the word instead of the letter.
void draw_limit_badge(const Frame& frame, const Box& cell, const LimitBadge& badge, bool in_words);

}  // namespace dlview::ui
