#include <algorithm>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "profile/rank_name.h"
#include "ranks/identity.h"
#include "ranks/summary_file.h"
#include "workspace/rank_files.h"
#include "workspace/run.h"
#include "workspace/workspace.h"

namespace dlview::workspace {

void Workspace::perform(const OpenRanks& action) {
  const auto files = run_files(action.names);
  if (!files) {
    sources_.failed(files.error());
    events_.notice(base::one_line(files.error()));
    return;
  }
  std::vector<std::filesystem::path> whole;
  std::vector<std::pair<int64_t, std::string>> profiles;  // the lowest rank first
  for (const std::filesystem::path& file : *files) {
    std::error_code ignored;
    whole.push_back(std::filesystem::absolute(file, ignored).lexically_normal());
    if (ranks::is_summary(file)) continue;
    const auto rank = profile::rank_of_name(file.filename().string());
    profiles.emplace_back(rank.value_or(std::numeric_limits<int64_t>::max()), file.string());
  }
  std::ranges::sort(profiles, std::greater<>());
  // That which the state string names begins.
  std::stable_partition(profiles.begin(), profiles.end(), [this](const auto& profile) {
    return std::filesystem::path(profile.second).filename() != sources_.of_ranks.file;
  });
  ranks_.open(std::move(whole), sources_.of_ranks);
  first_ranks_.clear();
  for (auto& [rank, file] : profiles) first_ranks_.push_back(std::move(file));
  shows_ranks_ = action.shows;
  wants_rank_of_summary_ = first_ranks_.empty();
  if (shows_ranks_) active().view = kRanksView;
  open_next_rank();
  // A summary alone has nothing that other views show.
  if (wants_rank_of_summary_ && active().state() != Session::State::empty) {
    add_run(std::string(kRanksView));
  }
  events_.changed();
}

void Workspace::open_next_rank() {
  if (first_ranks_.empty()) return;
  OpenRequest request = sources_.file(first_ranks_.back());
  first_ranks_.pop_back();
  if (shows_ranks_) request.view = std::string(kRanksView);
  open(std::move(request));
}

// Beside it lie the profiles, perhaps.
void Workspace::open_rank_of_summary() {
  if (!wants_rank_of_summary_ || !ranks_.read() || ranks_.is_reading()) return;
  wants_rank_of_summary_ = false;
  if (active().state() != Session::State::empty) return;
  for (const std::string& path : ranks_.read()->paths) {
    if (path.empty()) continue;
    first_ranks_ = {path};
    return open_next_rank();
  }
}

void Workspace::perform(const StopRanks&) {
  ranks_.cancel();
  events_.changed();
}
void Workspace::perform(const ReadRanksAgain&) {
  ranks_.read_again();
  events_.changed();
}
void Workspace::perform(const OnlyRanks& action) {
  ranks_.only_ranks(action.ranks);
  events_.changed();
}

bool Workspace::are_ranks_read() const {
  const Run& run = active();
  const bool is_open = run.session.state() == Session::State::open;
  if (is_open ? !ranks_.has(run.path) : ranks_.empty()) return false;
  const auto& read = ranks_.read();
  const bool has_one = read && read->figures && read->is_whole && read->left_out.empty() &&
                       read->figures->all_ranks() == 1;
  return !has_one;
}

bool Workspace::has_ranks() const {
  const bool is_open = active().session.state() == Session::State::open;
  return are_ranks_read() || (is_open && active().has_several_ranks);
}

std::optional<RankModel> Workspace::ranks() const {
  if (!has_ranks()) return std::nullopt;
  RankModel model;
  model.files = 1;
  if (are_ranks_read()) model = ranks_.describe();
  const Run& run = active();
  model.active_path = run.path;
  if (model.read) {
    const aggregate::Aggregation* const shown = run.session.aggregation();
    model.active = rank_shown(*model.read, run.path,
                              shown == nullptr ? nullptr : &shown->iteration_table->iterations);
  }
  return model;
}

void Workspace::want_ranks() {
  const Run& run = active();
  if (run.session.state() != Session::State::open || !run.has_several_ranks) return;
  if (!ranks_.has(run.path)) ranks_.open(run.session.profile(), run.path);
}

void Workspace::want_rank_timelines(const std::vector<std::size_t>& ranks) {
  if (are_ranks_read()) ranks_.want_timelines(ranks);
}

void Workspace::perform(Run& run, const SelectRank& action) {
  if (run.session.state() != Session::State::open) return;
  const profile::Profile& profile = *run.session.profile();
  const std::vector<ranks::RankIdentity> identities = ranks::ranks_of(profile, file_name(run));
  const auto its = std::ranges::find(identities, action.rank, &ranks::RankIdentity::rank);
  // A file of one rank shows it whatever it says.
  if (identities.size() < 2 || its == identities.end()) return;
  SelectionRequest request;
  request.key_op = run.session.selection().cut.key_op;
  const auto selection = select_rank(profile, run.session.key_ranking(), request, *its);
  if (!selection) return events_.notice(base::one_line(selection.error()));
  perform(run, Select{*selection});
}

}  // namespace dlview::workspace
