#include "workspace/rank_timelines.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "aggregate/key_ops.h"
#include "base/stop_point.h"
#include "workspace/rank_files.h"

namespace dlview::workspace {

class RankTimelines::Reading {
 public:
  Reading(std::vector<Wanted> ranks, SelectionRequest request, Open open,
          std::shared_ptr<Shared> shared)
      : ranks_(std::move(ranks)),
        request_(std::move(request)),
        open_(std::move(open)),
        shared_(std::move(shared)) {}

  // Ranks of one file follow one another: it is opened once.
  void run(base::Progress& progress) {
    std::ranges::stable_sort(ranks_, {}, &Wanted::path);
    std::string path;
    base::Result<SharedProfile> profile = SharedProfile();
    for (const Wanted& wanted : ranks_) {
      base::stop_point();
      if (wanted.path != path) {
        profile = open_(wanted.path, progress);
        path = wanted.path;
      }
      RankLanesOf read;
      if (!profile) {
        if (progress.canceled()) throw base::Stopped{};
        read.error = profile.error();
      } else {
        read = lanes_of(*profile, wanted);
      }
      const std::lock_guard lock(shared_->mutex);
      shared_->read[wanted.rank] = std::move(read);
      shared_->has_news = true;
    }
  }

 private:
  RankLanesOf lanes_of(const SharedProfile& profile, const Wanted& wanted) const {
    const std::string file = std::filesystem::path(wanted.path).filename().string();
    std::vector<ranks::RankIdentity> identities = ranks::ranks_of(*profile, file);
    // A file with one rank is that one, whatever it says.
    if (identities.size() == 1) identities.front().rank = wanted.rank;
    const auto its = std::ranges::find(identities, wanted.rank, &ranks::RankIdentity::rank);
    if (its == identities.end()) {
      return {nullptr, base::Error{"The file does not hold this rank",
                                   fmt::format("{} holds no rank {}", file, wanted.rank),
                                   "Read the ranks again"}};
    }
    const aggregate::KeyRanking ranking(*profile);
    auto selection = select_rank(*profile, ranking, request_, *its);
    if (!selection) return {nullptr, selection.error()};
    return {std::make_shared<const ranks::RankLanes>(
                ranks::rank_lanes({profile, *its, *std::move(selection), file})),
            std::nullopt};
  }

  std::vector<Wanted> ranks_;
  SelectionRequest request_;
  Open open_;
  std::shared_ptr<Shared> shared_;
};

void RankTimelines::want(std::vector<Wanted> ranks, const SelectionRequest& request,
                         const Open& open) {
  if (ranks == wanted_ && request.key_op == request_.key_op) return;
  poll();
  const bool is_same_request = request.key_op == request_.key_op;
  ReadLanes kept;
  std::vector<Wanted> missing;
  for (const Wanted& wanted : ranks) {
    const auto old = read_->find(wanted.rank);
    const bool is_kept = is_same_request && old != read_->end() &&
                         std::ranges::find(wanted_, wanted) != wanted_.end();
    if (is_kept) {
      kept.insert(*old);
    } else {
      missing.push_back(wanted);
    }
  }
  task_ = {};
  wanted_ = std::move(ranks);
  request_ = request;
  read_ = std::make_shared<const ReadLanes>(std::move(kept));
  if (!missing.empty()) start(std::move(missing), open);
}

void RankTimelines::start(std::vector<Wanted> missing, const Open& open) {
  shared_ = std::make_shared<Shared>();
  shared_->read = *read_;
  task_ =
      scheduler_.start(base::Arena::background, [missing = std::move(missing), request = request_,
                                                 open, shared = shared_](base::Progress& progress) {
        Reading(missing, request, open, shared).run(progress);
        return base::Result<base::Success>(base::Success{});
      });
}

void RankTimelines::clear() {
  task_ = {};
  wanted_.clear();
  shared_.reset();
  read_ = std::make_shared<const ReadLanes>();
}

bool RankTimelines::poll() {
  if (!shared_) return false;
  const bool has_ended = task_.ended();
  bool has_news = has_ended;
  {
    const std::lock_guard lock(shared_->mutex);
    if (std::exchange(shared_->has_news, false)) {
      read_ = std::make_shared<const ReadLanes>(shared_->read);
      has_news = true;
    }
  }
  if (has_ended) {
    (void)task_.take();
    task_ = {};
    shared_.reset();
  }
  return has_news;
}

}  // namespace dlview::workspace
