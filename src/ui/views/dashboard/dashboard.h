// The Dashboard: what costs most, first. prepare_dashboard() is pure and runs once for each
// Aggregation; DashboardView draws its result.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "timeline/request.h"
#include "ui/background.h"
#include "ui/chart/iteration_marker.h"
#include "ui/view.h"
#include "ui/views/dashboard/busy_slices.h"
#include "ui/views/dashboard/details.h"
#include "ui/views/dashboard/devices.h"
#include "ui/views/dashboard/findings.h"
#include "ui/views/dashboard/shares.h"
#include "ui/views/dashboard/top_ops.h"
#include "ui/views/dashboard/waterfall.h"
#include "ui/views/dashboard/what_if.h"
#include "ui/widgets/figures.h"
#include "ui/widgets/fixed_table.h"
#include "ui/widgets/stacked_bar.h"

namespace dlview::ui {

struct DashboardContent {
  std::vector<KeyFigure> summary;
  Waterfall waterfall;
  std::vector<BarPart> kernel_time, tensor_core_efficiency;
  std::string why_no_kernel_time, why_no_efficiency;  // for a bar without parts
  std::string not_counted;                            // by the efficiency; may be empty
  std::string no_gpu_activity;                        // why none was recorded; empty if any was
  DevicesPanel devices;
  TopOpsPanel top_ops;
  std::vector<KeyValue> system;  // what is known
  std::string unknown_system;    // "Not recorded: CPU model"; empty if all is known
  std::vector<TopKernelRow> top_kernels;
  MissedKernels missed_kernels;
  std::vector<EligibleOpRow> eligible_ops;
};
// `unknown_times`, `unknown`: nothing until they are known.
DashboardContent prepare_dashboard(const profile::Profile& profile,
                                   const aggregate::Aggregation& aggregation,
                                   const std::optional<UnknownUseTimes>& unknown_times,
                                   const aggregate::UnknownTensorCoreUse* unknown,
                                   const std::string& viewer_version);

// One per profile.
class DashboardView : public View {
 public:
  void draw(Frame& frame, const Box& box, const ViewTools& tools) override;
  void draw(Frame& frame, const Box& box, Background& background);
  // For the headroom that What if shows.
  bool wants_limits() const override { return shows_what_if_; }
  std::optional<timeline::Request> take_timeline_request() override {
    return std::exchange(timeline_request_, std::nullopt);
  }

 private:
  enum class Panel {
    findings,
    whole_run,  // of a run that is not split into iterations
    breakdown,
    top_ops,
    kernel_time,
    tensor_cores,
    devices,
    system,
  };
  struct Column {
    float share;  // of the width
    std::vector<Panel> panels;
  };

  static const std::vector<Column>& columns_for(float width);
  void want_headroom(const Model& model, Background& background);
  void prepare(const Model& model, Background& background);
  DetailsKind details(const Model& model);
  void show(Frame& frame, DetailsKind kind);
  void close_details(Frame& frame);
  void show_in_timeline(const timeline::TimeWindow& time,
                        std::optional<profile::DeviceIndex> device);
  bool has(const Model& model, Panel panel) const;
  float draw_panels(Frame& frame, const Area& area);
  float draw_column(Frame& frame, const Area& area, const std::vector<Panel>& panels);
  float draw_panel(Frame& frame, Panel panel, const Area& area);
  float draw_whole_run(Frame& frame, const Area& area);
  float draw_split(Frame& frame, const Area& area);
  float draw_kernel_time(Frame& frame, const Area& area);
  float draw_tensor_cores(Frame& frame, const Area& area);
  float draw_system(Frame& frame, const Area& area);
  float draw_advice(Frame& frame, const Area& area);
  void open(Frame& frame, const FindingRow& finding);

  std::shared_ptr<const aggregate::Aggregation> prepared_for_;
  UnknownTimeData unknown_time_data_;
  std::shared_ptr<const aggregate::UnknownTensorCoreUse> unknown_use_;
  std::optional<UnknownUseTimes> unknown_times_;  // in the range of the aggregation
  DashboardContent content_;
  FindingsData findings_data_;
  std::shared_ptr<const FindingRows> findings_;
  std::vector<KeyFigure> headline_;
  std::shared_ptr<const FindingRows> headline_for_;
  UnfoldedFindings unfolded_;
  BusySlicesData busy_data_;
  std::shared_ptr<const std::vector<BusySlice>> busy_;  // of a run with one iteration
  MarkerLine marker_;
  HiddenParts hidden_kernel_time_ = 0, hidden_tensor_cores_ = 0;
  std::optional<timeline::Request> timeline_request_;
  WhatIfPane what_if_;
  bool shows_what_if_ = false;
  Late<std::shared_ptr<const aggregate::Aggregation>, std::vector<aggregate::OpHeadroom>> headroom_;
  DetailsKind shown_ = DetailsKind::none;  // in the pane, unless the kernel details are open
};

}  // namespace dlview::ui
