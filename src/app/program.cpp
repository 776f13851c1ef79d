#include "app/program.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <imgui.h>

#include "app/about.h"
#include "app/folder_listing.h"
#include "app/program_commands.h"
#include "base/units.h"
#include "import/ncu/load.h"
#include "report/page/run_page.h"
#include "ui/theme.h"
#include "ui/view.h"
#include "workspace/rank_files.h"
#include "workspace/state_string.h"

namespace dlview::app {
namespace {

// A change may need a second frame to settle (a size that follows from a text), and what is hovered
// is known one frame later.
constexpr int kFramesAfterChange = 3;
// A frame that keeps changing what it shows is drawn as it is after so many attempts.
constexpr int kMaxBuilds = 3;
// Frames that are built anew repeat a moment: Dear ImGui's clock must move, but not noticeably.
constexpr float kNoTime = 1e-6f;
// The gesture of a range that is being typed; others count from 0.
constexpr int64_t kTypedRange = -2;

// Between two looks at the budget file.
constexpr double kLookAtDiskSeconds = 0.5;

// While a frame is being built.
class Building {
 public:
  explicit Building(bool& is_building) : is_building_(is_building) { is_building_ = true; }
  ~Building() { is_building_ = false; }
  Building(const Building&) = delete;
  Building& operator=(const Building&) = delete;

 private:
  bool& is_building_;
};

// Where Tab and Shift+Tab take the keyboard; 0 = another key.
int focus_step(const Chord& chord) {
  if (chord == *parse_chord("Tab")) return 1;
  return chord == *parse_chord("Shift+Tab") ? -1 : 0;
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

void Program::open(workspace::OpenRequest request) {
  act(workspace::Open{std::move(request)});
}
void Program::open_several(std::vector<workspace::OpenRequest> requests, std::size_t first_shown) {
  act(workspace::OpenBeside{std::move(requests), first_shown});
}
void Program::open_beside(workspace::OpenRequest request) {
  act(workspace::OpenBeside{{std::move(request)}});
}
void Program::go_back_to_file() {
  act(workspace::ReturnToFile{});
}
void Program::show_run(std::size_t number) {
  if (number < runs().size()) act(workspace::Activate{runs()[number]->id});
}
void Program::show_in_run(workspace::RunId run, const timeline::Request& request) {
  act(workspace::Activate{run});
  act(run, workspace::ShowTimeline{request});
}
void Program::compare_with_run(std::size_t number) {
  if (number < runs().size()) act(workspace::CompareWith{runs()[number]->id});
}
void Program::compare_with_file(const std::string& path) {
  show_overlay(ui::Overlay::none);
  act(workspace::OpenToCompare{workspace_.other_file(path)});
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
void Program::choose_budgets(const std::string& path) {
  show_overlay(ui::Overlay::none);
  std::error_code ignored;
  const auto whole = std::filesystem::absolute(path, ignored).lexically_normal();
  act(workspace::ChooseBudgets{{whole.string(), workspace_.budgets().paths().baseline}});
  show(ui::ViewId::budgets);
}

// The list of files stays open: captures are several.
void Program::add_captures(const std::vector<std::string>& paths) {
  std::vector<std::string> whole;
  for (const std::string& path : paths) {
    std::error_code ignored;
    whole.push_back(std::filesystem::absolute(path, ignored).lexically_normal().string());
  }
  const std::size_t before = workspace_.trend().files().size();
  act(workspace::AddCaptures{whole});
  if (overlay_ != ui::Overlay::files) return;
  show_notice(fmt::format("Added {}. {} so far; Escape closes the list.",
                          whole.back().substr(whole.back().find_last_of('/') + 1),
                          base::counted(static_cast<int64_t>(before + whole.size()), "captures")));
}

void Program::show_capture(const std::string& path, const std::string& compared_with) {
  const auto open_run = std::ranges::find(runs(), path, [](const auto& run) { return run->path; });
  if (open_run != runs().end()) {
    const workspace::RunId id = (*open_run)->id;
    act(workspace::Activate{id});
    if (compared_with.empty()) return;
    return act(id, workspace::OpenToCompare{workspace_.other_file(compared_with)});
  }
  workspace::OpenRequest request = workspace_.other_file(path);
  request.view = workspace::kTrendView;
  if (!compared_with.empty()) {
    request.view = workspace::kCompareView;
    request.with = workspace::OtherFile{.path = compared_with};
  }
  open_beside(std::move(request));
}

void Program::open_ranks(const std::vector<std::string>& names, bool shows) {
  show_overlay(ui::Overlay::none);
  act(workspace::OpenRanks{names, shows});
}

void Program::show_rank(const std::string& path, std::optional<int64_t> iteration) {
  const auto open_run = std::ranges::find(runs(), path, [](const auto& run) { return run->path; });
  if (open_run != runs().end()) {
    const workspace::RunId id = (*open_run)->id;
    act(workspace::Activate{id});
    return act(id, workspace::SelectIteration{iteration});
  }
  workspace::OpenRequest request = workspace_.other_file(path);
  request.view = workspace::kRanksView;
  request.compared.iteration = iteration;
  open_beside(std::move(request));
}

std::optional<std::string> Program::next_rank(int step) const {
  const auto ranks = workspace_.ranks();
  if (!ranks || !ranks->read) return std::nullopt;
  std::vector<std::string> paths;  // each once: a file may have several
  for (const std::string& path : ranks->read->paths) {
    if (!path.empty() && std::ranges::find(paths, path) == paths.end()) paths.push_back(path);
  }
  const auto at = std::ranges::find(paths, ranks->active_path);
  if (paths.size() < 2 || at == paths.end()) return std::nullopt;
  const auto place = static_cast<std::size_t>(at - paths.begin()) + paths.size();
  return paths[(place + static_cast<std::size_t>(step)) % paths.size()];
}

void Program::show_next_rank(int step) {
  const auto path = next_rank(step);
  if (path) show_rank(*path, session().compared().iteration);
}

void Program::toggle_all_runs() {
  act(workspace::ShowAllRuns{!shows_all_runs()});
}
void Program::show_next_run(int step) {
  const std::size_t count = runs().size();
  show_run((active_run() + count + static_cast<std::size_t>(step)) % count);
}
void Program::close_run(std::size_t number) {
  if (number < runs().size()) act(workspace::Close{runs()[number]->id});
}
void Program::close_all_runs() {
  act(workspace::CloseAll{});
}

void Program::forget_files() {
  if (hooks_.memory != nullptr) hooks_.memory->forget();
  read_recent_files();
}

void Program::forget_file(const std::string& path) {
  if (hooks_.memory != nullptr) hooks_.memory->forget(path);
  changed();  // poll() reads the list
}

void Program::read_recent_files() {
  if (hooks_.memory == nullptr) return;
  recent_changes_ = hooks_.memory->changes();
  recent_files_ =
      std::make_shared<const std::vector<workspace::RecentFile>>(hooks_.memory->recent());
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
  const bool is_open = shown().session.state() == workspace::Session::State::open;
  const auto is_budget_file = [](const std::string& path) { return path.ends_with(".toml"); };
  const auto budgets = std::ranges::find_if(paths, is_budget_file);
  if (is_open && budgets != paths.end()) {
    choose_budgets(*budgets);
    std::erase_if(paths, is_budget_file);
  }
  const auto counters =
      is_open ? std::stable_partition(
                    paths.begin(), paths.end(),
                    [](const std::string& path) { return !import::ncu::is_counter_file(path); })
              : paths.end();
  const std::vector<std::string> counter_files(counters, paths.end());
  paths.erase(counters, paths.end());
  if (!counter_files.empty()) add_counters(counter_files);
  if (!paths.empty() && is_open && view() == ui::ViewId::trend) {
    add_captures(paths);
  } else if (paths.size() == 1 && is_open) {
    dropped_file_ = paths.front();
    show_overlay(ui::Overlay::dropped_file);
  } else if (!paths.empty()) {
    open_files(paths);
  }
}

void Program::add_counters(const std::vector<std::string>& files) {
  workspace::OpenRequest request =
      reopened_as_shown(workspace::uses_present_rules(shown().session));
  for (const std::string& file : files) {
    std::erase(request.counter_files, file);
    request.counter_files.push_back(file);
  }
  request.opens_without_counters = true;
  open(std::move(request));
}

void Program::open_files(const std::vector<std::string>& paths, std::size_t first_shown) {
  if (workspace::mean_ranks(paths)) return open_ranks(paths);
  std::vector<workspace::OpenRequest> requests;
  for (const std::string& path : paths) requests.push_back(hooks_.file(path));
  open_several(std::move(requests), first_shown);
}

void Program::open_file(const std::string& path) {
  if (file_use_ == ui::FileUse::ranks) return open_ranks({path});
  if (file_use_ == ui::FileUse::open && workspace::mean_ranks({path})) {
    return open_ranks({path}, show_timings_);
  }
  const bool was_dropped = path == std::exchange(dropped_file_, {});
  if (file_use_ == ui::FileUse::budgets) return choose_budgets(path);
  if (file_use_ == ui::FileUse::captures) return add_captures({path});
  if (file_use_ == ui::FileUse::baseline) {
    show_overlay(ui::Overlay::none);
    return act(workspace::ChooseBudgets{{workspace_.budgets().paths().budget, path}});
  }
  if (was_dropped || file_use_ == ui::FileUse::open_beside) return open_beside(hooks_.file(path));
  open(hooks_.file(path));
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

void Program::draw_frame(int width, int height, float seconds) {
  const base::Scheduler::Hold hold(scheduler_);
  frames_to_draw_ = std::max(0, frames_to_draw_ - 1);
  if (view() == ui::ViewId::timeline) {
    shown().session.want_lanes();
    for (const auto& run : runs()) {
      if (shows_all_runs()) run->session.want_lanes();
    }
  }
  if (view() == ui::ViewId::trend) workspace_.want_trend();
  if (view() == ui::ViewId::ranks) workspace_.want_ranks();
  if (wants_python_frames()) shown().session.want_python_frames();
  if (views().wants_limits(view())) shown().session.want_limits();
  if (shows_frames_in_timeline()) {
    shown().session.want_frame_lanes();
  } else {
    shown().session.forget_frame_lanes_error();
  }
  const auto start = std::chrono::steady_clock::now();
  age_notices(seconds);
  hold_keys(seconds);
  input_.apply(ImGui::GetIO(), [this](const KeyPress& press) { return run(press); });
  for (int build = 0; build < kMaxBuilds; ++build) {
    rebuild_ = false;
    apply_look();
    imgui_.begin_frame(width, height, build == 0 ? seconds : kNoTime);
    const std::vector<ui::CommandInfo> commands = command_infos();
    {
      const Building building(is_building_);
      shell_.draw(describe(commands), *this);
    }
    ImGui::Render();
    workspace_.keep_bookmarks();
    for (PutOff& off : std::exchange(put_off_, {})) {
      workspace_.apply(off.run, std::move(off.action));
    }
    if (!rebuild_) break;
  }
  const double build_ms = ms_since(start);
  imgui_.draw(ui::palette(theme_, palette_).background);
  frame_times_ = {build_ms, ms_since(start) - build_ms};
}

void Program::apply_look() {
  const bool other_look = shell_.set_look(theme_, display_scale_ * zoom_, palette_);
  const bool other_texts = shell_.set_texts(shown().id, shown().session.profile());
  if (other_look || other_texts) imgui_.remake_font_texture();
}

// The way back has the name of the file.
std::vector<ui::CommandInfo> Program::command_infos() const {
  std::vector<ui::CommandInfo> infos = commands_.infos();
  if (!can_go_back_to_file()) return infos;
  const auto back = std::ranges::find(infos, "file.back", &ui::CommandInfo::id);
  back->title = "Return to " + workspace_.name_to_go_back_to();
  return infos;
}

ui::Model Program::describe(const std::vector<ui::CommandInfo>& commands) const {
  ui::Model model;
  shown().session.describe(model);
  if (shown().waiting) {
    model.file_name = shown().waiting->name;
    model.loading = base::Progress::Snapshot{.stage = "Waiting for another profile…"};
  }
  model.runs = workspace_.infos();
  model.active_run = active_run();
  const bool shows_others =
      view() == ui::ViewId::timeline && shows_all_runs() && !is_side_by_side() && model.aggregation;
  for (std::size_t r = 0; shows_others && r < runs().size(); ++r) {
    if (r == active_run()) continue;
    ui::OtherRun other;
    other.name = model.runs[r].name;
    runs()[r]->session.describe(other.run);
    other.run.run = runs()[r]->id;
    if (!other.run.aggregation) continue;
    const bool is_compared =
        workspace_.aligns_typical() && workspace_.other_of(shown()) == runs()[r].get();
    other.clock = is_compared ? workspace::typical_offset(model, other.run)
                              : workspace::clock_offset(model, other.run);
    if (is_compared) {
      other.pair = views().compared_pair();
      other.direction = {.is_from_before = !workspace_.is_after(shown()),
                         .from = workspace::typical_iteration(model),
                         .to = workspace::typical_iteration(other.run)};
    }
    model.other_runs.push_back(std::move(other));
  }
  if (const workspace::Run* other = workspace_.other_of(shown());
      other != nullptr && view() == ui::ViewId::compare) {
    ui::OtherRun& compared = model.compared_run.emplace();
    const auto at = std::ranges::find(runs(), other->id, [](const auto& run) { return run->id; });
    compared.name = model.runs[static_cast<std::size_t>(at - runs().begin())].name;
    other->session.describe(compared.run);
    compared.run.run = other->id;
    model.is_after = workspace_.is_after(shown());
  }
  model.budgets = workspace_.budgets().get();
  model.reading_budgets = workspace_.budgets().is_reading();
  if (view() == ui::ViewId::trend) {
    model.trend = workspace_.trend().describe();
    model.trend->active_path = shown().path;
  }
  model.ranks = workspace_.ranks();
  model.run = shown().id;
  model.view = view();
  model.theme = theme_;
  model.palette = palette_;
  model.reduced_motion = reduced_motion_;
  model.kernel_details = shown().kernel_details;
  model.what_if = shown().what_if;
  if (!picture_request_) model.notices = notices_.shown(fades_notices());
  model.overlay = overlay_;
  model.definitions_search = definitions_search_;
  model.thresholds = thresholds_;
  model.recent = recent_files_;
  if (show_timings_) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    model.now_s = std::chrono::duration_cast<std::chrono::seconds>(now).count();
  }
  model.licenses = licenses_;
  model.folder = folder_;
  model.file_use = file_use_;
  model.dropped_file = dropped_file_;
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
  return workspace_.infos()[active_run()].name + " - dlview";
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

bool Program::can_change_tensor_core_rules() const {
  return shown().session.state() == workspace::Session::State::open &&
         !shown().session.profile()->trace;
}

workspace::OpenRequest Program::reopened_as_shown(bool present_rules) const {
  workspace::OpenRequest request = shown().session.reopened(present_rules);
  request.path = shown().path;
  request.view = shown().view;
  request.tables = shown().look.table_states(shown().view);
  request.compared = shown().session.compared();
  request.timeline = workspace::timeline_state(shown());
  return request;
}

void Program::toggle_tensor_core_rules() {
  open(reopened_as_shown(!workspace::uses_present_rules(shown().session)));
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

void Program::choose_file(ui::FileUse use) {
  show_overlay(ui::Overlay::files);
  file_use_ = use;
  changed();
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

void Program::cancel_loading() {
  act(workspace::CancelLoading{});
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

void Program::list_folder(const std::string& path) {
  folder_ = std::make_shared<const ui::FolderListing>(app::list_folder(path));
  changed();
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
