#include "ui/run_views.h"

#include <algorithm>
#include <string>
#include <utility>

#include "ui/filters.h"
#include "ui/fonts.h"
#include "ui/navigation_bar.h"
#include "ui/system_faces.h"
#include "ui/table/data_table.h"
#include "ui/views/compare/compare_view.h"
#include "ui/views/timeline/timeline_view.h"

namespace dlview::ui {

void RunViews::show(const std::shared_ptr<const profile::Profile>& profile) {
  if (profile == profile_) return;
  std::vector<std::unique_ptr<View>> made;
  for (const ViewInfo& view : views()) made.push_back(view.make(*profile));
  views_ = std::move(made);
  timeline_ = static_cast<TimelineView*>(&view(ViewId::timeline));
  compare_ = static_cast<CompareView*>(&view(ViewId::compare));
  strip_ = {};
  profile_ = profile;
}

void RunViews::clear() {
  views_.clear();
  timeline_ = nullptr;
  compare_ = nullptr;
  strip_ = {};
  profile_.reset();
  wanted_tables_.clear();
  wanted_timeline_.reset();
  wanted_bookmarks_.reset();
  if (next_characters_) texts_of_.reset();
  next_characters_ = {};
}

void RunViews::forget(workspace::RunId other) {
  if (timeline_) timeline_->forget(other);
  if (compare_) compare_->forget(other);
  strip_.forget(other);
}

// Colors and Python frames that were asked for and have not been shown yet stay.
void RunViews::set_timeline(const timeline::Request& request) {
  const auto colors = wanted_timeline_ ? wanted_timeline_->colors : std::nullopt;
  const bool python_frames = wanted_timeline_ && wanted_timeline_->python_frames;
  wanted_timeline_ = request;
  if (!request.colors) wanted_timeline_->colors = colors;
  wanted_timeline_->python_frames |= python_frames;
}

void RunViews::take_requests() {
  for (const workspace::TableState& state : std::exchange(wanted_tables_, {})) {
    for (const auto& view : views_) view->set_table(state);
  }
  if (wanted_timeline_) timeline_->request(*std::exchange(wanted_timeline_, std::nullopt));
  if (wanted_bookmarks_) timeline_->bookmarks() = *std::exchange(wanted_bookmarks_, std::nullopt);
}

void RunViews::draw(Frame& frame, const Box& box, BarLayer& bars) {
  const Model& model = frame.model;
  show(model.profile);
  has_ranks_ = model.ranks.has_value();
  take_requests();
  Box content = box;
  const bool has_strip = info(model.view).has_strip;
  if (has_strip) content.top = box.top + strip_height(frame, box.height());
  const Box strip_box{box.left, box.top, box.right, content.top};
  last_shown_[info(model.view).tab] = model.view;
  content.top = draw_view_switch(frame, content);
  if (!model.selection.filters.empty()) {
    content.top = draw_filter_chips(frame, {box.left, content.top, box.width()});
  }
  view(model.view).draw(frame, content, {bars, tables_});
  show_in_timeline(model, frame.host);
  // Behind the view: it marks what the Timeline shows now.
  if (!has_strip) return;
  const bool marks = model.view == ViewId::timeline;
  strip_.draw(frame, strip_box, bars,
              marks ? timeline_->marked() : std::vector<timeline::TimeWindow>{});
}

void RunViews::show_in_timeline(const Model& model, Host& host) {
  tables_.wants_timeline = false;
  auto wanted = place_search_.take(model, tables_, host);
  if (const auto of_view = view(model.view).take_timeline_request()) wanted = of_view;
  if (!wanted) return;
  timeline_->request(*wanted);
  host.show(ViewId::timeline);
}

bool RunViews::set_texts(const std::shared_ptr<const profile::Profile>& profile) {
  bool has_changed = false;
  if (next_characters_.ended()) {
    base::Result<std::vector<char32_t>> found = next_characters_.take();
    if (!found) tables_.background.fail(found.error());
    if (found) characters_ = *std::move(found);
    has_changed = found.ok();
  }
  if (!profile || profile == texts_of_.lock()) return has_changed;
  texts_of_ = profile;
  next_characters_ = {};
  if (!has_few_events(*profile)) {
    next_characters_ = tables_.background.start(
        [profile](const base::Progress&) { return foreign_characters(*profile); });
    return has_changed;
  }
  characters_ = foreign_characters(*profile);
  return true;
}

ViewId RunViews::view_of(TabId tab) const {
  const auto shown = last_shown_.find(tab);
  const ViewId view = shown == last_shown_.end() ? views_of(tab).front().id : shown->second;
  return profile_ ? nearest_view(*profile_, view, has_ranks_) : view;
}

std::vector<DataTable*> RunViews::tables_of(ViewId id) const {
  return views_.empty() ? std::vector<DataTable*>{} : view(id).tables();
}

std::vector<workspace::TableState> RunViews::table_states(std::string_view name) const {
  const auto id = parse_view(name);
  return views_.empty() || !id ? std::vector<workspace::TableState>{} : view(*id).table_states();
}

bool RunViews::wants_python_frames(ViewId id) const {
  return !views_.empty() && view(id).wants_python_frames();
}

report::SharedRunComparison RunViews::comparison() const {
  return compare_ ? compare_->shared_comparison() : nullptr;
}

std::shared_ptr<const aggregate::RunPair> RunViews::compared_pair() const {
  return compare_ ? compare_->shared_pair() : nullptr;
}

bool RunViews::wants_limits(ViewId id) const {
  return !views_.empty() && view(id).wants_limits();
}

bool RunViews::has_selected_row(ViewId id) const {
  if (!views_.empty() && view(id).keeps_escape()) return true;
  return std::ranges::any_of(tables_of(id), [this](const DataTable* table) {
    return table->model().look().id == tables_.focused && !table->model().selected().empty();
  });
}

bool RunViews::can_show_row_in_timeline(ViewId id) const {
  return std::ranges::any_of(tables_of(id), [this](const DataTable* table) {
    return table->model().look().id == tables_.focused && table->can_place_selected();
  });
}

void RunViews::run(TimelineCommand command, double steps) {
  if (timeline_) timeline_->run(command, steps);
}

// What is asked for and not yet shown counts, too.
timeline::Request RunViews::timeline_state() const {
  timeline::Request state{.window = std::nullopt, .iteration = std::nullopt};
  if (wanted_timeline_) {
    state.window = wanted_timeline_->window;
    state.colors = wanted_timeline_->colors;
  }
  if (timeline_ && !state.window) state.window = timeline_->window();
  if (timeline_ && !state.colors) state.colors = timeline_->colors();
  if (state.colors == timeline::ColorBy::category) state.colors.reset();
  state.python_frames = timeline_shows_python_frames();
  state.side_by_side = timeline_is_side_by_side();
  return state;
}

bool RunViews::timeline_is_side_by_side() const {
  if (wanted_timeline_) return wanted_timeline_->side_by_side;
  return timeline_ && timeline_->is_side_by_side();
}

bool RunViews::timeline_shows_python_frames() const {
  if (wanted_timeline_ && wanted_timeline_->python_frames) return true;
  return timeline_ && timeline_->shows_python_frames();
}

bool RunViews::has_timeline_selection() const {
  return timeline_ && timeline_->has_selection();
}

bool RunViews::timeline_measures() const {
  return timeline_ && timeline_->is_measuring();
}

bool RunViews::timeline_can_set_bookmark() const {
  return timeline_ && timeline_->can_set_bookmark();
}

bool RunViews::is_searching_timeline() const {
  return timeline_ && timeline_->is_searching();
}

std::string RunViews::timeline_status() const {
  return timeline_ ? timeline_->status() : "";
}

const timeline::Bookmarks& RunViews::bookmarks() const {
  static const timeline::Bookmarks kNone;
  if (wanted_bookmarks_) return *wanted_bookmarks_;
  return timeline_ ? timeline_->bookmarks() : kNone;
}

}  // namespace dlview::ui
