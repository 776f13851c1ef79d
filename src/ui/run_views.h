// RunViews: the views of one run, what is asked of them before their profile is there, and the
// bookmarks set in its Timeline. Runs do not change each other's views.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <imgui.h>

#include "base/scheduler.h"
#include "report/comparison/comparison_tables.h"
#include "timeline/request.h"
#include "ui/model.h"
#include "ui/strip/strip.h"
#include "ui/table/tables.h"
#include "ui/view.h"
#include "ui/views/tables/row_places.h"
#include "workspace/look.h"

namespace dlview::ui {

class CompareView;
class TimelineView;

class RunViews final : public workspace::RunLook {
 public:
  // `tables` is shared by the runs of a window and outlives them.
  explicit RunViews(Tables& tables) : tables_(tables) {}
  RunViews(const RunViews&) = delete;
  RunViews& operator=(const RunViews&) = delete;

  // The strip, the filters and the view of the model, which has an open profile and its
  // aggregation. Rebuilds the views when the profile changes.
  void draw(Frame& frame, const Box& box, BarLayer& bars);
  // Collects the characters of the profile's texts that need system fonts: of many events in the
  // background. Returns true when they have changed; a null profile keeps the previous ones.
  bool set_texts(const std::shared_ptr<const profile::Profile>& profile);
  const std::vector<char32_t>& characters() const { return characters_; }

  // Drops all that holds the run's profile.
  void clear();
  // The same of another run.
  void forget(workspace::RunId other);

  // workspace::RunLook
  void set_table(workspace::TableState state) override {
    wanted_tables_.push_back(std::move(state));
  }
  void set_timeline(const timeline::Request& request) override;
  void set_bookmarks(timeline::Bookmarks bookmarks) override {
    wanted_bookmarks_ = std::move(bookmarks);
  }
  std::vector<workspace::TableState> table_states(std::string_view view) const override;
  timeline::Request timeline_state() const override;
  const timeline::Bookmarks& bookmarks() const override;

  // The view of the tab that was shown last, or its first one.
  ViewId view_of(TabId tab) const;
  bool wants_python_frames(ViewId view) const;
  bool wants_limits(ViewId view) const;
  // What Compare showed last; null = nothing yet.
  report::SharedRunComparison comparison() const;
  // The runs that Compare matched last; null = none yet.
  std::shared_ptr<const aggregate::RunPair> compared_pair() const;
  // Whether the focused table has a selected row.
  bool has_selected_row(ViewId view) const;
  // Whether that row has a place in the Timeline.
  bool can_show_row_in_timeline(ViewId view) const;

  // Runs the command; `steps` scales a zoom or pan and may be fractional.
  void run(TimelineCommand command, double steps = 1);
  bool timeline_is_side_by_side() const;
  bool has_timeline_selection() const;
  bool timeline_measures() const;
  // Whether they are shown once they have been read.
  bool timeline_shows_python_frames() const;
  bool timeline_can_set_bookmark() const;
  // A text is searched for in it.
  bool is_searching_timeline() const;
  std::string timeline_status() const;  // for the status bar; empty = nothing to say

 private:
  void show(const std::shared_ptr<const profile::Profile>& profile);
  void take_requests();
  // What the view was told to show there.
  void show_in_timeline(const Model& model, Host& host);
  View& view(ViewId id) const { return *views_[static_cast<std::size_t>(id)]; }
  std::vector<DataTable*> tables_of(ViewId id) const;

  Tables& tables_;
  std::shared_ptr<const profile::Profile> profile_;  // that the views show
  std::vector<std::unique_ptr<View>> views_;         // by ViewId; empty until a profile is open
  TimelineView* timeline_ = nullptr;                 // of views_
  CompareView* compare_ = nullptr;                   // likewise
  bool has_ranks_ = false;                           // Model::ranks, of the last frame
  std::map<TabId, ViewId> last_shown_;               // of tabs that have been shown
  IterationStrip strip_;
  PlaceSearch place_search_;
  std::vector<workspace::TableState> wanted_tables_;
  std::optional<timeline::Request> wanted_timeline_;
  std::optional<timeline::Bookmarks> wanted_bookmarks_;
  std::weak_ptr<const profile::Profile> texts_of_;
  base::Task<std::vector<char32_t>> next_characters_;
  std::vector<char32_t> characters_;
};

}  // namespace dlview::ui
