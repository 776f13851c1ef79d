// Limits: what limits ops and kernels, as a roofline, in quadrants, as a table ordered by what can
// be saved at most, and with the evidence of the selected row. What is selected in one part is
// selected in all: it is the table's selection. limits_view_draw.cpp draws it.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "ui/background.h"
#include "ui/table/data_table.h"
#include "ui/views/limits/evidence_drawer.h"
#include "ui/views/limits/gpu_use_chart.h"
#include "ui/views/limits/limit_data.h"
#include "ui/views/limits/quadrants.h"
#include "ui/views/limits/roofline.h"
#include "ui/views/tables/table_view.h"
#include "ui/widgets/controls.h"

namespace dlview::ui {

// Whether the run has kernels or counters.
bool has_limits(const profile::Profile& profile);

// What stands beside the roofline: quadrants, or how well ops of the range, or kernels of the
// selected op, use the GPU.
enum class LimitPane : uint8_t { quadrants, ops, kernels };
inline constexpr std::array<Segment, 3> kLimitPanes{
    {{"quadrants", "Quadrants"}, {"ops", "Ops"}, {"kernels", "Kernels of op"}}};

class LimitsView : public TableView {
 public:
  LimitsView();
  std::vector<DataTable*> tables() override { return {&table_}; }
  bool wants_limits() const override { return true; }
  // Of the table and of kLimitChoice.
  void set_table(const workspace::TableState& state) override;
  std::vector<workspace::TableState> table_states() override;

  // The table that stands for what is chosen, in a state: its selected row is a LimitChoice.
  static constexpr const char* kLimitChoice = "limits_view";

  // The same for the pane: "ops" or "kernels".
  static constexpr const char* kLimitPane = "limits_pane";

  const LimitChoice& choice() const { return choice_; }
  // Rows made by hand instead of the index's; for tests.
  void show_rows(std::vector<aggregate::LimitRow> rows) { test_rows_ = std::move(rows); }

 private:
  using Key = std::tuple<std::shared_ptr<const aggregate::Aggregation>,
                         std::shared_ptr<const aggregate::LimitIndex>, std::string>;

  void draw_tables(Frame& frame, const Box& box, Tables& tables) override;
  void want_data(Frame& frame, Tables& tables);
  void take_command(Frame& frame, Tables& tables);
  void take_chosen(const Model& model, Tables& tables);
  float draw_head(Frame& frame, const Area& area);
  float draw_toolbar(Frame& frame, const Area& area);
  void draw_plots(Frame& frame, const Box& left, const Box& right);
  void draw_roofline_panel(Frame& frame, const Box& box);
  // What to do where marks or roofs are missing; returns the bottom.
  float draw_advice(Frame& frame, const Area& area);
  void draw_right_panel(Frame& frame, const Box& box);
  void draw_gpu_use(Frame& frame, const Box& box);
  void draw_drawer(Frame& frame, const Box& box, Tables& tables);
  PlotSelection selection() const;
  void obey(const PlotGesture& gesture);
  void select_rows(std::span<const uint32_t> rows);
  void open_chosen(Host& host) const;
  void show_in_timeline(Tables& tables);
  void pin(bool on);
  std::vector<uint32_t> selected_rows() const;
  std::optional<uint32_t> chosen_row() const;
  const LimitData* data() const { return data_.get().get(); }

  LimitChoice choice_;
  bool shows_evidence_ = true;
  bool saves_picture_ = false;  // with this frame
  bool had_drawer_ = false;     // in the last frame
  Late<Key, LimitData> data_{Late<Key, LimitData>::WhenOutdated::finish};
  std::optional<std::vector<aggregate::LimitRow>> test_rows_;
  std::shared_ptr<const LimitData> prepared_for_;
  report::LimitRule prepared_rule_ = report::LimitRule::best;
  report::Roofline roofline_;
  report::Quadrants quadrants_;
  RooflineChart roofline_chart_;
  QuadrantChart quadrant_chart_;
  LimitPane pane_ = LimitPane::quadrants;
  Late<Key, report::OperatorReport> use_{Late<Key, report::OperatorReport>::WhenOutdated::finish};
  GpuUseChart use_chart_;
  std::optional<uint32_t> hovered_;  // in one of the plots, of the last frame
  DataTable table_;
  EvidenceDrawer drawer_;
  // The pinned row, and what it refers to.
  std::shared_ptr<const LimitData> pinned_in_;
  std::optional<uint32_t> pinned_;
  std::string seen_chosen_;  // ChosenRow that has been taken over
};

}  // namespace dlview::ui
