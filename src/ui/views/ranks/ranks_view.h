// Ranks: which rank of a run makes the others wait, in which iterations, and in what. What it shows
// is read by workspace::RankRun. It is drawn without a profile, too: of a summary alone.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ui/table/data_table.h"
#include "ui/views/ranks/collective_chart.h"
#include "ui/views/ranks/rank_map.h"
#include "ui/views/ranks/rank_timeline.h"
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

  // Tables that stand for what is chosen, in a state: "own/host", and the panel that is shown.
  static constexpr const char* kMapState = "ranks_map";
  static constexpr const char* kPanelState = "ranks_table";
  static constexpr const char* kOnlyState = "ranks_only";  // "0:31,40"

 private:
  enum class Panel : uint8_t { ranks, collectives, timeline, ops, kernels };
  struct Head {
    std::string count, sentence, clocks;
    std::vector<std::string> notes;
  };

  void draw_tables(Frame& frame, const Box& box, Tables& tables) override;
  void draw_nothing(Frame& frame, const Box& box, const workspace::RankModel& model) const;
  void learn_run();
  void learn_head();
  float draw_head(Frame& frame, const Box& box, const workspace::RankModel& model);
  float draw_notes(Frame& frame, const Area& area) const;
  void draw_map(Frame& frame, const Box& box, Tables& tables);
  void draw_panel(Frame& frame, const Box& box, Tables& tables);
  void draw_collectives(Frame& frame, const Box& box, Tables& tables);
  void draw_timeline(Frame& frame, const Box& box, Tables& tables);
  void open_rank(Host& host, std::size_t rank, std::optional<std::size_t> column) const;
  void select_range(Frame& frame, std::size_t first, std::size_t last) const;

  // The column of the iteration that is selected in its profile.
  std::optional<std::size_t> selected_column(const Model& model,
                                             std::optional<std::size_t> active) const;
  TableLook with_actions(TableLook look);
  DataTable& table();

  std::shared_ptr<const workspace::ReadRanks> read_;
  Head head_;  // of read_
  bool shows_notes_ = false;
  std::optional<ranks::RankSet> wanted_only_;  // of a state, until there are figures
  RankMap map_;
  Panel panel_ = Panel::ranks;
  DataTable ranks_, collectives_, ops_, kernels_;
  std::shared_ptr<const TableData> ranks_data_, collectives_data_, ops_data_, kernels_data_;
  CollectiveChart calls_;
  RankTimeline timeline_;
};

}  // namespace dlview::ui
