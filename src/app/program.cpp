#include "app/program.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <imgui.h>

#include "app/error_notice.h"
#include "app/file_names.h"
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
// Longer than any file may take.
constexpr std::chrono::hours kAnHour{1};
// The gesture of a range that is being typed; others count from 0.
constexpr int64_t kTypedRange = -2;

// An export has nothing else.
bool uses_present_rules(const Session& session) {
  const profile::Profile& profile = *session.profile();
  return !profile.trace && profile.source.by_tensor_core_rules;
}

std::string file_name(const OpenRun& run) {
  return name_of_file(run.name());
}

double ms_since(std::chrono::steady_clock::time_point start) {
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  return took.count();
}

}  // namespace

Program::Program(const ProgramOptions& options, ProgramHooks hooks, base::Scheduler& scheduler)
    : hooks_(std::move(hooks)),
      scheduler_(scheduler),
      shell_(scheduler),
      exporter_(scheduler),
      theme_(options.theme),
      display_scale_(options.display_scale),
      zoom_(options.zoom),
      thresholds_(options.thresholds),
      show_timings_(options.show_timings) {
  add_run(options.view);
  add_program_commands(commands_, *this);
  licenses_ = all_licenses();
  if (hooks_.memory != nullptr) recent_files_ = hooks_.memory->recent();
}

void Program::add_run(ui::ViewId view) {
  const ui::RunId id = next_run_id_++;
  runs_.push_back(std::make_unique<OpenRun>(scheduler_, id, shell_.run_views(id), view));
  activate(runs_.size() - 1);
}

void Program::activate(std::size_t number) {
  active_ = number;
  show_overlay(ui::Overlay::none);
  changed();
}

// What a frame is being built from stays as it is until that is done.
bool Program::put_off(std::function<void()> action) {
  if (!is_building_) return false;
  put_off_.push_back(std::move(action));
  changed();
  return true;
}

void Program::show_run(std::size_t number) {
  if (put_off([this, number] { show_run(number); })) return;
  if (number < runs_.size()) activate(number);
}

void Program::show_next_run(int step) {
  const std::size_t count = runs_.size();
  show_run((active_ + count + static_cast<std::size_t>(step)) % count);
}

std::size_t Program::run_after(std::size_t closed) const {
  return closed == 0 ? 1 : closed - 1;
}

void Program::close_run(std::size_t number) {
  if (put_off([this, number] { close_run(number); }) || number >= runs_.size()) return;
  remember(*runs_[number]);
  if (runs_.size() == 1) add_run(runs_[number]->view);
  if (active_ == number) activate(run_after(number));
  const ui::RunId id = runs_[number]->id;
  runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(number));
  shell_.close_run(id);
  if (active_ > number) --active_;
  load_next();
  changed();
}

void Program::close_all_runs() {
  while (runs_.size() > 1) close_run(runs_.size() - 1);
  if (can_close_run()) close_run(0);
}

void Program::open(OpenRequest request) {
  OpenRun& run = shown();
  remember(run);
  if (run.session.state() == Session::State::open) {
    run.left = OpenRun::Left{run.session.name(), run.path, state_string()};
  }
  run.session.clear();
  run.path = request.path;
  run.identity.clear();
  run.first_view = request.view;
  run.first_tables = request.tables;
  run.first_compared = request.compared;
  run.first_timeline = request.timeline;
  run.history = {};
  run.waiting = std::move(request);
  show_overlay(ui::Overlay::none);
  notice_.clear();
  load_next();
  changed();
}

// One file at a time: the limits of opening one are those of the process, and the file that is
// shown has all processors.
void Program::load_next() {
  const bool is_busy = std::ranges::any_of(
      runs_, [](const auto& run) { return run->session.state() == Session::State::loading; });
  if (is_busy) return;
  OpenRun* next = shown().waiting ? &shown() : nullptr;
  for (const auto& run : runs_) {
    if (next == nullptr && run->waiting) next = run.get();
  }
  if (next == nullptr) return;
  next->session.open(*std::exchange(next->waiting, std::nullopt));
}

void Program::open_beside(OpenRequest request) {
  const auto shared = std::make_shared<OpenRequest>(std::move(request));
  if (put_off([this, shared] { open_beside(std::move(*shared)); })) return;
  const auto same = std::ranges::find_if(runs_, [&](const auto& run) {
    const bool is_there =
        run->state() == Session::State::loading || run->state() == Session::State::open;
    return is_there && !shared->path.empty() && run->path == shared->path;
  });
  if (same != runs_.end()) return activate(static_cast<std::size_t>(same - runs_.begin()));
  const Session::State state = shown().state();
  const bool is_free = state == Session::State::empty || state == Session::State::failed;
  if (!is_free) add_run(shown().view);
  open(std::move(*shared));
}

void Program::open_several(std::vector<OpenRequest> requests, std::size_t first_shown) {
  std::optional<ui::RunId> to_show;
  for (std::size_t r = 0; r < requests.size(); ++r) {
    open_beside(std::move(requests[r]));
    if (r == first_shown) to_show = shown().id;
  }
  const auto run = std::ranges::find(runs_, to_show, [](const auto& open) { return open->id; });
  if (run != runs_.end()) activate(static_cast<std::size_t>(run - runs_.begin()));
}

bool Program::can_go_back_to_file() const {
  const Session::State state = shown().state();
  const bool shows_nothing = state == Session::State::failed || state == Session::State::empty;
  return shows_nothing && (shown().left || runs_.size() > 1);
}

void Program::go_back_to_file() {
  const std::optional<OpenRun::Left>& left = shown().left;
  if (!left) return close_run(active_);
  OpenRequest request = left->path.empty() ? hooks_.demo() : hooks_.file(left->path);
  if (const auto state = parse_state(left->state)) look_as_left(*state, request);
  open(std::move(request));
}

void Program::remember() {
  for (const auto& run : runs_) {
    if (run->id != shown().id) remember(*run);
  }
  remember(shown());
}

void Program::remember(const OpenRun& run) {
  if (hooks_.memory == nullptr || run.path.empty()) return;
  if (run.session.state() != Session::State::open) return;
  hooks_.memory->remember(run.path, state_of(run));
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

void Program::open_dropped(const std::vector<render::InputEvent>& events) {
  std::vector<std::string> paths;
  for (const render::InputEvent& event : events) {
    if (const auto* drop = std::get_if<render::FileDrop>(&event)) paths.push_back(drop->path);
  }
  if (!paths.empty()) open_files(paths);
}

void Program::open_files(const std::vector<std::string>& paths, std::size_t first_shown) {
  std::vector<OpenRequest> requests;
  for (const std::string& path : paths) requests.push_back(hooks_.file(path));
  open_several(std::move(requests), first_shown);
}

void Program::open_file(const std::string& path) {
  if (opens_beside_) return open_beside(hooks_.file(path));
  open(hooks_.file(path));
}

void Program::poll() {
  if (shell_.poll()) changed();
  take_notices();
  std::string failures;
  for (const auto& run : runs_) {
    const Session::State before = run->session.state();
    const bool was_loading = before == Session::State::loading;
    // Behind the first frame of a file, which need not wait for the columns to be looked into.
    if (!was_loading) begin_bookmarks(*run);
    if (!run->session.poll()) continue;
    if (was_loading) after_loading(*run);
    const bool has_failed = before != Session::State::failed && run->session.error() != nullptr;
    if (has_failed && run->id != shown().id) {
      failures += fmt::format("{}Could not open {}: {}", failures.empty() ? "" : " · ",
                              file_name(*run), run->session.error()->title);
    }
    check_first_timeline(*run);
    changed();
  }
  if (!failures.empty()) show_notice(std::move(failures));
  load_next();
}

void Program::take_notices() {
  std::vector<std::string> notices{exporter_.take_notice()};
  for (const auto& run : runs_) {
    std::string notice = run->session.take_notice();
    const bool is_shown = run->id == shown().id;
    if (!notice.empty() && !is_shown) notice = file_name(*run) + ": " + notice;
    notices.push_back(std::move(notice));
  }
  for (std::string& notice : notices) {
    if (!notice.empty()) show_notice(std::move(notice));
  }
  if (const auto failure = shell_.take_failure()) show_notice(error_notice(*failure));
}

void Program::after_loading(OpenRun& run) {
  if (const base::Error* error = run.session.error()) return hooks_.failed(*error);
  if (run.session.state() != Session::State::open) return;
  run.left.reset();
  if (run.first_view) run.view = *run.first_view;
  for (ui::TableState& state : std::exchange(run.first_tables, {})) {
    run.views.set_table(std::move(state));
  }
  run.session.select_iteration(run.first_compared.iteration);
  run.session.select_baseline(run.first_compared.baseline);
  run.views.set_timeline(run.first_timeline);
  run.identity.clear();
  run.history.begin(run.session.selection());
  take_notices();
  remember(run);
}

void Program::check_first_timeline(OpenRun& run) {
  if (run.session.state() != Session::State::open) return;
  const base::Status there = check_timeline_request(run.session, run.first_timeline,
                                                    std::exchange(run.first_compared, {}));
  const auto colours = run.first_timeline.colours;
  run.first_timeline.iteration.reset();
  if (!there || run.session.lanes() != nullptr) run.first_timeline = {};
  if (there) return;
  run.views.set_timeline({.window = {}, .iteration = {}, .colours = colours});
  show_notice(there.error().title + ": " + there.error().detail);
}

void Program::begin_bookmarks(OpenRun& run) {
  if (!run.identity.empty() || run.session.state() != Session::State::open) return;
  run.identity = run_identity(*run.session.profile());
  run.bookmarks =
      hooks_.bookmarks == nullptr ? ui::timeline::Bookmarks() : hooks_.bookmarks->of(run.identity);
  run.views.set_bookmarks(run.bookmarks);
  changed();
}

void Program::keep_bookmarks() {
  OpenRun& run = shown();
  if (run.identity.empty() || run.views.bookmarks() == run.bookmarks) return;
  const auto before = std::exchange(run.bookmarks, run.views.bookmarks());
  if (hooks_.bookmarks == nullptr ||
      hooks_.bookmarks->keep(run.identity, run.path, before, run.bookmarks)) {
    return;
  }
  show_notice("The bookmarks could not be written to " + bookmark_file().string());
}

bool Program::is_loading() const {
  return std::ranges::any_of(
      runs_, [](const auto& run) { return run->state() == Session::State::loading; });
}

bool Program::settled() const {
  return shell_.settled() && exporter_.settled() && std::ranges::all_of(runs_, [](const auto& run) {
           return !run->waiting && run->session.settled();
         });
}

void Program::settle() {
  while (is_loading()) {
    for (const auto& run : runs_) {
      if (run->session.state() == Session::State::loading) run->session.await_loading(kAnHour);
    }
    poll();
  }
  for (const auto& run : runs_) {
    run->session.settle();
    begin_bookmarks(*run);
    check_first_timeline(*run);
  }
  shell_.settle();
  exporter_.settle();
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
  shown().history.end_gesture();
  // Where pictures must not differ, nothing happens by time.
  if (show_timings_) held_keys_.press(press);
  return true;
}

void Program::draw_frame(int width, int height, float seconds) {
  const base::Scheduler::Hold hold(scheduler_);
  frames_to_draw_ = std::max(0, frames_to_draw_ - 1);
  if (shown().view == ui::ViewId::timeline) shown().session.want_lanes();
  const auto start = std::chrono::steady_clock::now();
  age_notice(seconds);
  hold_keys(seconds);
  input_.apply(ImGui::GetIO(), [this](const KeyPress& press) { return run(press); });
  for (int build = 0; build < kMaxBuilds; ++build) {
    rebuild_ = false;
    apply_look();
    imgui_.begin_frame(width, height, build == 0 ? seconds : kNoTime);
    const std::vector<ui::CommandInfo> commands = command_infos();
    is_building_ = true;
    shell_.draw(describe(commands), *this);
    is_building_ = false;
    ImGui::Render();
    keep_bookmarks();
    for (const auto& action : std::exchange(put_off_, {})) action();
    if (!rebuild_) break;
  }
  const double build_ms = ms_since(start);
  imgui_.draw(ui::palette(theme_).background);
  frame_times_ = {build_ms, ms_since(start) - build_ms};
}

void Program::apply_look() {
  const bool other_look = shell_.set_look(theme_, display_scale_ * zoom_);
  const bool other_texts = shell_.set_texts(shown().id, shown().session.profile());
  if (other_look || other_texts) imgui_.remake_font_texture();
}

// The way back has the name of the file.
std::vector<ui::CommandInfo> Program::command_infos() const {
  std::vector<ui::CommandInfo> infos = commands_.infos();
  if (!can_go_back_to_file()) return infos;
  const auto back = std::ranges::find(infos, "file.back", &ui::CommandInfo::id);
  if (shown().left) {
    back->title = "Back to " + name_of_file(shown().left->name);
  } else {
    back->title = "Back to " + file_name(*runs_[run_after(active_)]);
  }
  return infos;
}

std::vector<ui::RunInfo> Program::run_infos() const {
  std::vector<std::string> paths;
  for (const auto& run : runs_) {
    paths.push_back(run->name());
  }
  const std::vector<std::string> names = distinct_names(paths);
  std::vector<ui::RunInfo> infos;
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    ui::RunInfo info = runs_[r]->session.info();
    info.name = names[r];
    info.path = paths[r];
    info.waits = runs_[r]->waiting.has_value();
    infos.push_back(std::move(info));
  }
  return infos;
}

ui::Model Program::describe(const std::vector<ui::CommandInfo>& commands) const {
  ui::Model model;
  shown().session.describe(model);
  if (shown().waiting) {
    model.file_name = shown().waiting->name;
    model.loading = base::Progress::Snapshot{.stage = "Waiting for another file"};
  }
  model.runs = run_infos();
  model.active_run = active_;
  model.run = shown().id;
  model.view = shown().view;
  model.theme = theme_;
  model.kernel_details = shown().kernel_details;
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
  model.opens_beside = opens_beside_;
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
  if (shown().session.name().empty()) return "dlview";
  return run_infos()[active_].name + " - dlview";
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
  shown().kernel_details = shown().view != ui::ViewId::dashboard || !shown().kernel_details;
  show(ui::ViewId::dashboard);
  changed();
}

void Program::toggle_frame_times() {
  show_frame_times_ = !show_frame_times_;
  changed();
}

void Program::go_back() {
  go_to(shown().history.back());
}
void Program::go_forward() {
  go_to(shown().history.forward());
}

void Program::go_to(const aggregate::Selection* selection) {
  if (selection == nullptr) return;
  shown().session.select(*selection);
  changed();
}

std::string Program::state_of(const OpenRun& run) const {
  const Session& session = run.session;
  if (session.state() != Session::State::open) return {};
  aggregate::Selection selection = session.selection();
  // The split as it is: by the host where a split by the GPU finds no kernel.
  const aggregate::Aggregation& shown = *session.aggregation();
  if (shown.selection.cut == selection.cut) {
    selection.cut.split_by = shown.iteration_table->iterations.split_by;
  }
  return app::state_string(run.view, selection, run.views.table_states(run.view),
                           session.compared(), uses_present_rules(session), timeline_state(run));
}

ui::timeline::Request Program::timeline_state(const OpenRun& run) const {
  if (run.view != ui::ViewId::timeline) return {};
  ui::timeline::Request state{.window = run.views.timeline_window(), .iteration = {}};
  const ui::timeline::ColourBy colours = run.views.timeline_colours();
  if (colours != ui::timeline::ColourBy::category) state.colours = colours;
  state.side_by_side = run.views.timeline_is_side_by_side();
  return state;
}

bool Program::can_change_tensor_core_rules() const {
  return shown().session.state() == Session::State::open && !shown().session.profile()->trace;
}

void Program::toggle_tensor_core_rules() {
  OpenRequest request = shown().session.reopened(!uses_present_rules(shown().session));
  request.path = shown().path;
  request.view = shown().view;
  request.tables = shown().views.table_states(shown().view);
  request.compared = shown().session.compared();
  request.timeline = timeline_state(shown());
  open(std::move(request));
}

void Program::copy_state() {
  const std::string state = "file=" + encoded(file_name(shown())) + "," + state_string();
  copy_text(state);
  show_notice("Copied: --state " + state);
}

bool Program::can_close_something() const {
  if (overlay_ != ui::Overlay::none) return true;
  if (ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup) || is_typing()) return false;
  if (shown().view == ui::ViewId::timeline) {
    return has_timeline_selection() || is_searching_timeline() ||
           shown().views.timeline_measures() || is_side_by_side();
  }
  return shown().view == ui::ViewId::dashboard ? shown().kernel_details
                                               : shown().views.has_selected_row(shown().view);
}

void Program::close_topmost() {
  if (overlay_ != ui::Overlay::none) return show_overlay(ui::Overlay::none);
  if (shown().view == ui::ViewId::dashboard) return toggle_kernel_details();
  if (shown().view == ui::ViewId::timeline) return run(ui::timeline::Command::deselect);
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
  shown().views.run(command, steps);
  changed();
}

void Program::show_side_by_side() {
  shown().views.set_timeline({.window = {}, .iteration = {}, .side_by_side = true});
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
  if (selection == shown().session.selection()) return;
  // Start and Stop typed one after the other are one step.
  const bool types_range =
      is_typing() && selection == shown().session.selection().with_range(selection.range);
  shown().session.select(selection);
  const int64_t gesture =
      types_range ? kTypedRange : 2 * gesture_ + (input_.mouse_is_down() ? 1 : 0);
  shown().history.visit(shown().session.selection(), gesture);
  changed();
}

void Program::open_another() {
  show_overlay(ui::Overlay::files);
  opens_beside_ = true;
  changed();
}

void Program::show(ui::ViewId view) {
  if (view == shown().view) return;
  shown().view = view;
  shown().history.end_gesture();
  changed();
}

void Program::show_table(ui::ViewId view, const ui::TableState& state) {
  shown().views.set_table(state);
  shown().view = view;
  changed();
}

void Program::run_command(std::string_view id) {
  ++gesture_;
  shown().history.end_gesture();
  commands_.run(id);
}

void Program::cancel_loading() {
  if (shown().state() != Session::State::loading) return;
  shown().waiting.reset();
  shown().session.cancel_loading();
  shown().path.clear();
  if (!shown().left && runs_.size() > 1) close_run(active_);
  load_next();
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
  opens_beside_ = false;
  if (overlay == overlay_) return;
  overlay_ = overlay;
  definitions_search_.clear();
  if (overlay == ui::Overlay::files) {
    recent_files_ = hooks_.memory == nullptr ? std::vector<std::string>() : hooks_.memory->recent();
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
  shown().session.preview_cut(cut);
  frames_to_draw_ = kFramesAfterChange;
}

void Program::select_iteration(std::optional<int64_t> iteration) {
  if (iteration == shown().session.compared().iteration) return;
  shown().session.select_iteration(iteration);
  changed();
}

void Program::select_baseline(std::optional<int64_t> iteration) {
  if (iteration == shown().session.compared().baseline) return;
  shown().session.select_baseline(iteration);
  changed();
}

}  // namespace dlview::app
