#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "timeline/request.h"
#include "timeline/time_window.h"
#include "ui/background.h"
#include "ui/chart/bars.h"
#include "ui/table/tables.h"
#include "ui/view.h"
#include "ui/views/timeline/bookmark_marks.h"
#include "ui/views/timeline/colors.h"
#include "ui/views/timeline/event_details.h"
#include "ui/views/timeline/event_pane.h"
#include "ui/views/timeline/gaps.h"
#include "ui/views/timeline/other_runs.h"
#include "ui/views/timeline/plot_controls.h"
#include "ui/views/timeline/rows.h"
#include "ui/views/timeline/ruler.h"
#include "ui/views/timeline/side_by_side.h"
#include "ui/views/timeline/timeline_bar.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

// The Timeline: all events of the run as boxes on lanes, from the whole run
// down to one kernel, with the details of the selected one.
class TimelineView : public View {
 public:
  // Says so while the model has no lanes yet.
  void draw(Frame& frame, const Box& box, const ViewTools& tools) override {
    draw(frame, box, tools.bars, tools.tables);
  }
  void draw(Frame& frame, const Box& box, BarLayer& bars, Tables& tables);

  // Takes effect with the next draw().
  void run(TimelineCommand command, double steps = 1) { commands_.push_back({command, steps}); }
  // The same, once there are lanes.
  void request(const timeline::Request& request) { request_ = request; }

  // Another run's profile has been closed.
  void forget(workspace::RunId run) { others_.forget(run); }

  // What is shown of the run, or side by side of the iterations, from their starts; nothing as long
  // as that is all of it.
  std::optional<timeline::TimeWindow> window() const;
  // The parts of the run that are on screen; none as long as that is all of it.
  std::vector<timeline::TimeWindow> marked() const;
  bool has_selection() const {
    return pair_.is_on() ? pair_.has_selection() : selected_ || stretch_;
  }
  bool is_side_by_side() const { return request_ ? request_->side_by_side : pair_.is_on(); }
  bool is_searching() const { return search_.is_on(); }
  // Once they have been read, which whoever owns the session sees to.
  bool shows_python_frames() const {
    return (request_ && request_->python_frames) || !folded_.contains(std::string(kPythonFrames));
  }
  timeline::ColorBy colors() const;
  // They are kept by whoever reads them after a draw().
  timeline::Bookmarks& bookmarks() { return bookmarks_.all(); }
  // Two iterations are on screen, or the run is.
  bool can_set_bookmark() const { return !pair_.is_on() || !pair_.shown().empty(); }
  bool is_measuring() const { return pair_.is_on() ? pair_.is_measuring() : measure_.is_on(); }
  std::string status() const;  // "view 217 ms · 1.7 µs per pixel"

 private:
  struct Order {
    TimelineCommand command;
    double steps;  // of what zooms and pans, or parts of one
  };
  // The window when a pane opened, and what its opening made of it.
  struct MovedByPane {
    timeline::TimeWindow before, after;
    int64_t columns = 0;  // beside the pane
  };
  // What a hand that holds the button is doing.
  struct Drag {
    float x = 0, y = 0;  // where it went down
    float scroll = 0;
    bool selects = false;  // a stretch of time
    bool moved = false;
  };

  void begin(Frame& frame, const std::shared_ptr<const timeline::Lanes>& lanes);
  void apply(Frame& frame, const timeline::Request& request);
  void carry_out(Frame& frame, const Order& order, const TimelinePlot& plot);
  void show(const timeline::Place& place);
  // False: it is on no lane.
  bool go_to(timeline::EventRef event);
  void step(int direction);
  void step_hit(int direction);
  void deselect();
  // What it does whatever is shown; false for other commands.
  bool carry_out_anywhere(Frame& frame, TimelineCommand command);
  void toggle_pair(Frame& frame);
  void show_python_frames(bool shows);
  void begin_pair(Frame& frame, const workspace::IterationPair& pair);
  std::optional<int64_t> shown_iteration(const Frame& frame) const;
  bool draw_pair(Frame& frame, const Box& box, BarLayer& bars, Tables& tables);
  TimelineLooks looks(const Frame& frame) const;
  void show_selection(int64_t parts_around);
  std::optional<base::Interval> selected_time() const;
  void filter_time(Frame& frame);

  TimelinePlot plot_in(const Frame& frame, const Box& box) const;
  void make_room_for_pane(const Frame& frame, const Box& box);
  void draw_rows(Frame& frame, const Box& box, TimelinePlot& plot, BarLayer& bars,
                 Background& background);
  void drag(const Frame& frame, const Hit& hit, TimelinePlot& plot, TimelineRows& rows);
  void click(const std::optional<TimelineHit>& hit);
  void click(TimelineRows& rows);
  void double_click();
  void offer_event_menu(Frame& frame, const TimelinePlot& plot, TimelineRows& rows);
  void carry_out(EventAction action);
  void draw_rulers(Frame& frame, const Box& box, const TimelinePlot& plot, BarLayer& bars);
  void offer_stretch_actions(Frame& frame, const TimelinePlot& plot);
  void draw_bar(Frame& frame, const Box& box);
  // While Python frames are read, or if they could not be. Returns where it ends.
  float draw_frames_reading(Frame& frame, const Box& box);
  void draw_details(Frame& frame, const Box& box, Background& background);
  const SelectedEvent& selected_event(Background& background);
  void draw_lower_panel(Frame& frame, const Box& box, Tables& tables);
  void toggle(LowerPanel panel);
  bool shows_gap() const;
  std::optional<int64_t> selected_gpu() const;
  void set_bookmark();
  void show(const timeline::Bookmark& bookmark);
  void reveal(profile::DeviceIndex device);
  // Rows begin `above` pixels below the top of what is scrolled.
  void scroll_to_revealed(const TimelinePlot& plot, float above);
  void drag_rulers(const Frame& frame, bool held, const TimelinePlot& plot);
  void pan_by(float right, const TimelinePlot& plot);
  // Returns where it ends.
  float draw_lacks(Frame& frame, const Area& area) const;
  void lay_out(const Frame& frame, const TimelinePlot& plot);
  std::optional<timeline::Place> lane_shown_by_ruler(const Frame& frame);

  std::shared_ptr<const timeline::Lanes> lanes_;
  timeline::Navigator navigator_;
  LinePictures pictures_;
  KeptLayout layout_;
  std::optional<timeline::Place> steps_;  // timeline::lane_of_iterations(), for these
  std::shared_ptr<const aggregate::IterationTable> steps_of_;
  std::shared_ptr<const timeline::Lanes> steps_in_;
  OtherRuns others_;
  IterationRuler iteration_ruler_;
  // Groups that are folded, and those of the other mode: shown alone, or with other runs.
  std::set<std::string> folded_ = folded_at_first(), folded_beside_;
  std::vector<Order> commands_;
  std::optional<timeline::Request> request_;
  std::optional<timeline::Place> selected_;
  bool has_clicked_ = false;  // the last press of the button has selected something
  bool was_clicked_ = false;  // in this frame
  bool had_pane_ = false;     // in the last frame, of a selected event
  std::optional<MovedByPane> moved_by_pane_;
  timeline::TimeWindow drawn_window_;
  std::optional<timeline::TimeWindow> stretch_;
  std::optional<Drag> drag_;
  std::optional<float> rulers_held_at_;
  MeasureTool measure_;
  EventSearch search_;
  ColorChoice colors_;
  LowerPanel lower_ = LowerPanel::none;
  GapsPanel gaps_;
  std::optional<IdleGap> gap_;  // the one that was asked for last
  SideBySide pair_;
  BookmarkMarks bookmarks_;
  bool reveals_selected_ = false;                 // scrolls to its row
  std::optional<profile::DeviceIndex> revealed_;  // the GPU that is scrolled to
  int32_t columns_ = 1;                           // of the last frame
  float lacks_height_ = 0;                        // likewise
  float scroll_ = 0;                              // likewise, of the rows
  float scroll_by_ = 0;  // so that the row at the pointer stays where it is in another layout
  std::shared_ptr<const aggregate::Aggregation> detailed_for_;
  std::shared_ptr<const aggregate::RuleIndex> detailed_by_;
  std::optional<timeline::Place> detailed_;
  const SelectedEvent* detailed_event_ = nullptr;  // of what details_ tell
  using EventKey = std::pair<std::shared_ptr<const timeline::Lanes>, timeline::Place>;
  Late<EventKey, SelectedEvent> selected_event_;
  EventDetails details_;
};

}  // namespace dlview::ui
