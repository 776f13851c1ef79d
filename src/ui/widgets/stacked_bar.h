// A stacked bar with its legend: a share is a length. A click on a slice filters everything to it
// where a filter can say that. A click on a legend entry hides its part and leaves its place empty,
// so that every length stays that of its share. A bar of two parts is a gauge: nothing of it can be
// hidden.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/filter.h"
#include "aggregate/metrics.h"
#include "ui/look.h"
#include "ui/theme.h"

namespace dlview::ui {

struct BarPart {
  std::string id;     // "tensor_core_kernels": the inspector's name, and what hiding remembers
  std::string label;  // "Tensor Core kernels"
  std::string share;  // "43.1%"; empty when not recorded
  std::string value;  // "17.8 s", or "not recorded"
  std::string full;   // "17,800,000,000 ns · 43.142857%"
  aggregate::MetricId metric;  // its definition
  Tone tone = Tone::other;
  double fraction = 0;   // of the whole, 0..1
  bool recorded = true;  // false: dimmed, no part of the bar
  std::string opens;     // what a click opens, in words; such an entry hides nothing
  std::optional<aggregate::Filter> filter = {};  // keeps just this part
};

// Opacity of the swatch of what was not recorded.
inline constexpr float kUnrecorded = 0.35f;

// A bit for each part, by its place.
using HiddenParts = uint32_t;

// Where each part begins and ends in a bar of `width` pixels: whole pixels that tile the bar. A
// part of 0 is empty, one above 0 keeps a pixel.
std::vector<float> part_edges(const std::vector<BarPart>& parts, float width);

// Returns the bottom. `name` is a path: "dashboard/breakdown". Without parts `when_empty` says why.
// `opened` receives the part that was clicked when that opens something.
float draw_stacked_bar(Frame& frame, std::string_view name, const Area& area,
                       const std::vector<BarPart>& parts, HiddenParts& hidden,
                       std::string_view when_empty, const BarPart** opened = nullptr);

}  // namespace dlview::ui
