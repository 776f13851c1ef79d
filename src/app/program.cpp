#include "app/program.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <variant>

#include <imgui.h>

#include "app/about.h"
#include "app/folder_listing.h"
#include "app/program_commands.h"
#include "report/page/run_page.h"
#include "ui/theme.h"
#include "ui/view.h"
#include "workspace/state_string.h"

namespace dlview::app {
namespace {

// A change may need a second frame to settle (a size that follows from a text), and what is hovered
// is known one frame later.
constexpr int kFramesAfterChange = 3;
// The gesture of a range that is being typed; others count from 0.
constexpr int64_t kTypedRange = -2;

// Between two looks at the budget file.
constexpr double kLookAtDiskSeconds = 0.5;

// Where Tab and Shift+Tab take the keyboard; 0 = another key.
int focus_step(const Chord& chord) {
  if (chord == *parse_chord("Tab")) return 1;
  return chord == *parse_chord("Shift+Tab") ? -1 : 0;
}

}  // namespace

Program::Program(const ProgramOptions& options, ProgramHooks hooks, base::Scheduler& scheduler)
    : hooks_(std::move(hooks)),
      scheduler_(scheduler),
      shell_(scheduler),
      exporter_(scheduler),
      theme_(options.theme),
      palette_(options.palette),
      reduced_motion_(options.reduced_motion),
      display_scale_(options.display_scale),
      zoom_(options.zoom),
      thresholds_(options.thresholds),
      show_timings_(options.show_timings),
      workspace_(scheduler, shell_, hooks_, std::string(ui::info(options.view).name),
                 {.notice = [this](std::string notice) { show_problem(std::move(notice)); },
                  .changed = [this] { changed(); },
                  .activated = [this] { show_overlay(ui::Overlay::none); },
                  .opening =
                      [this] {
                        show_overlay(ui::Overlay::none);
                        notices_.clear();
                      }}) {
  add_program_commands(commands_, *this);
  licenses_ = all_licenses();
  read_recent_files();
}

// What a frame is being built from stays as it is until that is done.
void Program::act(workspace::Action action) {
  act(shown().id, std::move(action));
}
void Program::act(workspace::RunId run, workspace::Action action) {
  if (is_building_) {
    put_off_.push_back({run, std::move(action)});
  } else {
    workspace_.apply(run, std::move(action));
  }
}
void Program::show_in_run(workspace::RunId run, const timeline::Request& request) {
  act(workspace::Activate{run});
  act(run, workspace::ShowTimeline{request});
}
void Program::swap_compared_runs() {
  act(workspace::CompareAs{!workspace_.is_after(run())});
}
void Program::show_compared_timelines() {
  act(workspace::ShowComparedTimelines{});
}
void Program::select_in_run(workspace::RunId run, const aggregate::Selection& selection) {
  act(run, workspace::Select{selection, mouse_gesture()});
}

void Program::add_input(const std::vector<render::InputEvent>& events) {
  if (events.empty()) return;
  input_.add(events);
  frames_to_draw_ = kFramesAfterChange;
  open_dropped(events);
  for (const render::InputEvent& event : events) {
    if (const auto* button = std::get_if<render::MouseButton>(&event)) gesture_ += button->down;
  }
}

void Program::poll() {
  if (shell_.poll()) changed();
  if (view() == ui::ViewId::budgets) workspace_.budgets().look_at_disk();
  take_notices();
  workspace_.poll();
  if (hooks_.memory != nullptr && hooks_.memory->changes() != recent_changes_) {
    read_recent_files();
    changed();
  }
}

void Program::take_notices() {
  TableExporter::News exported = exporter_.take_news();
  if (!exported.problems.empty()) show_problem(std::move(exported.problems));
  if (!exported.saved.empty()) show_notice(std::move(exported.saved));
  workspace_.take_notices();
  if (const auto failure = shell_.take_failure()) show_problem(base::one_line(*failure));
}

bool Program::settled() const {
  return shell_.settled() && exporter_.settled() && workspace_.settled();
}

void Program::settle() {
  workspace_.settle();
  shell_.settle();
  exporter_.settle();
  take_notices();
  changed();
}

bool Program::wants_frame() const {
  const bool fades = fades_notices() && notices_.is_fading();
  return frames_to_draw_ > 0 || !input_.empty() || shell_.animating() || fades ||
         !held_keys_.empty();
}

double Program::next_change_s() const {
  // The budget file may change on disk.
  if (view() == ui::ViewId::budgets && has_budgets() && show_timings_) return kLookAtDiskSeconds;
  if (notices_.empty() || !show_timings_) return 0;
  return notices_.seconds_to_change(fades_notices());
}

void Program::age_notices(float seconds) {
  if (show_timings_ && notices_.pass(seconds)) changed();
}

void Program::hold_keys(float seconds) {
  held_keys_.pass(
      static_cast<double>(seconds), [this](int key) { return input_.is_down(key); },
      [this](const KeyPress& press, double steps) { return commands_.go_on(press, steps); });
}

bool Program::run(const KeyPress& press) {
  ++gesture_;
  if (const int step = focus_step(press.chord); step != 0) {
    shell_.step_focus(step);
    changed();
    return true;
  }
  if (!commands_.run(press)) return false;
  shown().history.end_gesture();
  // Where pictures must not differ, nothing happens by time.
  if (show_timings_) held_keys_.press(press);
  return true;
}

void Program::changed() {
  rebuild_ = true;
  frames_to_draw_ = kFramesAfterChange;
}

std::optional<Program::PictureRequest> Program::take_picture_request() {
  return std::exchange(picture_request_, std::nullopt);
}

void Program::show_notice(std::string notice) {
  if (!show_timings_) notices_.clear();  // where no time passes nothing would go
  notices_.show(std::move(notice));
  changed();
}

void Program::show_problem(std::string notice) {
  if (!show_timings_) notices_.clear();
  notices_.show_problem(std::move(notice));
  changed();
}

void Program::set_display_scale(float scale) {
  if (scale == display_scale_) return;
  display_scale_ = scale;
  changed();
}

void Program::change_zoom(float factor) {
  zoom_ = factor == 0 ? 1.0f : std::clamp(zoom_ * factor, 0.5f, 3.0f);
  changed();
}

void Program::toggle_theme() {
  theme_ = theme_ == ui::ThemeKind::dark ? ui::ThemeKind::light : ui::ThemeKind::dark;
  changed();
}

void Program::toggle_palette() {
  palette_ = palette_ == ui::PaletteKind::standard ? ui::PaletteKind::colorblind
                                                   : ui::PaletteKind::standard;
  changed();
}

void Program::toggle_reduced_motion() {
  reduced_motion_ = !reduced_motion_;
  show_notice(reduced_motion_ ? "Reduced motion is on." : "Reduced motion is off.");
}

void Program::toggle_kernel_details() {
  act(workspace::ShowKernelDetails{view() != ui::ViewId::dashboard || !shown().kernel_details});
}

void Program::toggle_what_if() {
  act(workspace::ShowWhatIf{view() != ui::ViewId::dashboard || !shown().what_if});
}

void Program::toggle_frame_times() {
  show_frame_times_ = !show_frame_times_;
  changed();
}

void Program::go_back() {
  act(workspace::GoBack{});
}
void Program::go_forward() {
  act(workspace::GoForward{});
}

void Program::copy_state() {
  const std::string state = "file=" + workspace::encoded(file_name(shown())) + "," + state_string();
  copy_text(state);
  show_notice("Copied: --state " + state);
}

bool Program::can_close_something() const {
  if (overlay_ != ui::Overlay::none) return true;
  if (ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup) || is_typing()) return false;
  if (has_focus_ring()) return !shell_.focus_keeps_escape();
  if (view() == ui::ViewId::timeline) {
    return has_timeline_selection() || is_searching_timeline() || views().timeline_measures() ||
           is_side_by_side();
  }
  return view() == ui::ViewId::dashboard ? shown().kernel_details || shown().what_if
                                         : views().has_selected_row(view());
}

void Program::close_topmost() {
  if (overlay_ != ui::Overlay::none) return show_overlay(ui::Overlay::none);
  if (has_focus_ring()) {
    shell_.hide_focus();
    return changed();
  }
  if (view() == ui::ViewId::dashboard) {
    return shown().what_if ? toggle_what_if() : toggle_kernel_details();
  }
  if (view() == ui::ViewId::timeline) return run(ui::TimelineCommand::deselect);
  run(ui::TableCommand::deselect);
}

void Program::read_python_frames() {
  shown().session.read_python_frames();
  changed();
}

void Program::cancel_python_frames() {
  shown().session.cancel_python_frames();
  changed();
}

void Program::export_table(const ui::TableExport& what) {
  exporter_.write(what);
}

void Program::save_text(const std::string& name, std::string_view extension, std::string text) {
  exporter_.write_text(name, extension, std::move(text));
}

void Program::save_picture(const std::string& name, const ui::ItemRect& part) {
  picture_request_ = {name, part};
  changed();
}

void Program::open_context_menu() {
  shell_.open_context_menu();
  changed();
}

void Program::run(ui::TableCommand command) {
  shell_.run(command);
  changed();
}

void Program::run(ui::TimelineCommand command, double steps) {
  views().run(command, steps);
  changed();
}

void Program::show_side_by_side() {
  act(workspace::ShowTimeline{{.window = {}, .iteration = {}, .side_by_side = true}});
}

void Program::show_row_in_timeline() {
  shell_.show_row_in_timeline();
  changed();
}

void Program::save_page() {
  workspace::RunModel run;
  shown().session.describe(run);
  report::SharedRunComparison comparison;
  if (view() == ui::ViewId::compare) comparison = views().comparison();
  // A page that compares is one of the run before.
  if (const workspace::Run* other = workspace_.other_of(shown());
      comparison && other != nullptr && workspace_.is_after(shown())) {
    run = {};
    other->session.describe(run);
  }
  show_notice("Saving the page…");
  exporter_.write_file("report", "html", [run, comparison](const std::filesystem::path& path) {
    return report::page::write_run_page({.profile = *run.profile,
                                         .aggregation = *run.aggregation,
                                         .version = DLVIEW_VERSION,
                                         .rules = run.rules.get(),
                                         .limits = run.limits.get(),
                                         .comparison = comparison},
                                        path);
  });
}

bool Program::is_typing() const {
  return ImGui::GetIO().WantTextInput;
}

void Program::toggle_digits() {
  shell_.toggle_digits();
  changed();
}

void Program::request_screenshot() {
  picture_request_.emplace();
  changed();
}

void Program::select(const aggregate::Selection& selection) {
  // Start and Stop typed one after the other are one step.
  const bool types_range =
      is_typing() && selection == shown().session.selection().with_range(selection.range);
  act(workspace::Select{selection, types_range ? kTypedRange : mouse_gesture()});
}

void Program::show(ui::ViewId view) {
  act(workspace::ShowView{std::string(ui::info(view).name)});
}

void Program::show_tab(ui::TabId tab) {
  show(views().view_of(tab));
}

void Program::show_table(ui::ViewId view, const workspace::TableState& state) {
  act(workspace::ShowTable{std::string(ui::info(view).name), state});
}

ui::ViewId Program::view() const {
  const auto view = ui::parse_view(shown().view);
  if (!view) return ui::ViewId::dashboard;
  const auto& profile = session().profile();
  return profile ? ui::nearest_view(*profile, *view, has_ranks()) : *view;
}

void Program::run_command(std::string_view id) {
  ++gesture_;
  act(workspace::EndGesture{});
  commands_.run(id);
}

void Program::copy_text(const std::string& text) {
  ImGui::SetClipboardText(text.c_str());
}

void Program::open_link(const std::string& url) {
  show_notice("Opening " + url);
  hooks_.open_link(url);
}

void Program::link_failed(const std::string& url) {
  copy_text(url);
  show_problem("No browser was found. Copied: " + url);
}

void Program::show_overlay(ui::Overlay overlay) {
  file_use_ = ui::FileUse::open;
  if (overlay == overlay_) return;
  overlay_ = overlay;
  definitions_search_.clear();
  if (overlay == ui::Overlay::files) {
    read_recent_files();
    folder_ = std::make_shared<const ui::FolderListing>(
        app::list_folder(folder_near(shown().session.name())));
  } else {
    folder_.reset();
  }
  changed();
}

void Program::show_definitions(std::string_view search) {
  show_overlay(ui::Overlay::definitions);
  definitions_search_ = search;
}

void Program::set_thresholds(const aggregate::AdviceThresholds& thresholds) {
  if (thresholds == thresholds_) return;
  thresholds_ = thresholds;
  changed();
}

void Program::preview_cut(const std::optional<aggregate::Cut>& cut) {
  act(workspace::PreviewCut{cut});
}

void Program::select_iteration(std::optional<int64_t> iteration) {
  act(workspace::SelectIteration{iteration});
}

void Program::select_baseline(std::optional<int64_t> iteration) {
  act(workspace::SelectBaseline{iteration});
}

}  // namespace dlview::app
