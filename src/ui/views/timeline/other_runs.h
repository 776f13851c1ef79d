// The other open runs below the active one in the Timeline, on its axis of time.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "timeline/lanes.h"
#include "timeline/request.h"
#include "ui/background.h"
#include "ui/chart/bars.h"
#include "ui/views/timeline/colours.h"
#include "ui/views/timeline/layout.h"
#include "ui/views/timeline/rows.h"

namespace dlview::ui {

class OtherRuns {
 public:
  // A run to switch to, and what its Timeline shows then.
  struct Chosen {
    std::size_t number = 0;  // of Model::runs
    timeline::Request request;
  };

  // In every frame, before what follows: takes over Model::other_runs.
  void update(Frame& frame, timeline::ColourBy by, Background& background);
  bool empty() const { return bands_.empty(); }
  float height(const Frame& frame) const;

  // From `top` down, clipped by the plot. The plot is that of the active run, whose window all
  // share.
  void draw(Frame& frame, const TimelinePlot& plot, float names_left, float top, BarLayer& bars);
  // Of what was drawn last. A tooltip for what lies at a point; what a click there asks for.
  void show_tooltip_at(Frame& frame, float x, float y);
  std::optional<Chosen> chosen_at(Frame& frame, float x, float y);

 private:
  struct Band {
    std::string path;                              // inspector names begin with it
    std::shared_ptr<const timeline::Lanes> lanes;  // null while they are being sorted
    std::set<std::string> folded;
    KeptLayout layout;
    LinePictures pictures;
    ColourChoice colours;
    TimelinePlot plot;
  };

  float height(const Frame& frame, const Band& band) const;
  void draw_heading(Frame& frame, const OtherRun& run, const Band& band, const Box& box);
  TimelineLooks looks(const Frame& frame, const OtherRun& run, const Band& band) const;
  // Calls use(run, band, rows) for the band whose rows hold that height.
  template <typename Use>
  void with_band_at(Frame& frame, float y, const Use& use);

  std::map<workspace::RunId, Band> bands_;
};

// The name of a run above its rows, and how its times relate to those of the active one.
void draw_run_heading(Frame& frame, const Box& box, std::string_view name, std::string_view note);
float run_heading_height(const Frame& frame);

}  // namespace dlview::ui
