#include "workspace/workspace.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "workspace/file_names.h"
#include "workspace/run.h"
#include "workspace/state_string.h"

namespace dlview::workspace {
namespace {

// Longer than any file may take.
constexpr std::chrono::hours kAnHour{1};

}  // namespace

Workspace::Workspace(base::Scheduler& scheduler, Looks& looks, const RunSources& sources,
                     std::string view, Events events)
    : scheduler_(scheduler),
      looks_(looks),
      sources_(sources),
      events_(std::move(events)),
      budgets_(scheduler),
      trend_(scheduler),
      ranks_(scheduler) {
  add_run(view);
}

std::optional<std::size_t> Workspace::number_of(RunId run) const {
  const auto found = std::ranges::find(runs_, run, [](const auto& open) { return open->id; });
  if (found == runs_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - runs_.begin());
}

void Workspace::apply(RunId run, Action action) {
  std::visit(
      [&](auto&& asked) {
        if constexpr (requires { perform(*runs_[0], std::move(asked)); }) {
          if (const auto number = number_of(run)) perform(*runs_[*number], std::move(asked));
        } else {
          perform(std::move(asked));
        }
      },
      std::move(action));
}

void Workspace::perform(Open&& action) {
  first_ranks_.clear();
  open(std::move(action.request));
}
// Where the Timeline shows all runs, it goes on doing so; the trend is the same in all of them.
void Workspace::perform(const Activate& action) {
  const auto number = number_of(action.run);
  if (!number) return;
  if (shows_all() && active().view == kTimelineView) runs_[*number]->view = kTimelineView;
  for (const std::string_view shared : {kTrendView, kRanksView}) {
    if (active().view == shared) runs_[*number]->view = shared;
  }
  activate(*number);
}
void Workspace::perform(const Close& action) {
  if (const auto number = number_of(action.run)) close(*number);
}
void Workspace::perform(const CloseAll&) {
  while (runs_.size() > 1) close(runs_.size() - 1);
  if (can_close()) close(0);
}

OpenRequest Workspace::other_file(const std::string& path) const {
  return sources_.other_file ? sources_.other_file(path) : sources_.file(path);
}

SharedFiles Workspace::shared_files() const {
  return {budgets_.paths(), trend_.files(), std::nullopt};
}

void Workspace::share(const Run& run, const SharedFiles& files) {
  const std::filesystem::path folder = std::filesystem::path(run.path).parent_path();
  const auto whole = [&folder](const std::string& file) {
    return file.empty() ? "" : (folder / file).lexically_normal().string();
  };
  if (!files.budgets.budget.empty()) {
    budgets_.choose({whole(files.budgets.budget), whole(files.budgets.baseline)});
  }
  std::vector<std::string> captures;
  for (const std::string& capture : files.captures) captures.push_back(whole(capture));
  trend_.add(captures);
  if (files.trend_key_op) trend_.set_key_op(files.trend_key_op);
}

void Workspace::want_trend() {
  if (is_loading() || budgets_.is_reading()) return;
  std::vector<TrendRuns::OpenRun> open;
  const std::vector<RunInfo> names = infos();
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    if (runs_[r]->session.state() != Session::State::open) continue;
    open.push_back({runs_[r]->path, names[r].name, runs_[r]->session.profile()});
  }
  trend_.want(open, budgets_.get());
}

void Workspace::add_run(const std::string& view) {
  const RunId id = next_id_++;
  runs_.push_back(std::make_unique<Run>(scheduler_, id, looks_.look(id), view));
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
  if (runs_.size() == 1) {
    ranks_.clear();
    first_ranks_.clear();
    add_run(runs_[number]->view);
  }
  if (active_ == number) activate(run_after(number));
  const RunId id = runs_[number]->id;
  runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(number));
  looks_.close_run(id);
  if (active_ > number) --active_;
  load_next();
  events_.changed();
}

void Workspace::open(OpenRequest request) {
  Run& run = active();
  remember(run);
  if (run.session.state() == Session::State::open) {
    run.left = Run::Left{run.session.name(), run.path, state_of(run)};
  }
  run.session.clear();
  looks_.clear(run.id);
  run.path = request.path;
  run.identity.clear();
  run.first_view = request.view;
  run.first_tables = request.tables;
  run.first_compared = request.compared;
  run.first_other = request.with;
  run.first_timeline = request.timeline;
  share(run, request.shared);
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
  Run* next = active().waiting ? &active() : nullptr;
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

void Workspace::perform(OpenBeside&& action) {
  std::optional<RunId> to_show;
  for (std::size_t r = 0; r < action.requests.size(); ++r) {
    open_beside(std::move(action.requests[r]));
    if (r == action.first_shown) to_show = active().id;
  }
  const auto run = std::ranges::find(runs_, to_show, [](const auto& open) { return open->id; });
  if (run != runs_.end()) activate(static_cast<std::size_t>(run - runs_.begin()));
}

void Workspace::perform(const CancelLoading&) {
  Run& run = active();
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

void Workspace::perform(const ReturnToFile&) {
  if (!can_go_back()) return;
  const std::optional<Run::Left>& left = active().left;
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

void Workspace::remember(const Run& run) {
  if (sources_.memory == nullptr || run.path.empty()) return;
  if (run.session.state() != Session::State::open) return;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const aggregate::Aggregation& whole = run.session.aggregation()->whole();
  sources_.memory->remember(
      run.path, state_of(run),
      facts_of(*run.session.profile(), *whole.iteration_table,
               std::chrono::duration_cast<std::chrono::seconds>(now).count()));
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
    if (was_loading && run->session.error() != nullptr && !first_ranks_.empty() &&
        run->id == active().id) {
      open_next_rank();
      events_.changed();
      break;  // what was read of it is told in the view Ranks
    }
    const bool has_failed = before != Session::State::failed && run->session.error() != nullptr;
    if (has_failed && run->id != active().id) {
      failures += fmt::format("{}Could not open {}: {}", failures.empty() ? "" : " · ",
                              file_name(*run), run->session.error()->title);
    }
    check_first_timeline(*run);
    events_.changed();
  }
  if (!failures.empty()) events_.notice(std::move(failures));
  const bool has_budgets = budgets_.poll(), has_trend = trend_.poll(), has_ranks = ranks_.poll();
  if (has_budgets || has_trend || has_ranks) events_.changed();
  open_rank_of_summary();
  open_others();
  load_next();
}

// Those that states of newly opened runs name.
void Workspace::open_others() {
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    Run& run = *runs_[r];
    if (!run.first_other || run.session.state() != Session::State::open) continue;
    const OtherFile with = *std::exchange(run.first_other, std::nullopt);
    const auto path = std::filesystem::path(run.path).parent_path() / with.path;
    const RunId shown = active().id;
    perform(run, OpenToCompare{other_file(path.string()), with.range});
    perform(run, CompareAs{with.is_before});
    activate(*number_of(shown));
  }
}

void Workspace::take_notices() {
  for (const auto& run : runs_) {
    std::string notice = run->session.take_notice();
    if (notice.empty()) continue;
    events_.notice(run.get() == &active() ? std::move(notice) : file_name(*run) + ": " + notice);
  }
}

void Workspace::after_loading(Run& run) {
  if (const base::Error* error = run.session.error()) return sources_.failed(*error);
  if (run.session.state() != Session::State::open) return;
  run.left.reset();
  if (ranks_.has(run.path)) first_ranks_.clear();
  run.has_several_ranks = has_several_ranks(*run.session.profile());
  if (const auto view = std::exchange(run.first_view, std::nullopt)) {
    // A state that was kept may name a view that there is no more.
    if (const std::string name = looks_.view_named(*view); !name.empty()) run.view = name;
  }
  for (TableState& state : std::exchange(run.first_tables, {})) {
    run.look.set_table(std::move(state));
  }
  run.session.select_iteration(run.first_compared.iteration);
  run.session.select_baseline(run.first_compared.baseline);
  if (const auto range = std::exchange(run.first_range, std::nullopt)) {
    run.session.select(run.session.selection().with_range(*range));
  }
  take_usual_range(run);
  run.look.set_timeline(run.first_timeline);
  run.identity.clear();
  run.history.begin(run.session.selection());
  take_notices();
  remember(run);
}

void Workspace::check_first_timeline(Run& run) {
  if (run.session.state() != Session::State::open) return;
  const base::Status there = check_timeline_request(run.session, run.first_timeline,
                                                    std::exchange(run.first_compared, {}));
  const auto colors = run.first_timeline.colors;
  run.first_timeline.iteration.reset();
  if (!there || run.session.lanes() != nullptr) run.first_timeline = {};
  if (there) return;
  run.look.set_timeline({.window = {}, .iteration = {}, .colors = colors});
  events_.notice(base::without_advice(there.error()));
}

void Workspace::begin_bookmarks(Run& run) {
  if (!run.identity.empty() || run.session.state() != Session::State::open) return;
  run.identity = run_identity(*run.session.profile());
  run.bookmarks =
      sources_.bookmarks == nullptr ? timeline::Bookmarks() : sources_.bookmarks->of(run.identity);
  run.look.set_bookmarks(run.bookmarks);
  events_.changed();
}

void Workspace::keep_bookmarks() {
  Run& run = active();
  if (run.identity.empty() || run.look.bookmarks() == run.bookmarks) return;
  const auto before = std::exchange(run.bookmarks, run.look.bookmarks());
  if (sources_.bookmarks == nullptr ||
      sources_.bookmarks->keep(run.identity, run.path, before, run.bookmarks)) {
    return;
  }
  events_.notice("Cannot write the bookmarks to " + bookmark_file().string());
}

bool Workspace::is_loading() const {
  return std::ranges::any_of(
      runs_, [](const auto& run) { return run->state() == Session::State::loading; });
}

bool Workspace::settled() const {
  return !budgets_.is_reading() && !trend_.is_measuring() && !ranks_.is_busy() &&
         std::ranges::all_of(
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
  budgets_.settle();
  trend_.settle();
  ranks_.settle();
  const bool has_budgets = budgets_.poll(), has_trend = trend_.poll(), has_ranks = ranks_.poll();
  if (has_budgets || has_trend || has_ranks) events_.changed();
  open_rank_of_summary();
  if (is_loading()) settle();
}

std::vector<RunInfo> Workspace::infos() const {
  std::vector<std::string> paths;
  for (const auto& run : runs_) {
    paths.push_back(run->name());
  }
  const std::vector<std::string> names = distinct_names(paths);
  std::vector<RunInfo> infos;
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    RunInfo info = runs_[r]->session.info();
    info.name = names[r];
    info.path = paths[r];
    info.waits = runs_[r]->waiting.has_value();
    infos.push_back(std::move(info));
  }
  return infos;
}

}  // namespace dlview::workspace
