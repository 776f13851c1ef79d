// Compare: in what the active run and another one differ. A waterfall from the mean iteration
// before to that after, the spread of both, their iterations with both ranges, and tables. All of
// it follows a bound that is dragged: the waterfall in the same frame, verdicts a few frames later.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ui/background.h"
#include "ui/strip/strip.h"
#include "ui/table/data_table.h"
#include "ui/views/compare/change_chart.h"
#include "ui/views/compare/compare_data.h"
#include "ui/views/compare/histograms.h"
#include "ui/views/tables/table_view.h"
#include "ui/widgets/menu.h"

namespace dlview::ui {

// A run of the comparison, as the frame shows it.
struct CompareSide {
  const workspace::RunModel* run = nullptr;
  std::string_view name;
  aggregate::IterationRange range;
};

class CompareView : public TableView {
 public:
  CompareView();
  std::vector<DataTable*> tables() override { return {&table()}; }
  bool keeps_escape() const override { return place_.part.has_value(); }
  // What was compared last; null = nothing yet, or other runs are being matched.
  std::shared_ptr<const aggregate::Comparison> shared_comparison() const {
    return used_pair_ && data_.get() ? data_.get()->comparison : nullptr;
  }
  std::shared_ptr<const aggregate::RunPair> shared_pair() const { return used_pair_; }
  // A run's profile has been closed.
  void forget(workspace::RunId other);

  // Of the tables, and of the stand-ins below.
  void set_table(const workspace::TableState& state) override;
  std::vector<workspace::TableState> table_states() override;

  // Tables that stand for what is chosen, in a state: the selected row is the part that is open,
  // the table that is shown ("kernels"), and the pairs made by hand, "OLD=NEW" in a line each.
  static constexpr const char* kPlaceState = "compare_part";
  static constexpr const char* kTableState = "compare_table";
  static constexpr const char* kPairsState = "compare_pairs";

 private:
  using SideRuns = std::pair<workspace::RunId, workspace::RunId>;  // before, after
  using RunKey = std::tuple<std::shared_ptr<const profile::Profile>, aggregate::Cut>;
  using PairKey =
      std::tuple<std::shared_ptr<const aggregate::ComparedRun>,
                 std::shared_ptr<const aggregate::ComparedRun>, aggregate::MatchOptions>;
  using DataKey = std::tuple<std::shared_ptr<const aggregate::RunPair>, aggregate::RangePair>;
  // With the data whose judgment is shown, and the axis that was chosen.
  using SpreadKey =
      std::tuple<std::shared_ptr<const aggregate::RunPair>, aggregate::RangePair, ChangePlace,
                 std::shared_ptr<const CompareData>, std::optional<bool>>;
  // An op that waits for its partner.
  struct HalfPair {
    profile::OpIndex before{}, after{};
    std::string name;
  };

  void draw_tables(Frame& frame, const Box& box, Tables& tables) override;
  bool find_sides(const Model& model);
  // Other runs than in the last frame, or the same ones in the other order.
  void take_sides(const SideRuns& sides);
  // Whether the pair was made of the profiles and splits that the sides show. A range says nothing
  // about any other pair: its iterations may not exist there.
  bool is_of_sides(const aggregate::RunPair& runs) const;
  // Drops what refers to rows and ops of the pair before.
  void take_pair();
  void take_command(Tables& tables);
  // True once a pair of the sides is there to be compared.
  bool want_pair(Background& background);
  void want_data(const Model& model, Background& background);
  void draw_alone(Frame& frame, const Box& box);
  void draw_waiting(Frame& frame, const Box& box);
  float draw_head(Frame& frame, const Box& box);
  void draw_side(Frame& frame, const Box& line, const CompareSide& side, bool is_after);
  // In at most `most_lines` lines, the first one as high as `line`; returns the bottom.
  float draw_verdict(Frame& frame, const Box& line, std::size_t most_lines);
  void offer_files(Frame& frame, std::vector<MenuItem>& items) const;
  void draw_waterfall_panel(Frame& frame, const Box& box);
  void draw_distribution_panel(Frame& frame, const Box& box);
  void draw_iterations_panel(Frame& frame, const Box& box);
  // `width`: of the texts beside the chart.
  void draw_iterations(Frame& frame, const Box& line, const CompareSide& side, StripChart& chart,
                       double top_ns, float width, bool is_after);
  void draw_table_panel(Frame& frame, const Box& box, Tables& tables);
  void offer(CopyMenu& menu, Host& host, const TableData& data, std::size_t row);
  void show_in_timeline(Host& host, profile::OpIndex op, const workspace::RunModel& run) const;
  void open(const ChangePlace& place);
  void select_row(const ChangedOp& op);
  // What the distribution shows: the selected op, else what is open.
  ChangePlace looked_at() const;
  std::optional<ChangedOp> selected_op() const;
  DataTable& table() { return *all_tables_[shown_table_]; }
  const aggregate::Comparison* comparison() const;

  CompareSide before_, after_;  // of this frame
  SideRuns sides_{-1, -1};      // of the last one
  bool active_is_after_ = false;
  workspace::RunId other_run_ = -1;  // -1 = none yet
  aggregate::RangePair ranges_;
  Late<RunKey, aggregate::ComparedRun> run_before_, run_after_;
  Late<PairKey, aggregate::RunPair> pair_;
  // What the frame shows: pair_, and null while that is not of the sides.
  std::shared_ptr<const aggregate::RunPair> used_pair_;
  // The last one that was not null: what ops, rows and data refer to.
  std::shared_ptr<const aggregate::RunPair> last_pair_;
  Late<DataKey, CompareData> data_{Late<DataKey, CompareData>::WhenOutdated::finish};
  Late<SpreadKey, Histograms> spread_{Late<SpreadKey, Histograms>::WhenOutdated::finish};

  // Of the ranges on screen; made in the frame.
  struct KeptSide {
    const aggregate::ComparedRun* run = nullptr;  // of last_pair_
    aggregate::IterationRange range;
    std::optional<aggregate::WaterfallSide> side;
    // Makes it of the range; false: it was there.
    bool update(const aggregate::ComparedRun& wanted, const aggregate::IterationRange& of);
  };
  KeptSide side_before_, side_after_;
  std::tuple<std::shared_ptr<const aggregate::RunPair>, ChangePlace> waterfall_of_;
  aggregate::Waterfall waterfall_;  // of the level that the chart shows
  ChangeChart chart_;
  std::tuple<const void*, aggregate::RangePair, ChangePlace, const void*> chart_of_;

  ChangePlace place_;
  std::optional<bool> from_zero_, is_log_;  // as chosen; nullopt = as suits the values
  // Pairs by hand of the sides, and of the runs before and after that were shown earlier. A state
  // brings pairs of the sides that come next: no runs.
  using HandPairs = std::vector<std::pair<std::string, std::string>>;
  HandPairs pairs_;
  std::optional<SideRuns> pairs_of_;
  std::map<SideRuns, HandPairs> other_pairs_;
  std::optional<HalfPair> half_pair_;
  StripChart chart_before_, chart_after_;
  DataTable ops_, kernels_, matching_, checks_;
  std::vector<DataTable*> all_tables_{&ops_, &kernels_, &matching_, &checks_};
  std::size_t shown_table_ = 0;
};

}  // namespace dlview::ui
