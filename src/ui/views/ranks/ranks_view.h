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

#include "ui/table/data_table.h"
#include "ui/views/ranks/rank_map.h"
#include "ui/views/tables/table_view.h"

namespace dlview::ui {

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
  struct Head {
    std::string count, sentence, clocks;
    std::vector<std::string> notes;
  };

  void draw_tables(Frame& frame, const Box& box, Tables& tables) override;
  void draw_nothing(Frame& frame, const Box& box, const workspace::RankModel& model) const;
  void learn_head();
  float draw_head(Frame& frame, const Box& box, const workspace::RankModel& model);
  float draw_notes(Frame& frame, const Area& area) const;
  void draw_map(Frame& frame, const Box& box, Tables& tables);
  void click(Frame& frame, std::size_t rank, std::optional<std::size_t> column) const;
  void select_range(Frame& frame, std::size_t first, std::size_t last) const;
  void draw_table_panel(Frame& frame, const Box& box, Tables& tables);

  // The rank whose profile is the active run, if its iterations are those of the map.
  std::optional<std::size_t> active_rank(const Model& model) const;
  DataTable& table() { return shown_table_ == 0 ? ranks_ : collectives_; }

  std::shared_ptr<const workspace::ReadRanks> read_;
  Head head_;  // of read_
  bool shows_notes_ = false;
  RankMap map_;
  DataTable ranks_, collectives_;
  std::size_t shown_table_ = 0;
  std::tuple<ranks::SharedRunFigures, std::shared_ptr<const aggregate::Aggregation>> tables_of_;
  std::shared_ptr<const TableData> ranks_data_, collectives_data_;
};

}  // namespace dlview::ui
