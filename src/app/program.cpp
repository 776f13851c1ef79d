#include "app/program.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <imgui.h>

#include "app/error_notice.h"
#include "app/folder_listing.h"
#include "app/licenses.h"
#include "app/open_requests.h"
#include "app/program_commands.h"
#include "app/timeline_request.h"
#include "app/view_state.h"
#include "ui/theme.h"

namespace dlview::app {
namespace {

// A change may need a second frame to settle (a size that follows from a text), and what is hovered
// is known one frame later.
constexpr int kFramesAfterChange = 3;
// A frame that keeps changing what it shows is drawn as it is after so many attempts.
constexpr int kMaxBuilds = 3;
// Frames that are built anew repeat a moment: Dear ImGui's clock must move, but not noticeably.
constexpr float kNoTime = 1e-6f;
// How long a notice stands, and when it begins to fade.
constexpr float kNoticeSeconds = 5;
constexpr float kFadeSeconds = 0.6f;
// The gesture of a range that is being typed; others count from 0.
constexpr int64_t kTypedRange = -2;

double ms_since(std::chrono::steady_clock::time_point start) {
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  return took.count();
}

}  // namespace

Program::Program(const ProgramOptions& options, ProgramHooks hooks, base::Scheduler& scheduler)
    : hooks_(std::move(hooks)),
      scheduler_(scheduler),
      shell_(scheduler),
      session_(scheduler),
      exporter_(scheduler),
      view_(options.view),
      theme_(options.theme),
      display_scale_(options.display_scale),
      zoom_(options.zoom),
      thresholds_(options.thresholds),
      show_timings_(options.show_timings) {
  add_program_commands(commands_, *this);
  licenses_ = all_licenses();
  if (hooks_.memory != nullptr) recent_files_ = hooks_.memory->recent();
}

void Program::open(OpenRequest request) {
  remember();
  if (session_.state() == Session::State::open) {
    left_ = LeftFile{session_.name(), path_, state_string()};
  }
  path_ = request.path;
  run_.clear();
  first_view_ = request.view;
  first_tables_ = request.tables;
  first_compared_ = request.compared;
  first_timeline_ = request.timeline;
  overlay_ = ui::Overlay::none;
  history_ = {};
  session_.open(std::move(request));
  notice_.clear();
  changed();
}

bool Program::can_go_back_to_file() const {
  const Session::State state = session_.state();
  return left_ && (state == Session::State::failed || state == Session::State::empty);
}

void Program::go_back_to_file() {
  OpenRequest request = left_->path.empty() ? hooks_.demo() : hooks_.file(left_->path);
  if (const auto state = parse_state(left_->state)) look_as_left(*state, request);
  open(std::move(request));
}

void Program::remember() {
  if (hooks_.memory == nullptr || path_.empty() || session_.state() != Session::State::open) return;
  hooks_.memory->remember(path_, state_string());
}

void Program::forget_files() {
  if (hooks_.memory != nullptr) hooks_.memory->forget();
  recent_files_.clear();
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

// A window shows one file.
void Program::open_dropped(const std::vector<render::InputEvent>& events) {
  std::vector<std::string> paths;
  for (const render::InputEvent& event : events) {
    if (const auto* drop = std::get_if<render::FileDrop>(&event)) paths.push_back(drop->path);
  }
  if (paths.empty()) return;
  open_file(paths.front());
  if (paths.size() == 1) return;
  show_notice(fmt::format("Only {} is opened: a window shows one profile, and {} were dropped.",
                          std::filesystem::path(paths.front()).filename().string(), paths.size()));
}

void Program::poll() {
  if (shell_.poll()) changed();
  take_notices();
  const bool was_loading = session_.state() == Session::State::loading;
  // Behind the first frame of a file, which need not wait for the columns to be looked into.
  if (!was_loading) begin_bookmarks();
  if (!session_.poll()) return;
  if (was_loading) after_loading();
  check_first_timeline();
  changed();
}

void Program::take_notices() {
  for (std::string notice : {exporter_.take_notice(), session_.take_notice()}) {
    if (!notice.empty()) show_notice(std::move(notice));
  }
  if (const auto failure = shell_.take_failure()) show_notice(error_notice(*failure));
}

void Program::after_loading() {
  if (const base::Error* error = session_.error()) return hooks_.failed(*error);
  if (session_.state() != Session::State::open) return;
  left_.reset();
  if (first_view_) view_ = *first_view_;
  for (ui::TableState& state : std::exchange(first_tables_, {})) shell_.set_table(std::move(state));
  session_.select_iteration(first_compared_.iteration);
  session_.select_baseline(first_compared_.baseline);
  shell_.set_timeline(first_timeline_);
  run_.clear();
  history_.begin(session_.selection());
  take_notices();
  remember();
}

void Program::check_first_timeline() {
  if (session_.state() != Session::State::open) return;
  const base::Status there =
      check_timeline_request(session_, first_timeline_, std::exchange(first_compared_, {}));
  const auto colours = first_timeline_.colours;
  first_timeline_.iteration.reset();
  if (!there || session_.lanes() != nullptr) first_timeline_ = {};
  if (there) return;
  shell_.set_timeline({.window = {}, .iteration = {}, .colours = colours});
  show_notice(there.error().title + ": " + there.error().detail);
}

void Program::begin_bookmarks() {
  if (!run_.empty() || session_.state() != Session::State::open) return;
  run_ = run_identity(*session_.profile());
  bookmarks_ = hooks_.bookmarks == nullptr ? ui::timeline::Bookmarks() : hooks_.bookmarks->of(run_);
  shell_.set_bookmarks(bookmarks_);
  changed();
}

void Program::keep_bookmarks() {
  if (run_.empty() || shell_.bookmarks() == bookmarks_) return;
  const auto before = std::exchange(bookmarks_, shell_.bookmarks());
  if (hooks_.bookmarks == nullptr || hooks_.bookmarks->keep(run_, path_, before, bookmarks_)) {
    return;
  }
  show_notice("The bookmarks could not be written to " + bookmark_file().string());
}

void Program::settle() {
  const bool was_loading = session_.state() == Session::State::loading;
  session_.settle();
  shell_.settle();
  exporter_.settle();
  if (was_loading) after_loading();
  begin_bookmarks();
  check_first_timeline();
  take_notices();
  changed();
}

bool Program::wants_frame() const {
  const bool fades =
      !notice_.empty() && show_timings_ && notice_age_s_ > kNoticeSeconds - kFadeSeconds;
  return frames_to_draw_ > 0 || !input_.empty() || shell_.animating() || fades ||
         !held_keys_.empty();
}

double Program::next_change_s() const {
  if (notice_.empty() || !show_timings_) return 0;
  return std::max(0.01f, kNoticeSeconds - kFadeSeconds - notice_age_s_ + 0.01f);
}

void Program::age_notice(float seconds) {
  if (notice_.empty() || !show_timings_) return;
  notice_age_s_ += seconds;
  if (notice_age_s_ < kNoticeSeconds) return;
  notice_.clear();
  changed();
}

void Program::hold_keys(float seconds) {
  held_keys_.pass(
      static_cast<double>(seconds), [this](int key) { return input_.is_down(key); },
      [this](const KeyPress& press, double steps) { return commands_.go_on(press, steps); });
}

bool Program::run(const KeyPress& press) {
  ++gesture_;
  if (!commands_.run(press)) return false;
  history_.end_gesture();
  // Where pictures must not differ, nothing happens by time.
  if (show_timings_) held_keys_.press(press);
  return true;
}

void Program::draw_frame(int width, int height, float seconds) {
  const base::Scheduler::Hold hold(scheduler_);
  frames_to_draw_ = std::max(0, frames_to_draw_ - 1);
  if (view_ == ui::ViewId::timeline) session_.want_lanes();
  const auto start = std::chrono::steady_clock::now();
  age_notice(seconds);
  hold_keys(seconds);
  input_.apply(ImGui::GetIO(), [this](const KeyPress& press) { return run(press); });
  for (int build = 0; build < kMaxBuilds; ++build) {
    rebuild_ = false;
    apply_look();
    imgui_.begin_frame(width, height, build == 0 ? seconds : kNoTime);
    const std::vector<ui::CommandInfo> commands = command_infos();
    shell_.draw(describe(commands), *this);
    ImGui::Render();
    if (!rebuild_) break;
  }
  keep_bookmarks();
  const double build_ms = ms_since(start);
  imgui_.draw(ui::palette(theme_).background);
  frame_times_ = {build_ms, ms_since(start) - build_ms};
}

void Program::apply_look() {
  const bool other_look = shell_.set_look(theme_, display_scale_ * zoom_);
  const bool other_texts = shell_.set_texts(session_.profile());
  if (other_look || other_texts) imgui_.remake_font_texture();
}

// The way back has the name of the file.
std::vector<ui::CommandInfo> Program::command_infos() const {
  std::vector<ui::CommandInfo> infos = commands_.infos();
  if (!can_go_back_to_file()) return infos;
  const auto back = std::ranges::find(infos, "file.back", &ui::CommandInfo::id);
  back->title = "Back to " + std::filesystem::path(left_->name).filename().string();
  return infos;
}

ui::Model Program::describe(const std::vector<ui::CommandInfo>& commands) const {
  ui::Model model;
  session_.describe(model);
  model.view = view_;
  model.theme = theme_;
  model.kernel_details = kernel_details_;
  model.notice = notice_;
  if (show_timings_) {
    model.notice_opacity = std::clamp((kNoticeSeconds - notice_age_s_) / kFadeSeconds, 0.0f, 1.0f);
  }
  model.overlay = overlay_;
  model.definitions_search = definitions_search_;
  model.thresholds = thresholds_;
  model.recent_files = recent_files_;
  model.licenses = licenses_;
  model.folder = folder_;
  if (show_frame_times_) model.frame_times = frame_times_;
  model.commands = commands;
  model.version = DLVIEW_VERSION;
  if (!show_timings_) model.aggregation_ms = -1;
  return model;
}

void Program::changed() {
  rebuild_ = true;
  frames_to_draw_ = kFramesAfterChange;
}

render::CursorShape Program::cursor() const {
  switch (ImGui::GetMouseCursor()) {
    case ImGuiMouseCursor_TextInput:
      return render::CursorShape::text;
    case ImGuiMouseCursor_ResizeNS:
      return render::CursorShape::resize_ns;
    case ImGuiMouseCursor_ResizeEW:
      return render::CursorShape::resize_ew;
    case ImGuiMouseCursor_Hand:
      return render::CursorShape::hand;
    default:
      return render::CursorShape::arrow;
  }
}

std::string Program::title() const {
  if (session_.name().empty()) return "dlview";
  return std::filesystem::path(session_.name()).filename().string() + " - dlview";
}

bool Program::take_screenshot_request() {
  return std::exchange(screenshot_requested_, false);
}

void Program::show_notice(std::string notice) {
  notice_ = std::move(notice);
  notice_age_s_ = 0;
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

void Program::toggle_kernel_details() {
  kernel_details_ = view_ != ui::ViewId::dashboard || !kernel_details_;
  show(ui::ViewId::dashboard);
  changed();
}

void Program::toggle_frame_times() {
  show_frame_times_ = !show_frame_times_;
  changed();
}

void Program::go_back() {
  go_to(history_.back());
}
void Program::go_forward() {
  go_to(history_.forward());
}

void Program::go_to(const aggregate::Selection* selection) {
  if (selection == nullptr) return;
  session_.select(*selection);
  changed();
}

std::string Program::state_string() const {
  if (session_.state() != Session::State::open) return {};
  aggregate::Selection selection = session_.selection();
  // The split as it is: by the host where a split by the GPU finds no kernel.
  const aggregate::Aggregation& shown = *session_.aggregation();
  if (shown.selection.cut == selection.cut) {
    selection.cut.split_by = shown.iteration_table->iterations.split_by;
  }
  return app::state_string(view_, selection, shell_.table_states(view_), session_.compared(),
                           uses_present_rules(), timeline_state());
}

ui::timeline::Request Program::timeline_state() const {
  if (view_ != ui::ViewId::timeline) return {};
  ui::timeline::Request state{.window = shell_.timeline_window(), .iteration = {}};
  const ui::timeline::ColourBy colours = shell_.timeline_colours();
  if (colours != ui::timeline::ColourBy::category) state.colours = colours;
  state.side_by_side = is_side_by_side();
  return state;
}

// An export has nothing else.
bool Program::can_change_tensor_core_rules() const {
  return session_.state() == Session::State::open && !session_.profile()->trace;
}

bool Program::uses_present_rules() const {
  return can_change_tensor_core_rules() && session_.profile()->source.by_tensor_core_rules;
}

void Program::toggle_tensor_core_rules() {
  OpenRequest request = session_.reopened(!uses_present_rules());
  request.path = path_;
  request.view = view_;
  request.tables = shell_.table_states(view_);
  request.compared = session_.compared();
  request.timeline = timeline_state();
  open(std::move(request));
}

void Program::copy_state() {
  const std::string state = state_string();
  copy_text(state);
  show_notice("Copied: --state " + state);
}

bool Program::can_close_something() const {
  if (overlay_ != ui::Overlay::none) return true;
  if (ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup) || is_typing()) return false;
  if (view_ == ui::ViewId::timeline) {
    return has_timeline_selection() || is_searching_timeline() || shell_.timeline_measures() ||
           is_side_by_side();
  }
  return view_ == ui::ViewId::dashboard ? kernel_details_ : shell_.has_selected_row(view_);
}

void Program::close_topmost() {
  if (overlay_ != ui::Overlay::none) return show_overlay(ui::Overlay::none);
  if (view_ == ui::ViewId::dashboard) return toggle_kernel_details();
  if (view_ == ui::ViewId::timeline) return run(ui::timeline::Command::deselect);
  run(ui::TableCommand::deselect);
}

void Program::export_table(const ui::TableExport& what) {
  exporter_.write(what);
}

void Program::run(ui::TableCommand command) {
  shell_.run(command);
  changed();
}

void Program::run(ui::timeline::Command command, double steps) {
  shell_.run(command, steps);
  changed();
}

void Program::show_side_by_side() {
  shell_.set_timeline({.window = {}, .iteration = {}, .side_by_side = true});
  show(ui::ViewId::timeline);
}

void Program::show_row_in_timeline() {
  shell_.show_row_in_timeline();
  changed();
}

bool Program::is_typing() const {
  return ImGui::GetIO().WantTextInput;
}

void Program::toggle_digits() {
  shell_.toggle_digits();
  changed();
}

void Program::request_screenshot() {
  screenshot_requested_ = true;
  notice_.clear();
  changed();
}

void Program::select(const aggregate::Selection& selection) {
  if (selection == session_.selection()) return;
  // Start and Stop typed one after the other are one step.
  const bool types_range =
      is_typing() && selection == session_.selection().with_range(selection.range);
  session_.select(selection);
  const int64_t gesture =
      types_range ? kTypedRange : 2 * gesture_ + (input_.mouse_is_down() ? 1 : 0);
  history_.visit(session_.selection(), gesture);
  changed();
}

void Program::show(ui::ViewId view) {
  if (view == view_) return;
  view_ = view;
  history_.end_gesture();
  changed();
}

void Program::show_table(ui::ViewId view, const ui::TableState& state) {
  shell_.set_table(state);
  view_ = view;
  changed();
}

void Program::run_command(std::string_view id) {
  ++gesture_;
  history_.end_gesture();
  commands_.run(id);
}

void Program::cancel_loading() {
  session_.cancel_loading();
  changed();
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
  show_notice("No browser was found. Copied: " + url);
}

void Program::list_folder(const std::string& path) {
  folder_ = std::make_shared<const ui::FolderListing>(app::list_folder(path));
  changed();
}

void Program::show_overlay(ui::Overlay overlay) {
  if (overlay == overlay_) return;
  overlay_ = overlay;
  definitions_search_.clear();
  if (overlay == ui::Overlay::files) {
    recent_files_ = hooks_.memory == nullptr ? std::vector<std::string>() : hooks_.memory->recent();
    folder_ =
        std::make_shared<const ui::FolderListing>(app::list_folder(folder_near(session_.name())));
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
  session_.preview_cut(cut);
  frames_to_draw_ = kFramesAfterChange;
}

void Program::select_iteration(std::optional<int64_t> iteration) {
  if (iteration == session_.compared().iteration) return;
  session_.select_iteration(iteration);
  changed();
}

void Program::select_baseline(std::optional<int64_t> iteration) {
  if (iteration == session_.compared().baseline) return;
  session_.select_baseline(iteration);
  changed();
}

}  // namespace dlview::app
