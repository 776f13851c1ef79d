// The timeline of up to 16 ranks, on one clock: of each a line of computation and one of
// communication. In a collective the wait is hatched and the transfer full; that under the pointer
// is framed on all ranks, with a line through their common end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ranks/run_figures.h"
#include "timeline/time_window.h"
#include "ui/background.h"
#include "ui/chart/bars.h"
#include "ui/view.h"
#include "ui/views/ranks/rank_map.h"
#include "ui/views/timeline/rows.h"
#include "workspace/rank_timelines.h"

namespace dlview::ui {

// The ranks that the timeline shows, as places in the figures, ascending: all whose profile is at
// hand, or 16 of them: the active one, then from the slowest and the fastest in turn.
std::vector<std::size_t> timeline_ranks(const ranks::RunFigures& run,
                                        const std::vector<std::string>& paths,
                                        std::optional<std::size_t> active);

// A collective, from its first member to its last: somebody waited in it longer than the clocks may
// err, or a rank lacks it.
struct Skew {
  int64_t start_ns = 0, stop_ns = 0;
  uint64_t key = 0;
};

// Of a rank, on the clock of the lowest one.
struct TimelineOfRank {
  struct Call {
    int64_t start_ns = 0, stop_ns = 0;
    int64_t wait_ns = -1;  // -1 = not known, or nobody waits in it
    uint64_t key = 0;      // of a synchronizing collective: equal on all ranks; 0 = none
    profile::Collective collective = profile::Collective::other;
    int64_t group = -1;  // of the lanes
  };
  std::size_t rank = 0;  // of the figures
  std::shared_ptr<const ranks::RankLanes> lanes;
  ranks::ClockFit clock;
  std::vector<Call> calls;  // by start
  int64_t longest_call_ns = 0;
  std::unordered_map<uint64_t, std::size_t> by_key;  // place in `calls`
  std::vector<Skew> missing;                         // that other ranks of the group have, by start

  // A time of the reference clock on that of the rank.
  int64_t to_own(int64_t reference_ns) const;
};

struct RankTimelinesData {
  std::vector<TimelineOfRank> ranks;
  std::vector<Skew> skews;  // by start
  timeline::TimeWindow whole;
};
RankTimelinesData make_rank_timelines(const ranks::RunFigures& run,
                                      const std::vector<std::size_t>& wanted,
                                      const workspace::ReadLanes& lanes);

class RankTimeline {
 public:
  struct Shown {
    ranks::SharedRunFigures run;
    std::vector<std::size_t> ranks;  // timeline_ranks()
    const workspace::RankModel* model = nullptr;
    std::optional<std::size_t> active;     // rank of the profile that is open
    std::optional<std::size_t> iteration;  // of the figures, that is selected
  };
  // Of what draw() draws, ending at `right`, as high as a control.
  static void draw_legend(Frame& frame, float right, float top);
  // Returns what a click asks for.
  MapRequest draw(Frame& frame, const Box& box, const Shown& shown, BarLayer& layer,
                  Background& background);
  // Shows the next collective with a skew; what draw() shows next.
  void find_next_skew() { wants_next_ = true; }
  // Shows this collective as soon as it has been read.
  void show_call(const std::string& group, int64_t place);

 private:
  struct Layout {
    Box plot;
    float names_left = 0;
    float row_height = 0, top = 0;
    std::size_t rows_per_name = 1;  // of low rows not all have their name
  };
  struct Pointed {
    std::size_t row = 0;
    std::optional<std::size_t> call;
  };
  using DataKey = std::tuple<ranks::SharedRunFigures, std::vector<std::size_t>,
                             std::shared_ptr<const workspace::ReadLanes>>;

  void want(const Shown& shown, Background& background);
  void choose_window(const Shown& shown);
  void move_window(Frame& frame, const TimelinePlot& plot);
  void show_wanted();
  void show_next_skew(Host& host);
  void draw_row(Frame& frame, const TimelinePlot& plot, const Layout& layout, std::size_t row,
                const Shown& shown, BarLayer& layer);
  void draw_computing(Frame& frame, const TimelinePlot& plot, const Box& line,
                      const TimelineOfRank& rank, std::vector<render::Rectangle>& out) const;
  void draw_calls(Frame& frame, const TimelinePlot& plot, const Box& line,
                  const TimelineOfRank& rank, std::vector<render::Rectangle>& out) const;
  std::optional<Pointed> point(const TimelinePlot& plot, const Layout& layout) const;
  void frame_collective(Frame& frame, const TimelinePlot& plot, const Layout& layout,
                        uint64_t key) const;
  void draw_missing(Frame& frame, const TimelinePlot& plot, const Box& line,
                    const TimelineOfRank& rank, std::size_t row) const;
  void explain(Frame& frame, const Shown& shown, const Pointed& pointed) const;
  Box row_box(const Layout& layout, std::size_t row) const;

  Late<DataKey, RankTimelinesData> data_{Late<DataKey, RankTimelinesData>::WhenOutdated::finish};
  timeline::Navigator navigator_;
  std::tuple<ranks::SharedRunFigures, std::optional<std::size_t>> window_of_;
  bool wants_next_ = false;
  uint64_t wanted_ = 0, marked_ = 0;  // keys of collectives: to be shown, and shown last; 0 = none
  std::optional<float> drag_from_;
};

}  // namespace dlview::ui
