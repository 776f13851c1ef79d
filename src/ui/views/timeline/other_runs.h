// The other open runs below the active one in the Timeline, on its axis of time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "timeline/lanes.h"
#include "timeline/request.h"
#include "ui/background.h"
#include "ui/chart/bars.h"
#include "ui/views/timeline/colors.h"
#include "ui/views/timeline/layout.h"
#include "ui/views/timeline/rows.h"
#include "ui/views/timeline/ruler.h"

namespace dlview::ui {

class OtherRuns {
 public:
  // A run to switch to, and what its Timeline shows then.
  struct Chosen {
    workspace::RunId run = 0;
    timeline::Request request;
  };

  // In every frame, before what follows: takes over Model::other_runs. Events shorter than
  // column_ns are narrower than a column.
  void update(Frame& frame, int64_t column_ns, timeline::ColorBy by, Background& background);
  bool empty() const { return bands_.empty(); }
  float height(const Frame& frame) const;

  // A run's profile has been closed.
  void forget(workspace::RunId run) { bands_.erase(run); }

  // From `top` down. The plot is that of the active run, whose window all share. `selected`: an
  // event there, whose counterparts are framed.
  void draw(Frame& frame, const TimelinePlot& plot, float names_left, float top,
            std::optional<timeline::EventRef> selected, BarLayer& bars);
  // Of what this frame drew: a tooltip for what lies at a point, and what a click there asks for.
  void show_tooltip_at(Frame& frame, float x, float y);
  std::optional<Chosen> chosen_at(Frame& frame, float x, float y);

 private:
  // Of the selected event, while nothing changes.
  struct Counterpart {
    using Key = std::tuple<std::optional<timeline::EventRef>, const aggregate::RunPair*,
                           aggregate::RunDirection, const timeline::Lanes*>;
    Key key;
    std::optional<timeline::Place> place;
    void update(const OtherRun& run, const timeline::Lanes& lanes,
                std::optional<timeline::EventRef> selected);
  };
  struct Band {
    std::string path;                              // inspector names begin with it; never changes
    std::shared_ptr<const timeline::Lanes> lanes;  // null while they are being sorted
    std::set<std::string> folded;
    KeptLayout layout;
    LinePictures pictures;
    IterationBoxes iterations;
    ColorChoice colors;
    std::optional<TimelinePlot> plot;  // of these lanes, once they have been drawn
    Counterpart counterpart;
  };

  float height(const Frame& frame, const Band& band) const;
  TimelineLooks looks(const Frame& frame, const OtherRun& run, const Band& band) const;
  // Calls use(run, band, rows) for the band whose rows hold that height.
  template <typename Use>
  void with_band_at(Frame& frame, float y, const Use& use);

  std::map<workspace::RunId, Band> bands_;
};

// The heading of a run above its rows: its name and a note, both cut where they are long. It stays
// in the plot as long as its rows, which end at `bottom`, are there. Returns its box.
Box draw_run_heading(Frame& frame, const TimelinePlot& plot, float names_left, float bottom,
                     std::string_view name, std::string_view note);
float run_heading_height(const Frame& frame);
// The ids of all threads: they are folded at first, so that the GPUs of all runs are near each
// other.
std::set<std::string> threads_of(const timeline::Lanes& lanes);

}  // namespace dlview::ui
