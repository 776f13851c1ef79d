// Ranks: which rank of a run makes the others wait, in which iterations, and in what. What it shows
// is read by workspace::RankRun. It is drawn without a profile, too: of a summary alone.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "ui/background.h"
#include "ui/table/data_table.h"
#include "ui/views/ranks/heat_map.h"
#include "ui/views/tables/table_view.h"

namespace dlview::ui {

// The mean iteration of a rank: the seven parts, other kernels being split, so that own work ends
// before the wait.
struct RankBar {
  static constexpr std::size_t kParts = aggregate::kCategoryCount + 2;
  std::array<double, kParts> parts_ns{};  // the seven, exposed transfer, exposed wait
  double own_ns = 0;                      // all but the wait
};
std::vector<RankBar> make_rank_bars(const ranks::RunFigures& run);  // by rank of the figures

// The iteration of the profile of a rank that is a column of the map. Costs its rows.
int64_t iteration_in_profile(const ranks::RunFigures& run, std::size_t rank, std::size_t column);

class RanksView : public TableView {
 public:
  RanksView();
  std::vector<DataTable*> tables() override { return {&table()}; }
  void set_table(const workspace::TableState& state) override;
  std::vector<workspace::TableState> table_states() override;

  // Tables that stand for what is chosen, in a state: "own/host", and the table that is shown.
  static constexpr const char* kMapState = "ranks_map";
  static constexpr const char* kTableState = "ranks_table";

 private:
  struct Content {
    MapCells cells;
    std::vector<RankBar> bars;
    double longest_bar_ns = 0, median_own_ns = 0;
    std::vector<std::string> names;  // by row of the map
  };
  using Run = ranks::SharedRunFigures;
  using ContentKey = std::tuple<Run, MapValue, MapOrder>;
  using PixelKey = std::tuple<std::shared_ptr<const Content>, std::size_t, std::size_t>;
  // Where the parts of the map stand.
  struct Layout {
    Box names, plot, bars, costs, legend;
  };
  struct Head {
    std::string count, sentence, clocks;
    std::vector<std::string> notes;
  };
  using DrawingKey =
      std::tuple<std::shared_ptr<const MapPixels>, const Palette*, float, float, float, float>;

  void draw_tables(Frame& frame, const Box& box, Tables& tables) override;
  void draw_nothing(Frame& frame, const Box& box, const workspace::RankModel& model) const;
  float draw_head(Frame& frame, const Box& box, const workspace::RankModel& model);
  float draw_notes(Frame& frame, const Area& area) const;
  void draw_map_panel(Frame& frame, const Box& box, Tables& tables);
  void draw_names(Frame& frame, const Layout& layout);
  void draw_cells(Frame& frame, const Layout& layout);
  void draw_bars(Frame& frame, const Layout& layout);
  void draw_costs(Frame& frame, const Layout& layout);
  void draw_legend(Frame& frame, const Layout& layout);
  void point_at_map(Frame& frame, const Layout& layout);
  void explain(Frame& frame, const MapPixels::Worst& cell, std::size_t cells) const;
  void click(Frame& frame, std::size_t rank, std::optional<std::size_t> column) const;
  void select_range(Frame& frame, std::size_t first, std::size_t last) const;
  void draw_table_panel(Frame& frame, const Box& box, Tables& tables);

  bool is_two_sided() const { return value_ == MapValue::deviation; }
  std::size_t rank_at(std::size_t row) const { return content_.get()->cells.rows[row]; }
  // The rank whose profile is the active run, if its iterations are those of the map.
  std::optional<std::size_t> active_rank(const Model& model) const;
  DataTable& table() { return shown_table_ == 0 ? ranks_ : collectives_; }

  std::shared_ptr<const workspace::ReadRanks> read_;
  MapValue value_ = MapValue::deviation;
  MapOrder order_ = MapOrder::rank;
  bool shows_notes_ = false;
  std::size_t shown_table_ = 0;
  Late<ContentKey, Content> content_{Late<ContentKey, Content>::WhenOutdated::finish};
  Late<PixelKey, MapPixels> pixels_{Late<PixelKey, MapPixels>::WhenOutdated::finish};
  DrawingKey drawing_of_;
  MapDrawing drawing_;                    // kept: it costs the pixels
  Head head_;                             // of read_
  std::optional<std::size_t> drag_from_;  // column of cells
  DataTable ranks_, collectives_;
  std::tuple<Run, std::shared_ptr<const aggregate::Aggregation>> tables_of_;
  std::shared_ptr<const TableData> ranks_data_, collectives_data_;
  BarLayer* layer_ = nullptr;  // within draw_tables()
};

}  // namespace dlview::ui
