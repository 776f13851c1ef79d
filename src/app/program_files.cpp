#include <algorithm>
#include <filesystem>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "app/folder_listing.h"
#include "app/program.h"
#include "base/units.h"
#include "import/ncu/load.h"
#include "ui/view.h"
#include "workspace/rank_files.h"
#include "workspace/state_string.h"

namespace dlview::app {

void Program::open(workspace::OpenRequest request) {
  act(workspace::Open{std::move(request)});
}
void Program::open_several(std::vector<workspace::OpenRequest> requests, std::size_t first_shown) {
  act(workspace::OpenBeside{std::move(requests), first_shown});
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
void Program::open_beside(workspace::OpenRequest request) {
  act(workspace::OpenBeside{{std::move(request)}});
}
void Program::go_back_to_file() {
  act(workspace::ReturnToFile{});
}
void Program::show_run(std::size_t number) {
  if (number < runs().size()) act(workspace::Activate{runs()[number]->id});
}
void Program::compare_with_run(std::size_t number) {
  if (number < runs().size()) act(workspace::CompareWith{runs()[number]->id});
}
void Program::compare_with_file(const std::string& path) {
  show_overlay(ui::Overlay::none);
  act(workspace::OpenToCompare{workspace_.other_file(path)});
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

void Program::show_rank(const workspace::RankChoice& choice) {
  const auto open_run =
      std::ranges::find(runs(), choice.path, [](const auto& run) { return run->path; });
  if (open_run != runs().end()) {
    const workspace::RunId id = (*open_run)->id;
    const std::string view = shown().view;
    act(workspace::Activate{id});
    act(id, workspace::ShowView{view});
    act(id, workspace::SelectRank{choice.rank});
    if (choice.iteration) act(id, workspace::SelectIteration{choice.iteration});
    return;
  }
  workspace::OpenRequest request = workspace_.other_file(choice.path);
  request.view = shown().view;
  request.compared.iteration = choice.iteration;
  // In place of another rank, so that walking through ranks does not fill the memory.
  const auto ranks = workspace_.ranks();
  if (ranks && !ranks->active_path.empty()) return open(std::move(request));
  open_beside(std::move(request));
}

void Program::only_ranks(const ranks::RankSet& ranks) {
  act(workspace::OnlyRanks{ranks});
}

void Program::want_rank_timelines(const std::vector<std::size_t>& ranks) {
  workspace_.want_rank_timelines(ranks);
}

std::optional<workspace::RankChoice> Program::next_rank(int step) const {
  const auto ranks = workspace_.ranks();
  if (!ranks || !ranks->read || ranks->read->paths.empty()) return std::nullopt;
  const workspace::ReadRanks& read = *ranks->read;
  const std::size_t count = read.paths.size();
  // One that is not among them is before the first.
  std::size_t rank = ranks->active.value_or(step > 0 ? count - 1 : 0);
  for (std::size_t tried = 0; tried < count; ++tried) {
    rank = (rank + count + static_cast<std::size_t>(step)) % count;
    if (rank == ranks->active) return std::nullopt;
    if (!read.paths[rank].empty()) {
      return workspace::RankChoice{read.paths[rank], read.figures->times.ranks[rank]};
    }
  }
  return std::nullopt;
}

void Program::show_typical_rank() {
  show_rank_of(&ranks::RunFigures::typical_rank);
}

void Program::show_slowest_rank() {
  show_rank_of(&ranks::RunFigures::slowest_rank);
}

void Program::show_rank_of(std::size_t (ranks::RunFigures::*which)() const) {
  const auto ranks = workspace_.ranks();
  if (!ranks || !ranks->read || !ranks->read->figures) return;
  const ranks::RunFigures& run = *ranks->read->figures;
  const std::size_t rank = (run.*which)();
  if (ranks->read->paths[rank].empty()) {
    return notify(fmt::format("Profile of rank {} not found: {}", run.times.ranks[rank],
                              run.part_of(rank).head.file));
  }
  show_rank({ranks->read->paths[rank], run.times.ranks[rank], session().compared().iteration});
}

void Program::show_next_rank(int step) {
  auto choice = next_rank(step);
  if (!choice) return;
  choice->iteration = session().compared().iteration;
  show_rank(*choice);
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

void Program::cancel_loading() {
  act(workspace::CancelLoading{});
}

void Program::choose_file(ui::FileUse use) {
  show_overlay(ui::Overlay::files);
  file_use_ = use;
  changed();
}

void Program::list_folder(const std::string& path) {
  folder_ = std::make_shared<const ui::FolderListing>(app::list_folder(path));
  changed();
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

}  // namespace dlview::app
