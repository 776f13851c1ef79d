#include "ui/shell.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <imgui.h>

#include "ui/chart/bars.h"
#include "ui/filters.h"
#include "ui/fonts.h"
#include "ui/look.h"
#include "ui/navigation_bar.h"
#include "ui/pages.h"
#include "ui/palette/overlays.h"
#include "ui/status_bar.h"
#include "ui/strip/strip.h"
#include "ui/table/data_table.h"
#include "ui/view.h"
#include "ui/views/tables/row_places.h"
#include "ui/views/timeline/timeline_view.h"

namespace dlview::ui {

struct Shell::State {
  // The views of a run, and what they are asked for before they are drawn.
  struct RunViews {
    std::vector<std::unique_ptr<View>> views;  // by ViewId; empty until a profile is open
    TimelineView* timeline = nullptr;          // of `views`
    IterationStrip strip;
    PlaceSearch place_search;
    std::vector<TableState> wanted_tables;                // Shell::set_table()
    std::optional<timeline::Request> wanted_timeline;     // Shell::set_timeline()
    std::optional<timeline::Bookmarks> wanted_bookmarks;  // Shell::set_bookmarks()
    std::shared_ptr<const profile::Profile> profile;      // that they show
    std::weak_ptr<const profile::Profile> texts_of;
    std::vector<ImWchar> characters;  // of its texts, that need faces of the system

    // Anew for another profile.
    void show(const std::shared_ptr<const profile::Profile>& other) {
      if (other == profile) return;
      profile = other;
      strip = {};
      views.clear();
      for (const ViewInfo& view : ui::views()) views.push_back(view.make(*profile));
      timeline = dynamic_cast<TimelineView*>(&view(ViewId::timeline));
    }
    View& view(ViewId id) const { return *views[static_cast<std::size_t>(id)]; }
    std::vector<DataTable*> tables_of(ViewId id) const {
      return views.empty() ? std::vector<DataTable*>{} : view(id).tables();
    }
    void take_requests() {
      for (const TableState& state : std::exchange(wanted_tables, {})) {
        for (const auto& view : views) view->set_table(state);
      }
      if (wanted_timeline) timeline->request(*std::exchange(wanted_timeline, std::nullopt));
      if (wanted_bookmarks) timeline->bookmarks() = *std::exchange(wanted_bookmarks, std::nullopt);
    }
  };

  explicit State(base::Scheduler& scheduler) : tables(scheduler) {}

  Look look;
  ThemeKind theme = ThemeKind::dark;
  Inspector inspector;
  BarLayer bars;
  Overlays overlays;
  Tables tables;
  std::map<RunId, RunViews> runs;
  RunId shown = 0;
  RunViews* run = nullptr;          // of the one that is shown
  std::vector<ImWchar> characters;  // that are baked from faces of the system, ascending
  std::vector<SystemFace> system_faces;
  bool animating = false;

  void bake_fonts() {
    look.fonts = ui::bake_fonts(*ImGui::GetIO().Fonts, look.scale, system_faces);
  }
  void draw_content(Frame& frame, const Box& box);
  // What the view was told to show there.
  void show_in_timeline(const Model& model, Host& host);
};

void Shell::State::draw_content(Frame& frame, const Box& box) {
  const Model& model = frame.model;
  animating = model.loading && model.loading->total == 0;  // how far it is is not known
  if (model.loading) return draw_loading_page(frame, box);
  if (model.error) return draw_error_page(frame, box);
  if (!model.profile || !model.aggregation) return draw_empty_page(frame, box);
  run->show(model.profile);
  run->take_requests();
  Box content = box;
  const bool has_strip = info(model.view).has_strip;
  if (has_strip) content.top = box.top + frame.px(kStripHeight);
  const Box strip_box{box.left, box.top, box.right, content.top};
  if (!model.selection.filters.empty()) {
    content.top = draw_filter_chips(frame, {box.left, content.top, box.width()});
  }
  run->view(model.view).draw(frame, content, {bars, tables});
  show_in_timeline(model, frame.host);
  // Behind the view: it marks what the Timeline shows now.
  if (!has_strip) return;
  const bool marks = model.view == ViewId::timeline;
  run->strip.draw(frame, strip_box, bars,
                  marks ? run->timeline->marked() : std::vector<timeline::TimeWindow>{});
}

void Shell::State::show_in_timeline(const Model& model, Host& host) {
  tables.wants_timeline = false;
  auto wanted = run->place_search.take(model, tables, host);
  if (auto request = run->view(model.view).take_timeline_request()) wanted = request;
  if (!wanted) return;
  run->timeline->request(*wanted);
  host.show(ViewId::timeline);
}

Shell::Shell(base::Scheduler& scheduler) : state_(std::make_unique<State>(scheduler)) {
  show_run(0);
}
Shell::~Shell() = default;

bool Shell::set_look(ThemeKind theme, float scale) {
  Look& look = state_->look;
  const bool other_scale = look.scale != scale;
  if (!other_scale && state_->theme == theme) return false;
  state_->theme = theme;
  look.palette = palette(theme);
  look.scale = scale;
  if (other_scale) state_->bake_fonts();
  apply_style(look);
  return other_scale;
}

bool Shell::set_texts(const std::shared_ptr<const profile::Profile>& profile) {
  // While the next file is read, the faces of the last one stay.
  State::RunViews& run = *state_->run;
  if (!profile || profile == run.texts_of.lock()) return false;
  run.texts_of = profile;
  run.characters = foreign_characters(*profile);
  std::set<ImWchar> of_all_runs;
  for (const auto& [id, other] : state_->runs) {
    of_all_runs.insert(other.characters.begin(), other.characters.end());
  }
  if (std::ranges::includes(state_->characters, of_all_runs)) return false;
  state_->characters.assign(of_all_runs.begin(), of_all_runs.end());
  state_->system_faces = find_system_faces(state_->characters);
  state_->bake_fonts();
  return true;
}

void Shell::show_run(RunId run) {
  State::RunViews* const views = &state_->runs[run];
  if (views == state_->run) return;
  state_->run = views;
  state_->shown = run;
  state_->tables.in_timeline.reset();
}

void Shell::close_run(RunId run) {
  const auto closed = state_->runs.find(run);
  if (closed == state_->runs.end()) return;
  if (&closed->second == state_->run) state_->run = nullptr;
  state_->tables.in_timeline.reset();
  state_->overlays = {};  // which know a profile
  state_->runs.erase(closed);
}

void Shell::draw(const Model& model, Host& host) {
  state_->inspector.begin_frame();
  state_->bars.begin_frame();
  state_->tables.is_waiting = false;
  Frame frame{state_->look, model, host, state_->inspector};
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::Begin("dlview", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                   ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar();
  const float navigation_bottom = frame.px(kNavigationHeight);
  const float status_top = size.y - frame.px(kStatusHeight);
  draw_navigation_bar(frame, {0, 0, size.x, navigation_bottom});
  ImGui::PushID(state_->shown);  // a text that is typed for one run is none for another
  state_->draw_content(frame, {0, navigation_bottom, size.x, status_top});
  ImGui::PopID();
  const bool shows_timeline = model.profile && model.view == ViewId::timeline;
  draw_status_bar(frame, {0, status_top, size.x, size.y},
                  shows_timeline && state_->run->timeline ? state_->run->timeline->status() : "");
  ImGui::End();
  state_->overlays.draw(frame);
  draw_toast(frame, status_top);
  draw_frame_times(frame, navigation_bottom);
}

bool Shell::poll() {
  return state_->tables.background.take_news();
}

std::optional<base::Error> Shell::take_failure() {
  return state_->tables.background.take_failure();
}

bool Shell::settled() const {
  return !state_->tables.background.busy();
}

void Shell::settle() {
  state_->tables.background.wait_until_idle();
}

void Shell::run(TableCommand command) {
  state_->tables.command = command;
}

void Shell::run(timeline::Command command, double steps) {
  if (state_->run->timeline) state_->run->timeline->run(command, steps);
}

void Shell::set_timeline(const timeline::Request& request) {
  state_->run->wanted_timeline = request;
}

std::optional<timeline::TimeWindow> Shell::timeline_window() const {
  const std::optional<timeline::Request>& wanted = state_->run->wanted_timeline;
  if (wanted && wanted->window) return wanted->window;
  const TimelineView* timeline = state_->run->timeline;
  return timeline ? timeline->window() : std::nullopt;
}

bool Shell::has_timeline_selection() const {
  return state_->run->timeline && state_->run->timeline->has_selection();
}

bool Shell::timeline_can_set_bookmark() const {
  return state_->run->timeline && state_->run->timeline->can_set_bookmark();
}

bool Shell::is_searching_timeline() const {
  return state_->run->timeline && state_->run->timeline->is_searching();
}

timeline::ColourBy Shell::timeline_colours() const {
  const std::optional<timeline::Request>& wanted = state_->run->wanted_timeline;
  if (wanted && wanted->colours) return *wanted->colours;
  const TimelineView* timeline = state_->run->timeline;
  return timeline ? timeline->colours() : timeline::ColourBy::category;
}

bool Shell::timeline_is_side_by_side() const {
  const std::optional<timeline::Request>& wanted = state_->run->wanted_timeline;
  if (wanted) return wanted->side_by_side;
  return state_->run->timeline && state_->run->timeline->is_side_by_side();
}

bool Shell::timeline_measures() const {
  return state_->run->timeline && state_->run->timeline->is_measuring();
}

void Shell::toggle_digits() {
  Digits& digits = state_->tables.digits;
  digits = digits == Digits::few ? Digits::all : Digits::few;
}

void Shell::set_table(TableState state) {
  state_->run->wanted_tables.push_back(std::move(state));
}

std::vector<TableState> Shell::table_states(ViewId view) const {
  const State::RunViews& run = *state_->run;
  return run.views.empty() ? std::vector<TableState>{} : run.view(view).table_states();
}

bool Shell::has_selected_row(ViewId view) const {
  return std::ranges::any_of(state_->run->tables_of(view), [&](const DataTable* table) {
    return table->model().look().id == state_->tables.focused && !table->model().selected().empty();
  });
}

void Shell::set_bookmarks(timeline::Bookmarks bookmarks) {
  state_->run->wanted_bookmarks = std::move(bookmarks);
}

const timeline::Bookmarks& Shell::bookmarks() const {
  const auto& wanted = state_->run->wanted_bookmarks;
  if (wanted) return *wanted;
  static const timeline::Bookmarks kNone;
  return state_->run->timeline ? state_->run->timeline->bookmarks() : kNone;
}

bool Shell::can_show_row_in_timeline(ViewId view) const {
  return std::ranges::any_of(state_->run->tables_of(view), [&](const DataTable* table) {
    return table->model().look().id == state_->tables.focused && table->can_place_selected();
  });
}

void Shell::show_row_in_timeline() {
  state_->tables.wants_timeline = true;
}

const Inspector& Shell::inspector() const {
  return state_->inspector;
}

bool Shell::animating() const {
  return state_->animating || state_->tables.is_waiting;
}

}  // namespace dlview::ui
