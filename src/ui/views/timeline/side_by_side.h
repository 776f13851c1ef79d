#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "timeline/request.h"
#include "timeline/time_window.h"
#include "ui/chart/bars.h"
#include "ui/table/scrolling.h"
#include "ui/table/tables.h"
#include "ui/views/timeline/bookmark_marks.h"
#include "ui/views/timeline/differences.h"
#include "ui/views/timeline/event_pane.h"
#include "ui/views/timeline/plot_controls.h"
#include "ui/views/timeline/rows.h"
#include "ui/views/timeline/timeline_bar.h"
#include "ui/widgets/panel.h"

namespace dlview::ui {

// Two iterations one above the other, aligned at their starts: two bands of the same lanes below
// one ruler that begins at 0, in one window that keys, wheel and mouse move. The table below lists
// the differences. A part of the Timeline.
class SideBySide {
 public:
  // Shared with the rest of the Timeline, for one frame.
  struct Scene {
    const std::shared_ptr<const timeline::Lanes>& lanes;
    EventColors colors;
    const timeline::NameHits* hits;  // may be null, as the next one
    const aggregate::RuleIndex* rules;
    EventSearch& search;
    std::set<std::string>& folded;
    BookmarkMarks& bookmarks;
    Background& background;
  };

  bool is_on() const { return is_on_; }
  // `window`: the visible time at first, relative to the starts; nullopt = both iterations.
  void begin(std::optional<timeline::TimeWindow> window);
  void end();

  void draw(Frame& frame, const Box& box, BarLayer& bars, Tables& tables, const Scene& scene);
  // Commands that move the window or use the selection; applied by the next draw().
  void run(TimelineCommand command, double steps) { orders_.push_back({command, steps}); }
  // Goes to the next match of the search, or with -1 to the previous one.
  void step_hit(int direction);
  // Clears the selection; false if nothing is selected.
  bool deselect();
  bool is_measuring() const { return measure_.is_on(); }
  void end_measuring() { measure_.end(); }

  DifferencesOf lists() const { return panel_.rows_are(); }
  bool has_selection() const { return selected_.has_value(); }
  std::optional<timeline::Place> selected_place() const {
    return selected_ ? std::optional(selected_->place) : std::nullopt;
  }
  // nullopt while both iterations are visible as a whole.
  std::optional<timeline::TimeWindow> window() const;
  // The part of the run that each band shows; empty before the first draw().
  const std::vector<timeline::TimeWindow>& shown() const { return shown_; }
  // "view 17 ms · 14 µs per pixel", the measured time, or what a command waits for.
  std::string status() const;

 private:
  struct Order {
    TimelineCommand command;
    double steps;
  };
  // An event of one band, and its match in the other.
  struct Chosen {
    std::size_t side = 0;
    timeline::Place place;
    bool operator==(const Chosen&) const = default;
  };
  struct Drag {
    float x = 0, y = 0;  // where the drag began
    float scroll = 0;
    std::size_t side = 0;
    bool moved = false;
  };

  // Brings the selection into view once its match is known. Any movement ends it.
  struct Awaited {
    int64_t parts_around = 0;
    timeline::TimeWindow window;
    float scroll = 0;
  };

  // Called without a pair to show.
  void leave_pair();
  // Called without a pair for a moment: the visible part and measuring stay.
  void wait_for_pair();
  bool is_looking_for_partner() const;
  void show_awaited(const Scene& scene);
  void show_whole_of_pair();
  void lay_out(const Frame& frame, const Box& box, const Scene& scene);
  float panel_height(const Frame& frame, const Box& box) const;
  void drag_panel(Frame& frame, const Box& box);
  void draw_panel(Frame& frame, const Box& box, Tables& tables);
  void place_maps();
  void carry_out(const Order& order, const Scene& scene);
  void show_chosen(int64_t parts_around, const Scene& scene);
  void show(const Chosen& chosen, const Scene& scene);
  void step_name(int direction, const Scene& scene);
  std::size_t visible_side() const;
  void set_bookmark(const Scene& scene);
  void find_hit(int direction, const Scene& scene);
  void reveal_subject(const Scene& scene);
  void choose(const std::optional<TimelineHit>& hit, std::size_t side, const Scene& scene);
  // The selected event, or the one at the pointer.
  std::optional<timeline::Place> partner(const Chosen& chosen, const Scene& scene);
  int64_t start_ns(std::size_t side) const;
  base::Interval relative_time(const Chosen& chosen, const Scene& scene) const;
  TimelineLooks looks(std::size_t side, const Scene& scene);
  TimelineRows rows(Frame& frame, std::size_t side, const Scene& scene, const TimelineLooks& looks);

  void obey_hand(Frame& frame, std::size_t side, const Scene& scene);
  void click(Frame& frame, std::size_t side, const Scene& scene);
  void offer_event_menu(Frame& frame, const Scene& scene);
  void carry_out(EventAction action, const Scene& scene);
  void click_measure(const Frame& frame, std::size_t side, const Scene& scene);
  void point_measure(const Frame& frame, const Scene& scene);
  void draw_title(Frame& frame, std::size_t side, bool is_typing);
  void draw_bookmarks(Frame& frame, std::size_t side, BookmarkMarks& bookmarks);
  void draw_band(Frame& frame, std::size_t side, BarLayer& bars, const Scene& scene);
  void draw_end(Frame& frame, std::size_t side) const;
  void draw_chosen(Frame& frame, std::size_t side, const TimelineRows& rows, const Scene& scene);
  void draw_pointer(Frame& frame, const Scene& scene);
  void draw_pointed_time(Frame& frame, float x, int64_t at_ns) const;
  void show_pointed(Frame& frame, const Scene& scene);
  void draw_scroll_bars(Frame& frame);

  bool is_on_ = false;
  std::optional<timeline::TimeWindow> wanted_;
  std::vector<Order> orders_;
  int wanted_hit_ = 0;
  PairData pair_;
  std::array<int64_t, 2> navigates_{-1, -1};  // the iterations that the navigator is for
  timeline::Navigator navigator_;             // in ns from the start of both
  std::array<TimelinePlot, 2> plots_;
  std::array<LinePictures, 2> pictures_;
  std::array<ScrollBar, 2> scroll_bars_;
  KeptLayout layout_;
  float scroll_ = 0;
  float names_left_ = 0, ruler_top_ = 0, bands_bottom_ = 0;
  std::optional<Drag> drag_;
  std::optional<Chosen> selected_, pointed_;
  std::optional<Awaited> awaited_;
  std::optional<timeline::Subject> subject_;
  MeasureTool measure_;
  std::size_t measured_ = 0;      // the side in which it measures
  bool reveals_ = false;          // scrolls to the selected event
  bool reveals_subject_ = false;  // to where the selected row's events are
  DifferencesPanel panel_;
  EdgeGrip panel_edge_;
  std::optional<float> panel_share_;  // of the height, once its edge has been dragged
  bool is_panel_folded_ = false;      // by the user
  std::vector<timeline::TimeWindow> shown_;
};

}  // namespace dlview::ui
