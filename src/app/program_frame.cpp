#include <algorithm>
#include <chrono>
#include <utility>

#include <imgui.h>

#include "app/program.h"
#include "ui/theme.h"
#include "ui/view.h"
#include "workspace/clock.h"

namespace dlview::app {
namespace {

// A frame that keeps changing what it shows is drawn as it is after so many attempts.
constexpr int kMaxBuilds = 3;
// Frames that are built anew repeat a moment: Dear ImGui's clock must move, but not noticeably.
constexpr float kNoTime = 1e-6f;

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

double ms_since(std::chrono::steady_clock::time_point start) {
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  return took.count();
}

}  // namespace

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

}  // namespace dlview::app
