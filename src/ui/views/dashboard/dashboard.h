// The Dashboard: ten panels over one Aggregation. prepare_dashboard() is pure and runs once for
// each Aggregation; DashboardView draws what it made.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "timeline/request.h"
#include "ui/chart/bars.h"
#include "ui/view.h"
#include "ui/views/dashboard/details.h"
#include "ui/views/dashboard/devices.h"
#include "ui/views/dashboard/findings.h"
#include "ui/views/dashboard/shares.h"
#include "ui/views/dashboard/top_ops.h"
#include "ui/widgets/figures.h"
#include "ui/widgets/fixed_table.h"
#include "ui/widgets/stacked_bar.h"

namespace dlview::ui {

struct DashboardContent {
  std::vector<KeyFigure> summary;
  std::vector<BarPart> breakdown, communication, kernel_time, tensor_core_efficiency;
  std::string why_no_kernel_time, why_no_efficiency;  // for a bar without parts
  DevicesPanel devices;
  TopOpsPanel top_ops;
  std::vector<KeyValue> system;
  std::vector<TopKernelRow> top_kernels;
  MissedKernels missed_kernels;
  std::vector<EligibleOpRow> eligible_ops;
};
// `unknown_use_ns`: as prepare_kernel_time() has it; `unknown`: null until it is known.
DashboardContent prepare_dashboard(const profile::Profile& profile,
                                   const aggregate::Aggregation& aggregation,
                                   std::optional<int64_t> unknown_use_ns,
                                   const aggregate::UnknownTensorCoreUse* unknown,
                                   const std::string& viewer_version);

// Of one file.
class DashboardView : public View {
 public:
  void draw(Frame& frame, const Box& box, const ViewTools& tools) override;
  void draw(Frame& frame, const Box& box, BarLayer& bars, Background& background);
  std::optional<timeline::Request> take_timeline_request() override {
    return std::exchange(timeline_request_, std::nullopt);
  }

 private:
  enum class Panel {
    breakdown,
    kernel_time,
    tensor_cores,
    iterations,
    top_ops,
    findings,
    devices,
    system,
    guidance,
  };
  struct Cell {
    Panel panel;
    int columns;
  };
  struct Layout {
    std::vector<std::vector<Cell>> rows;
    float chart_height;  // of the iteration summary, at least
  };
  // How high the rows of the top ops and the chart of iterations are, so that the window shows
  // whole panels and is filled. The bottoms are those of the last frame, from the top of the first
  // panel, with rows of kRowHeight and the layout's chart.
  struct Fit {
    float row_height = kRowHeight;
    float ops_rest = 0, chart_growth = 0;         // pixels; below the top ops, and of the chart
    std::vector<float> bottoms;                   // of the rows of panels
    float ops_bottom = 0, beside_ops_bottom = 0;  // of the top ops, and of what stands beside them
    float ops_row_bottom = 0;                     // of their row
  };
  // A row of panels; the usual bottoms are those without the growth of Fit.
  struct DrawnRow {
    float bottom = 0, usual_bottom = 0;
    float usual_ops_bottom = 0;     // 0: the row has no top ops
    float usual_beside_bottom = 0;  // of the other panels
  };

  static const Layout& layout_for(float width);
  void prepare(const Model& model, Background& background);
  DetailsKind details(const Model& model);
  void show(Frame& frame, DetailsKind kind);
  void close_details(Frame& frame);
  void fit_to(const Frame& frame, float window_height);
  float growth_of(const Frame& frame, Panel panel) const;
  float draw_rows(Frame& frame, const Area& area, BarLayer& bars);
  DrawnRow draw_row(Frame& frame, const Area& area, const Layout& layout,
                    const std::vector<Cell>& cells, BarLayer& bars);
  float draw_panel(Frame& frame, const Layout& layout, Panel panel, const Area& area,
                   BarLayer& bars);
  float draw_breakdown(Frame& frame, const Area& area);
  float draw_kernel_time(Frame& frame, const Area& area);
  float draw_tensor_cores(Frame& frame, const Area& area);
  float draw_advice(Frame& frame, const Area& area);
  void open(Frame& frame, const FindingRow& finding);

  std::shared_ptr<const aggregate::Aggregation> prepared_for_;
  UnknownUseData unknown_use_data_;
  std::shared_ptr<const aggregate::UnknownTensorCoreUse> unknown_use_;
  std::optional<int64_t> unknown_use_ns_;  // of the aggregation
  DashboardContent content_;
  FindingsData findings_data_;
  std::shared_ptr<const FindingRows> findings_;
  BarData bar_data_;
  BarPicture bar_picture_;
  HiddenParts hidden_breakdown_ = 0, hidden_kernel_time_ = 0, hidden_tensor_cores_ = 0,
              hidden_devices_ = 0;
  std::optional<timeline::Request> timeline_request_;
  DetailsKind shown_ = DetailsKind::none;  // in the pane, unless the kernel details are open
  Fit fit_;
};

}  // namespace dlview::ui
