// The roofline: FLOP/s against FLOP per byte on logarithmic axes, with the roofs of the GPU. Rows
// without FLOP stand in a strip left of the axis, by bytes/s.
//
// Wheel: zooms around the pointer, with Shift the x axis alone, with Ctrl the y axis alone. Drag:
// moves. Right drag: selects. Double click: fits. Arrow keys: walk the marks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ui/views/limits/plot_marks.h"

namespace dlview::ui {

// Boxes of its parts, pixels.
struct RooflineLayout {
  Box plot, strip;  // strip: empty = there is none
};
RooflineLayout lay_out_roofline(const Frame& frame, const Box& box, const report::Roofline& plot);

// The centers of the marks that lie in the window, in the order of drawing.
std::vector<PlacedMark> place_marks(const report::Roofline& plot, const report::PlotMap& map,
                                    float scale);
std::vector<PlacedMark> place_strip(const report::Roofline& plot, const Box& strip, float scale);

// How many of the dense marks lie in squares of `cell` pixels.
struct DensityCell {
  int32_t column = 0, row = 0;  // from the top left of the plot
  int64_t count = 0;
  bool operator==(const DensityCell&) const = default;
};
std::vector<DensityCell> density_of(const report::Roofline& plot, const report::PlotMap& map,
                                    double cell);

// One mark for each memory level that is measured, at the same FLOP/s: gaps between them are reuse
// in that cache.
struct LevelMark {
  std::string level;  // "L1", "L2"
  double x = 0;       // log10 FLOP/byte
  bool operator==(const LevelMark&) const = default;
};
std::vector<LevelMark> level_marks(const aggregate::LimitRow& row,
                                   const aggregate::CounterFacts& facts);

class RooflineChart {
 public:
  struct Content {
    const LimitData& data;
    const report::Roofline& plot;
    report::LimitRule rule;
    bool shows_all_roofs;
    const aggregate::LimitRow* baseline;  // a ghost; null = none
  };
  PlotGesture draw(Frame& frame, const Box& box, const Content& content,
                   const PlotSelection& selection);
  void fit() { window_.reset(); }
  bool is_fit() const { return !window_; }

 private:
  struct Window {
    report::Decades x, y;
  };
  void take_wheel(const report::PlotMap& map, const Box& plot);
  void take_drag(const Frame& frame, const Hit& hit, const report::PlotMap& map);
  void draw_axes(Frame& frame, const RooflineLayout& layout, const report::PlotMap& map) const;
  void draw_roofs(Frame& frame, const Content& content, const report::PlotMap& map,
                  bool labels) const;
  void draw_strip_axis(Frame& frame, const Box& strip, const report::Roofline& plot) const;
  void draw_density(const Frame& frame, const report::Roofline& plot, const report::PlotMap& map);
  void draw_levels(const Frame& frame, const Content& content, const report::PlotMap& map,
                   uint32_t row) const;
  void draw_baseline(const Frame& frame, const Content& content, const report::PlotMap& map,
                     const PlotSelection& selection) const;

  std::optional<Window> window_;  // nullopt = everything
  BoxSelect box_select_;
  std::optional<uint32_t> menu_row_;
};

}  // namespace dlview::ui
