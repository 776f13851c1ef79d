// A stacked bar with its legend: a share is a length. A click on a legend entry hides its part and
// spreads the others over the whole bar; values and shares stay those of the whole.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ui/look.h"
#include "ui/theme.h"

namespace dlview::ui {

struct BarPart {
  std::string id;      // "tensor_core_kernels": the inspector's name, and what hiding remembers
  std::string label;   // "Tensor Core kernels"
  std::string share;   // "43.1 %"; empty when not recorded
  std::string value;   // "17.8 s", or "not recorded"
  std::string metric;  // its definition, for the tooltip; may be empty
  Tone tone = Tone::other;
  double fraction = 0;  // of the whole, 0..1
};

// A bit for each part, by its place.
using HiddenParts = uint32_t;

// Where each part begins and ends in a bar of `width` pixels: whole pixels that tile the bar; parts
// that are hidden or 0 are empty. A part above 0 keeps a pixel.
std::vector<float> part_edges(const std::vector<BarPart>& parts, HiddenParts hidden, float width);

// Returns the bottom. `name` is a path: "dashboard/breakdown". Without parts `when_empty` says why.
float draw_stacked_bar(Frame& frame, std::string_view name, const Area& area,
                       const std::vector<BarPart>& parts, HiddenParts& hidden,
                       std::string_view when_empty);

}  // namespace dlview::ui
