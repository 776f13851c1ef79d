#include "app/workspace.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "app/file_names.h"
#include "app/open_requests.h"
#include "app/timeline_request.h"
#include "app/view_state.h"

namespace dlview::app {
namespace {

// Longer than any file may take.
constexpr std::chrono::hours kAnHour{1};

}  // namespace

Workspace::Workspace(base::Scheduler& scheduler, ui::Shell& shell, const RunSources& sources,
                     ui::ViewId view, Events events)
    : scheduler_(scheduler), shell_(shell), sources_(sources), events_(std::move(events)) {
  add_run(view);
}

void Workspace::add_run(ui::ViewId view) {
  const ui::RunId id = next_id_++;
  runs_.push_back(std::make_unique<OpenRun>(scheduler_, id, shell_.run_views(id), view));
  activate(runs_.size() - 1);
}

void Workspace::activate(std::size_t number) {
  if (number >= runs_.size()) return;
  active_ = number;
  events_.activated();
  events_.changed();
}

void Workspace::close(std::size_t number) {
  if (number >= runs_.size()) return;
  remember(*runs_[number]);
  if (runs_.size() == 1) add_run(runs_[number]->view);
  if (active_ == number) activate(run_after(number));
  const ui::RunId id = runs_[number]->id;
  runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(number));
  shell_.close_run(id);
  if (active_ > number) --active_;
  load_next();
  events_.changed();
}

void Workspace::open(OpenRequest request) {
  OpenRun& run = active();
  remember(run);
  if (run.session.state() == Session::State::open) {
    run.left = OpenRun::Left{run.session.name(), run.path, state_of(run)};
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
  events_.opening();
  load_next();
  events_.changed();
}

// One file at a time: the limits of opening one are those of the process, and the file that is
// shown has all processors.
void Workspace::load_next() {
  const bool is_busy = std::ranges::any_of(
      runs_, [](const auto& run) { return run->session.state() == Session::State::loading; });
  if (is_busy) return;
  OpenRun* next = active().waiting ? &active() : nullptr;
  for (const auto& run : runs_) {
    if (next == nullptr && run->waiting) next = run.get();
  }
  if (next == nullptr) return;
  next->session.open(*std::exchange(next->waiting, std::nullopt));
}

void Workspace::open_beside(OpenRequest request) {
  const auto same = std::ranges::find_if(runs_, [&](const auto& run) {
    const bool is_there =
        run->state() == Session::State::loading || run->state() == Session::State::open;
    return is_there && !request.path.empty() && run->path == request.path;
  });
  if (same != runs_.end()) return activate(static_cast<std::size_t>(same - runs_.begin()));
  const Session::State state = active().state();
  const bool is_free = state == Session::State::empty || state == Session::State::failed;
  if (!is_free) add_run(active().view);
  open(std::move(request));
}

void Workspace::open_several(std::vector<OpenRequest> requests, std::size_t first_shown) {
  std::optional<ui::RunId> to_show;
  for (std::size_t r = 0; r < requests.size(); ++r) {
    open_beside(std::move(requests[r]));
    if (r == first_shown) to_show = active().id;
  }
  const auto run = std::ranges::find(runs_, to_show, [](const auto& open) { return open->id; });
  if (run != runs_.end()) activate(static_cast<std::size_t>(run - runs_.begin()));
}

void Workspace::cancel_loading() {
  OpenRun& run = active();
  if (run.state() != Session::State::loading) return;
  run.waiting.reset();
  run.session.cancel_loading();
  run.path.clear();
  if (!run.left && runs_.size() > 1) close(active_);
  load_next();
  events_.changed();
}

bool Workspace::can_go_back() const {
  const Session::State state = active().state();
  const bool shows_nothing = state == Session::State::failed || state == Session::State::empty;
  return shows_nothing && (active().left || runs_.size() > 1);
}

std::string Workspace::name_to_go_back_to() const {
  return active().left ? name_of_file(active().left->name) : file_name(*runs_[run_after(active_)]);
}

void Workspace::go_back() {
  const std::optional<OpenRun::Left>& left = active().left;
  if (!left) return close(active_);
  OpenRequest request = left->path.empty() ? sources_.demo() : sources_.file(left->path);
  if (const auto state = parse_state(left->state)) look_as_left(*state, request);
  open(std::move(request));
}

void Workspace::remember() {
  for (const auto& run : runs_) {
    if (run->id != active().id) remember(*run);
  }
  remember(active());
}

void Workspace::remember(const OpenRun& run) {
  if (sources_.memory == nullptr || run.path.empty()) return;
  if (run.session.state() != Session::State::open) return;
  sources_.memory->remember(run.path, state_of(run));
}

void Workspace::poll() {
  std::string failures;
  for (const auto& run : runs_) {
    const Session::State before = run->session.state();
    const bool was_loading = before == Session::State::loading;
    // Behind the first frame of a file, which need not wait for the columns to be looked into.
    if (!was_loading) begin_bookmarks(*run);
    if (!run->session.poll()) continue;
    if (was_loading) after_loading(*run);
    const bool has_failed = before != Session::State::failed && run->session.error() != nullptr;
    if (has_failed && run->id != active().id) {
      failures += fmt::format("{}Could not open {}: {}", failures.empty() ? "" : " · ",
                              file_name(*run), run->session.error()->title);
    }
    check_first_timeline(*run);
    events_.changed();
  }
  if (!failures.empty()) events_.notice(std::move(failures));
  load_next();
}

void Workspace::take_notices() {
  for (const auto& run : runs_) {
    std::string notice = run->session.take_notice();
    if (notice.empty()) continue;
    events_.notice(run.get() == &active() ? std::move(notice) : file_name(*run) + ": " + notice);
  }
}

void Workspace::after_loading(OpenRun& run) {
  if (const base::Error* error = run.session.error()) return sources_.failed(*error);
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

void Workspace::check_first_timeline(OpenRun& run) {
  if (run.session.state() != Session::State::open) return;
  const base::Status there = check_timeline_request(run.session, run.first_timeline,
                                                    std::exchange(run.first_compared, {}));
  const auto colours = run.first_timeline.colours;
  run.first_timeline.iteration.reset();
  if (!there || run.session.lanes() != nullptr) run.first_timeline = {};
  if (there) return;
  run.views.set_timeline({.window = {}, .iteration = {}, .colours = colours});
  events_.notice(there.error().title + ": " + there.error().detail);
}

void Workspace::begin_bookmarks(OpenRun& run) {
  if (!run.identity.empty() || run.session.state() != Session::State::open) return;
  run.identity = run_identity(*run.session.profile());
  run.bookmarks =
      sources_.bookmarks == nullptr ? timeline::Bookmarks() : sources_.bookmarks->of(run.identity);
  run.views.set_bookmarks(run.bookmarks);
  events_.changed();
}

void Workspace::keep_bookmarks() {
  OpenRun& run = active();
  if (run.identity.empty() || run.views.bookmarks() == run.bookmarks) return;
  const auto before = std::exchange(run.bookmarks, run.views.bookmarks());
  if (sources_.bookmarks == nullptr ||
      sources_.bookmarks->keep(run.identity, run.path, before, run.bookmarks)) {
    return;
  }
  events_.notice("The bookmarks could not be written to " + bookmark_file().string());
}

bool Workspace::is_loading() const {
  return std::ranges::any_of(
      runs_, [](const auto& run) { return run->state() == Session::State::loading; });
}

bool Workspace::settled() const {
  return std::ranges::all_of(
      runs_, [](const auto& run) { return !run->waiting && run->session.settled(); });
}

void Workspace::settle() {
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
}

std::vector<ui::RunInfo> Workspace::infos() const {
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

}  // namespace dlview::app
