#include "ui/shell.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "ui/background.h"
#include "ui/chart/bars.h"
#include "ui/first_page.h"
#include "ui/fonts.h"
#include "ui/look.h"
#include "ui/navigation_bar.h"
#include "ui/pages.h"
#include "ui/palette/overlays.h"
#include "ui/run_views.h"
#include "ui/status_bar.h"
#include "ui/system_faces.h"
#include "ui/table/tables.h"
#include "ui/view.h"
#include "ui/views/ranks/ranks_view.h"
#include "ui/widgets/focus.h"

namespace dlview::ui {

struct Shell::State {
  struct FoundFaces {
    std::vector<SystemFace> faces;
  };

  explicit State(base::Scheduler& scheduler) : tables(scheduler) {}

  Look look;
  Inspector inspector;
  BarLayer bars;
  Overlays overlays;
  FirstPage first_page;
  KeyboardFocus focus;
  Tables tables;
  std::map<workspace::RunId, RunViews> runs;
  workspace::RunId drawn = 0;
  std::vector<char32_t> wanted_characters;        // of the texts of all runs, ascending
  std::shared_ptr<const FoundFaces> found_faces;  // that are baked
  Late<std::vector<char32_t>, FoundFaces> next_faces;
  bool animating = false;
  std::unique_ptr<View> ranks_alone;  // of a summary without a profile

  RunViews& run_views(workspace::RunId run) { return runs.try_emplace(run, tables).first->second; }
  void bake_fonts() {
    const std::span<const SystemFace> faces = found_faces
                                                  ? std::span<const SystemFace>(found_faces->faces)
                                                  : std::span<const SystemFace>();
    look.fonts = ui::bake_fonts(*ImGui::GetIO().Fonts, look.scale, faces);
  }
  // Looks for faces that have the wanted characters; bakes them once they are found.
  bool take_faces();
  void draw_content(Frame& frame, const Box& box, RunViews& run);
  void draw_ranks_alone(Frame& frame, const Box& box);
};

// The other views need the profile of a rank.
void Shell::State::draw_ranks_alone(Frame& frame, const Box& box) {
  const Model& model = frame.model;
  if (model.view == ViewId::ranks) {
    if (!ranks_alone) ranks_alone = std::make_unique<RanksView>();
    return ranks_alone->draw(frame, box, {bars, tables});
  }
  std::string file = "the profile of a rank";
  if (model.ranks->read && model.ranks->read->figures) {
    file = model.ranks->read->figures->part_of(0).head.file;
  }
  draw_error_card(
      frame, box, "ranks/no_profile",
      {fmt::format("{} needs a profile", info(model.view).title),
       fmt::format("A summary has no events. The events of the first rank are in {}", file),
       "Put the profiles next to the summary, or open one."},
      {{"Show ranks", "view.ranks"}, {"Open file…", "file.open"}});
}

void Shell::State::draw_content(Frame& frame, const Box& box, RunViews& run) {
  const Model& model = frame.model;
  const bool is_of_unknown_length = model.loading && model.loading->total == 0;
  animating = is_of_unknown_length && !model.reduced_motion;
  if (model.loading) return draw_loading_page(frame, box);
  if (model.error) return draw_error_page(frame, box);
  if ((!model.profile || !model.aggregation) && model.ranks) {
    return draw_ranks_alone(frame, box);
  }
  ranks_alone.reset();
  if (!model.profile || !model.aggregation) {
    first_page.draw(frame, box);
    animating = first_page.has_changed();
    return;
  }
  run.draw(frame, box, bars);
}

Shell::Shell(base::Scheduler& scheduler) : state_(std::make_unique<State>(scheduler)) {}
Shell::~Shell() = default;

bool Shell::set_look(ThemeKind theme, float scale, PaletteKind kind) {
  Look& look = state_->look;
  const bool other_scale = look.scale != scale;
  const Palette* colors = &palette(theme, kind);
  if (!other_scale && look.colors == colors) return false;
  look.colors = colors;
  look.scale = scale;
  if (other_scale) state_->bake_fonts();
  apply_style(look);
  return other_scale;
}

bool Shell::set_texts(workspace::RunId run,
                      const std::shared_ptr<const profile::Profile>& profile) {
  if (run_views(run).set_texts(profile)) {
    std::set<char32_t> of_all_runs;
    for (const auto& [id, views] : state_->runs) {
      of_all_runs.insert(views.characters().begin(), views.characters().end());
    }
    std::vector<char32_t>& wanted = state_->wanted_characters;
    if (!std::ranges::includes(wanted, of_all_runs)) {
      wanted.assign(of_all_runs.begin(), of_all_runs.end());
    }
  }
  return state_->take_faces();
}

// Fontconfig and the files of faces may take a good part of a second.
bool Shell::State::take_faces() {
  if (wanted_characters.empty()) return false;
  next_faces.want(
      wanted_characters, false, tables.background,
      [characters = wanted_characters](const base::Progress&) {
        return std::make_shared<const FoundFaces>(FoundFaces{find_system_faces(characters)});
      });
  if (next_faces.is_late() || !next_faces.get() || next_faces.get() == found_faces) return false;
  found_faces = next_faces.get();
  bake_fonts();
  return true;
}

RunViews& Shell::run_views(workspace::RunId run) {
  return state_->run_views(run);
}

workspace::RunLook& Shell::look(workspace::RunId run) {
  return state_->run_views(run);
}

void Shell::clear(workspace::RunId run) {
  for (auto& [id, views] : state_->runs) id == run ? views.clear() : views.forget(run);
}

std::string Shell::view_named(std::string_view name) const {
  const auto view = parse_view(name);
  return view ? std::string(info(*view).name) : "";
}

void Shell::close_run(workspace::RunId run) {
  state_->tables.in_timeline.reset();
  state_->overlays = {};  // which know a profile
  clear(run);
  state_->runs.erase(run);
}

void Shell::draw(const Model& model, Host& host) {
  if (std::exchange(state_->drawn, model.run) != model.run) state_->tables.in_timeline.reset();
  RunViews& views = run_views(model.run);
  state_->inspector.begin_frame();
  state_->bars.begin_frame();
  state_->tables.is_waiting = false;
  Frame frame{state_->look, model, host, state_->inspector, &state_->focus};
  state_->focus.begin_frame(model.overlay != Overlay::none ||
                            ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup));
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
  ImGui::PushID(model.run);  // a text that is typed for one run is none for another
  state_->draw_content(frame, {0, navigation_bottom, size.x, status_top}, views);
  ImGui::PopID();
  const bool shows_timeline = model.profile && model.view == ViewId::timeline;
  draw_status_bar(frame, {0, status_top, size.x, size.y},
                  shows_timeline ? views.timeline_status() : "");
  ImGui::End();
  state_->overlays.draw(frame);
  draw_notices(frame, status_top);
  draw_frame_times(frame, navigation_bottom);
  state_->focus.end_frame(frame);
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

void Shell::step_focus(int by) {
  state_->focus.step(by);
}

bool Shell::has_focus_ring() const {
  return state_->focus.is_visible();
}

bool Shell::focus_takes_keys() const {
  return state_->focus.takes_keys();
}

bool Shell::focus_keeps_escape() const {
  return state_->focus.keeps_escape();
}

void Shell::hide_focus() {
  state_->focus.hide();
}

void Shell::open_context_menu() {
  state_->focus.request_menu();
}

// What the command does to the keyboard counts from now on.
void Shell::run(TableCommand command) {
  hide_focus();
  state_->tables.command = command;
}

void Shell::toggle_digits() {
  Digits& digits = state_->tables.digits;
  digits = digits == Digits::few ? Digits::all : Digits::few;
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
