// Trend: metrics over captures of one program, the largest step first. What it shows is measured by
// workspace::TrendRuns, and is the same for all runs of the window.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ui/view.h"
#include "ui/views/trend/trend_panel.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

class TrendView : public View {
 public:
  void draw(Frame& frame, const Box& box, const ViewTools& tools) override;

 private:
  void prepare(const workspace::TrendModel& model);
  float draw_head(Frame& frame, const Box& box, const workspace::TrendModel& model);
  void draw_nothing(Frame& frame, const Box& box, const workspace::TrendModel& model) const;
  void draw_panels(Frame& frame, const Box& box);
  void point_at(Frame& frame, const std::string& name, const DrawnTrendPanel& drawn,
                const TrendPanel& panel);
  void explain(Frame& frame, const TrendPanel& panel, std::size_t capture) const;
  void open(Host& host, std::size_t capture) const;
  void remove(Host& host, std::size_t capture) const;
  void compare(Host& host, std::size_t capture) const;

  std::shared_ptr<const workspace::MeasuredTrend> prepared_for_;
  std::vector<TrendPanel> panels_;
  std::vector<std::string> labels_;     // of the captures, below the axes
  std::optional<std::size_t> active_;   // the capture that is the active run
  std::optional<std::size_t> hovered_;  // in the frame before; lit in all charts
  std::optional<std::size_t> pointed_;  // in this frame
  std::size_t in_menu_ = 0;             // the capture of an open context menu
  std::size_t cursor_ = 0;              // to which the arrow keys have come
};

}  // namespace dlview::ui
