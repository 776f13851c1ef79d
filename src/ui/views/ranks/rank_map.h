// The map of the view Ranks as it is drawn: names, cells, the bar of each rank, what the slowest
// rank costs in each iteration, and the legend. What clicks and drags ask for is returned.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ui/background.h"
#include "ui/chart/bars.h"
#include "ui/view.h"
#include "ui/views/ranks/heat_map.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

// "17 · host b · GPU 1"; `rank` is its place in the figures.
std::string name_of_rank(const ranks::RunFigures& run, std::size_t rank);

// What the user asks for: a rank, perhaps in an iteration; a range of iterations; or some ranks
// only. Places in the figures.
struct MapRequest {
  std::optional<std::size_t> rank, iteration;
  std::optional<std::pair<std::size_t, std::size_t>> range;  // both included
  std::vector<std::size_t> only;
};

class RankMap {
 public:
  struct Shown {
    ranks::SharedRunFigures run;
    // Of the profile of each rank; empty = not at hand.
    const std::vector<std::string>* paths = nullptr;
    std::string active_path;
    std::optional<std::size_t> active;    // rank of the profile that is open
    std::optional<std::size_t> selected;  // column of its iteration that is selected
  };

  // In each frame, before draw(). False while cells are being made.
  bool want(const ranks::SharedRunFigures& run, Background& background);
  // That suits the number of ranks.
  float height(const Frame& frame) const;
  MapRequest draw(Frame& frame, const Box& box, const Shown& shown, BarLayer& layer,
                  Background& background);

  // "own/host": value and order, for a state; empty = as at first.
  std::string state() const;
  void set_state(std::string_view text);

 private:
  struct Content {
    ranks::SharedRunFigures run;
    MapCells cells;
    std::vector<ranks::MeanIteration> bars;  // by rank of the figures
    double longest_bar_ns = 0, median_own_ns = 0;
    std::vector<std::string> names;  // by row of the map
  };
  // Where the parts stand.
  struct Layout {
    Box names, plot, bars, costs, legend;
  };
  using ContentKey = std::tuple<ranks::SharedRunFigures, MapValue, MapOrder>;
  using PixelKey =
      std::tuple<std::shared_ptr<const Content>, std::size_t, std::size_t, MapSpan, MapSpan>;
  using DrawingKey =
      std::tuple<std::shared_ptr<const MapPixels>, const Palette*, float, float, float, float>;

  void draw_controls(Frame& frame, const Box& box);
  void draw_names(Frame& frame, const Layout& layout, const Shown& shown) const;
  void draw_cells(Frame& frame, const Layout& layout, BarLayer& layer);
  void draw_selected(Frame& frame, const Box& plot, const Shown& shown) const;
  void draw_bars(Frame& frame, const Layout& layout, BarLayer& layer, MapRequest& request) const;
  void draw_axis(Frame& frame, const Layout& layout, const Shown& shown) const;
  void draw_costs(Frame& frame, const Layout& layout, const Shown& shown, BarLayer& layer) const;
  void explain_cost(Frame& frame, const Box& box, const Shown& shown) const;
  void draw_legend(Frame& frame, const Layout& layout) const;
  void turn_wheel(const Box& plot);
  void point(Frame& frame, const Layout& layout, const Shown& shown, MapRequest& request);
  void drag(Frame& frame, const Box& plot, MapCell to, bool is_held, MapRequest& request) const;
  void ask_for(const MapPixels::Worst& cell, MapRequest& request) const;
  // That of the selected iteration of the active rank, else the first one.
  std::pair<std::size_t, std::size_t> first_cursor(const Shown& shown) const;
  // The arrow keys move over what is drawn as one cell; Enter clicks.
  void walk(Frame& frame, const Box& plot, const Shown& shown, MapRequest& request);
  // Of what is drawn there as one cell. `how`: it is asked for.
  void explain(Frame& frame, std::size_t row, std::size_t column, const std::string& how,
               const Shown& shown) const;

  bool is_two_sided() const { return value_ == MapValue::deviation; }
  std::size_t rank_at(std::size_t row) const { return content_.get()->cells.rows[row]; }

  MapValue value_ = MapValue::deviation;
  MapOrder order_ = MapOrder::rank;
  Late<ContentKey, Content> content_{Late<ContentKey, Content>::WhenOutdated::finish};
  Late<PixelKey, MapPixels> pixels_{Late<PixelKey, MapPixels>::WhenOutdated::finish};
  DrawingKey drawing_of_;
  MapDrawing drawing_;  // kept: it costs the pixels
  std::optional<MapCell> drag_from_;
  std::optional<std::pair<std::size_t, std::size_t>> cursor_;  // row and column on screen
  MapWindow window_;  // of window_of_; of another run all is shown
  ranks::SharedRunFigures window_of_;
};

}  // namespace dlview::ui
