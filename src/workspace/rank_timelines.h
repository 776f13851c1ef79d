// What the timeline of ranks draws: read from the profiles of the chosen ranks, one after another,
// in the background. Rows come as they are read, and stay as long as their rank is chosen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "base/scheduler.h"
#include "profile/profile.h"
#include "ranks/rank_lanes.h"
#include "workspace/selection_request.h"

namespace dlview::workspace {

inline constexpr std::size_t kMostTimelines = 16;

struct RankLanesOf {
  std::shared_ptr<const ranks::RankLanes> lanes;  // null = `error`, or not read yet
  std::optional<base::Error> error;
};
// By number of the rank.
using ReadLanes = std::map<int64_t, RankLanesOf>;

class RankTimelines {
 public:
  using SharedProfile = std::shared_ptr<const profile::Profile>;
  using Open =
      std::function<base::Result<SharedProfile>(const std::filesystem::path&, base::Progress&)>;
  explicit RankTimelines(base::Scheduler& scheduler) : scheduler_(scheduler) {}

  struct Wanted {
    int64_t rank = 0;
    std::string path;  // of its profile
    bool operator==(const Wanted&) const = default;
  };
  // In each frame that shows them, at most kMostTimelines. The request chooses the iterations.
  void want(std::vector<Wanted> ranks, const SelectionRequest& request, const Open& open);
  void clear();
  // Takes over what has been read; returns whether something changed.
  bool poll();
  bool is_reading() const { return static_cast<bool>(task_); }
  void settle() const {
    if (task_) task_.wait();
  }

  const std::shared_ptr<const ReadLanes>& read() const { return read_; }  // never null

 private:
  struct Shared {
    std::mutex mutex;
    ReadLanes read;
    bool has_news = false;
  };
  class Reading;
  void start(std::vector<Wanted> missing, const Open& open);

  base::Scheduler& scheduler_;
  std::vector<Wanted> wanted_;
  SelectionRequest request_;
  std::shared_ptr<Shared> shared_;
  base::Task<base::Success> task_;
  std::shared_ptr<const ReadLanes> read_ = std::make_shared<const ReadLanes>();
};

}  // namespace dlview::workspace
