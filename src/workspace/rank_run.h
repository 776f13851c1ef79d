// The ranks of a run: files that are summarized one after another, in the background for the
// window and at once for the command line.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "aggregate/iterations.h"
#include "base/progress.h"
#include "base/result.h"
#include "base/scheduler.h"
#include "profile/profile.h"
#include "ranks/run_figures.h"
#include "workspace/rank_timelines.h"
#include "workspace/selection_request.h"

namespace dlview::workspace {

// Reads the files of a run and merges their summaries. All ranks have the iteration marker of the
// first one, unless the request names one.
class RankReader {
 public:
  using SharedProfile = std::shared_ptr<const profile::Profile>;
  using Open = std::function<base::Result<SharedProfile>(const std::filesystem::path&)>;
  RankReader(SelectionRequest request, Open open)
      : request_(std::move(request)), open_(std::move(open)) {}

  // One that has read nothing, and matches the collectives of all profiles by their kernels.
  RankReader by_kernels() const;
  // Adds the ranks of a profile or summary. After a failure, what was read before stays.
  base::Status add(const std::filesystem::path& file);
  // Whether the file that was added last could be opened, even if it is of another run.
  bool has_opened() const { return has_opened_; }

  bool empty() const { return summary_.parts.empty(); }
  // The profile of each rank by its number, where its file was read or lies beside its summary.
  const std::map<int64_t, std::string>& profiles() const { return profiles_; }
  // Costs a copy of the summary, and its figures.
  base::Result<ranks::SharedRunFigures> figures() const;
  // Without that copy: the reader has read nothing then.
  base::Result<ranks::SharedRunFigures> take_figures(const ranks::RankSet& only = {});

 private:
  base::Status add(const SharedProfile& profile, const std::filesystem::path& file);
  base::Status add(ranks::RunSummary summary);

  SelectionRequest request_;
  Open open_;
  bool by_kernels_ = false, has_opened_ = false;
  ranks::RunSummary summary_;
  std::map<int64_t, std::string> profiles_;
};

struct LeftOutFile {
  std::filesystem::path file;
  base::Error error;
  bool is_readable = false;  // but of another run
};
struct ReadFiles {
  RankReader reader;
  std::vector<LeftOutFile> left_out;  // cannot be read, or are of another run
};

// Reads the files of a run one after another: of several runs, the one with most files, of equal
// ones the first. Files are read once more where profiles can only be matched by kernels, and where
// those left out may be a larger run. `none`: a reader that has read nothing. Calls `tell` before
// each file with the number of files read so far and their result. A stop point.
using TellFile = std::function<void(const std::filesystem::path& file, std::size_t number,
                                    const ReadFiles& before)>;
ReadFiles read_files(const std::vector<std::filesystem::path>& files, const RankReader& none,
                     const TellFile& tell = {});

// Whether several processes of the profile drive GPUs. Costs a pass over the calls, of a profile
// with several processes.
bool has_several_ranks(const profile::Profile& profile);

struct ReadRanks {
  ranks::SharedRunFigures figures;  // null = no rank was read, or `error`
  std::vector<std::string> paths;   // of the profile, by rank of the figures; empty = not at hand
  std::unordered_map<std::string, std::vector<std::size_t>> by_path;  // the ranks of a profile
  std::vector<LeftOutFile> left_out;
  std::optional<base::Error> error;  // why there are no figures
  bool is_whole = false;             // all files were read
};

// The rank whose profile, and of a file with several whose iterations these are. Costs the
// iterations, of a file with several.
std::optional<std::size_t> rank_shown(const ReadRanks& read, const std::string& path,
                                      const aggregate::Iterations* iterations);

// A rank to be shown: the profile that it lies in, and an iteration of it to be selected.
struct RankChoice {
  std::string path;
  int64_t rank = 0;
  std::optional<int64_t> iteration = {};
};

// What the view Ranks shows.
struct RankModel {
  std::size_t files = 0;
  std::shared_ptr<const ReadRanks> read;  // null = none yet
  std::optional<base::Progress::Snapshot> reading;
  bool is_canceled = false;
  std::string active_path;            // of the active run; empty = nothing is open
  std::optional<std::size_t> active;  // its rank, as a place in the figures
  // Of the ranks whose timelines are shown, as they come.
  std::shared_ptr<const ReadLanes> lanes = std::make_shared<const ReadLanes>();
  bool is_reading_lanes = false;
};

// The ranks of the window. The main thread only.
class RankRun {
 public:
  explicit RankRun(base::Scheduler& scheduler) : scheduler_(scheduler), timelines_(scheduler) {}
  ~RankRun();
  RankRun(const RankRun&) = delete;
  RankRun& operator=(const RankRun&) = delete;

  // Begins to read these files (absolute paths) in place of what was read before.
  void open(std::vector<std::filesystem::path> files, const SelectionRequest& request);
  // A profile with several ranks, unless it is the one that was read last.
  void open(const RankReader::SharedProfile& profile, const std::string& path);
  // Keeps what has been read.
  void cancel();
  void read_again();
  void clear();
  // read() is to be of these ranks, if the run has one of them; empty = of all. Files that are
  // opened later are shown whole.
  void only_ranks(ranks::RankSet only);
  // Takes over what the tasks have read so far; returns whether something changed.
  bool poll();
  bool is_reading() const { return static_cast<bool>(task_); }
  bool is_busy() const { return is_reading() || choosing_ || timelines_.is_reading(); }
  void settle() const {
    if (task_) task_.wait();
    if (choosing_) choosing_.wait();
    timelines_.settle();
  }
  // Reads what the timeline draws of these ranks of the figures. In each frame that shows it.
  void want_timelines(const std::vector<std::size_t>& ranks);

  bool empty() const { return files_.empty(); }
  // Whether the file is one of them, or the profile of a rank that was read.
  bool has(const std::string& path) const { return known_.contains(path); }
  const std::vector<std::filesystem::path>& files() const { return files_; }
  const std::shared_ptr<const ReadRanks>& read() const { return read_; }
  RankModel describe() const;

 private:
  // How far the task is; shared with it.
  struct Position {
    std::mutex mutex;
    base::Progress::Snapshot at;
    std::shared_ptr<const ReadRanks> read;
  };
  class Reading;
  void start();
  void show_nothing();
  bool poll_reading();
  void choose();
  bool poll_choosing();
  void learn_paths();

  base::Scheduler& scheduler_;
  std::vector<std::filesystem::path> files_;
  SelectionRequest request_;
  RankReader::SharedProfile profile_;  // of the only file, if it is open
  std::shared_ptr<Position> position_;
  base::Task<std::shared_ptr<const ReadRanks>> task_;
  std::shared_ptr<const ReadRanks> whole_;  // of all ranks
  ranks::RankSet only_;
  base::Task<std::shared_ptr<const ReadRanks>> choosing_;  // of them
  std::shared_ptr<const ReadRanks> read_;
  std::unordered_set<std::string> known_;  // files and profiles
  bool is_canceled_ = false;
  RankTimelines timelines_;
};

}  // namespace dlview::workspace
