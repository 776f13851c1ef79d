#include "workspace/rank_run.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "aggregate/key_ops.h"
#include "base/stop_point.h"
#include "import/open.h"
#include "ranks/summary_file.h"
#include "workspace/rank_files.h"

namespace dlview::workspace {
namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

// Figures are computed again while files are read: not sooner than this, and not for more than a
// fifth of the time.
constexpr std::chrono::milliseconds kLeastPause{500};
constexpr int kPausesPerFigures = 4;

// Figures come from checked columns, as those of the command line.
base::Result<RankReader::SharedProfile> open_rank(const fs::path& path, bool use_cache,
                                                  base::Progress& progress) {
  import::CachedFile file(path);
  base::Result<profile::Profile> opened =
      use_cache ? file.open(progress) : import::open_profile(path, progress);
  if (opened && file.maintenance() == import::CachedFile::Maintenance::check &&
      !file.maintain(*opened, progress.stop_token())) {
    opened = import::open_profile(path, progress);
  }
  if (!opened) return opened.error();
  return std::make_shared<const profile::Profile>(*std::move(opened));
}

}  // namespace

RankReader RankReader::by_kernels() const {
  RankReader reader(request_, open_);
  reader.by_kernels_ = true;
  return reader;
}

base::Status RankReader::add(ranks::RunSummary summary) {
  DLVIEW_TRY(ranks::can_merge(summary_, summary));
  auto merged = ranks::merge(std::move(summary_), std::move(summary));
  if (!merged) return merged.error();
  summary_ = *std::move(merged);
  return base::Success{};
}

base::Status RankReader::add(const fs::path& file) {
  has_opened_ = false;
  if (!ranks::is_summary(file)) {
    auto opened = open_(file);
    if (!opened) return opened.error();
    has_opened_ = true;
    return add(*opened, file);
  }
  auto summary = ranks::open_summary(file);
  if (!summary) return summary.error();
  has_opened_ = true;
  std::map<int64_t, std::string> beside;
  for (const ranks::RankPart& part : summary->parts) {
    const fs::path profile = file.parent_path() / part.head.file;
    std::error_code ignored;
    if (fs::is_regular_file(profile, ignored)) beside.emplace(part.head.rank, profile.string());
  }
  DLVIEW_TRY(add(*std::move(summary)));
  profiles_.merge(beside);
  return base::Success{};
}

base::Status RankReader::add(const SharedProfile& profile, const fs::path& file) {
  const aggregate::KeyRanking ranking(*profile);
  auto summaries = summarize_ranks(profile, ranking, request_, file.filename().string(),
                                   std::nullopt, by_kernels_);
  if (!summaries) return summaries.error();
  for (ranks::RunSummary& summary : *summaries) {
    const ranks::SummaryRules rules = summary.rules;
    const int64_t rank = summary.parts.front().head.rank;
    DLVIEW_TRY(add(std::move(summary)));
    // A marker that is named would replace stored iterations, which every rank has of its own.
    const bool is_stored = rules.cut == to_text(aggregate::CutKind::stored);
    if (!request_.key_op && !is_stored) request_.key_op = rules.key_op;
    profiles_.emplace(rank, file.string());
  }
  return base::Success{};
}

base::Result<ranks::SharedRunFigures> RankReader::figures() const {
  return ranks::make_run_figures(summary_);
}

base::Result<ranks::SharedRunFigures> RankReader::take_figures(const ranks::RankSet& only) {
  return ranks::make_run_figures(std::exchange(summary_, {}), only);
}

namespace {

ReadFiles read_in_order(const std::vector<fs::path>& files, const RankReader& none,
                        const TellFile& tell) {
  ReadFiles read{none, {}};
  for (std::size_t number = 0; number < files.size(); ++number) {
    if (tell) tell(files[number], number, read);
    const base::Status added = read.reader.add(files[number]);
    base::stop_point();  // nothing is wrong with a file that was not read to its end
    if (!added) read.left_out.push_back({files[number], added.error(), read.reader.has_opened()});
  }
  return read;
}

// By kernels only, if that leaves out fewer.
ReadFiles read_any_way(const std::vector<fs::path>& files, const RankReader& none,
                       const TellFile& tell) {
  ReadFiles read = read_in_order(files, none, tell);
  const bool differ = std::ranges::any_of(read.left_out, [](const LeftOutFile& each) {
    return each.error.title == ranks::kDifferentMatching;
  });
  if (!differ) return read;
  ReadFiles by_kernels = read_in_order(files, none.by_kernels(), tell);
  return by_kernels.left_out.size() < read.left_out.size() ? std::move(by_kernels)
                                                           : std::move(read);
}

}  // namespace

ReadFiles read_files(const std::vector<fs::path>& files, const RankReader& none,
                     const TellFile& tell) {
  ReadFiles best = read_any_way(files, none, tell);
  std::vector<fs::path> others;  // readable, and of none of the runs so far
  for (const LeftOutFile& each : best.left_out) {
    if (each.is_readable) others.push_back(each.file);
  }
  const auto size_of = [&](const ReadFiles& read) { return files.size() - read.left_out.size(); };
  while (!best.reader.empty() && others.size() > size_of(best)) {
    std::vector<fs::path> order = files;
    std::stable_partition(order.begin(), order.end(), [&others](const fs::path& file) {
      return std::ranges::find(others, file) != others.end();
    });
    ReadFiles read = read_any_way(order, none, tell);
    const std::size_t before = others.size();
    std::erase_if(others, [&read](const fs::path& file) {
      return std::ranges::find(read.left_out, file, &LeftOutFile::file) == read.left_out.end();
    });
    if (size_of(read) > size_of(best)) best = std::move(read);
    if (others.size() == before) break;
  }
  return best;
}

namespace {

// Of the next rank of the figures.
void add_path(ReadRanks& read, const std::string& path) {
  if (!path.empty()) read.by_path[path].push_back(read.paths.size());
  read.paths.push_back(path);
}

// What was read of all ranks, for some of them; of all where the run has none of them.
std::shared_ptr<const ReadRanks> only_of(const std::shared_ptr<const ReadRanks>& whole,
                                         const ranks::RankSet& only) {
  ranks::RunSummary summary = whole->figures->summary;
  ranks::undo(*whole->figures->times.by_time, summary);
  auto figures = ranks::make_run_figures(std::move(summary), only);
  if (!figures) return whole;
  auto read = std::make_shared<ReadRanks>();
  read->figures = *figures;
  read->left_out = whole->left_out;
  read->is_whole = whole->is_whole;
  const std::vector<int64_t>& all = whole->figures->times.ranks;
  for (const int64_t rank : read->figures->times.ranks) {
    const auto place = std::ranges::lower_bound(all, rank) - all.begin();
    add_path(*read, whole->paths[static_cast<std::size_t>(place)]);
  }
  return read;
}

}  // namespace

bool has_several_ranks(const profile::Profile& profile) {
  std::set<int64_t> processes;
  for (const profile::Thread& thread : profile.threads) processes.insert(thread.process_id);
  if (processes.size() < 2 || profile.devices.size() < 2) return false;
  std::vector<bool> launches(profile.threads.size());
  for (profile::LaunchIndex launch{0}; launch < profile.launches.size(); ++launch) {
    const profile::ThreadIndex thread = profile.launches.thread[launch];
    if (thread < launches.size()) launches[thread] = true;
  }
  processes.clear();
  for (std::size_t thread = 0; thread < launches.size(); ++thread) {
    if (launches[thread]) processes.insert(profile.threads[thread].process_id);
  }
  return processes.size() > 1;
}

std::optional<std::size_t> rank_shown(const ReadRanks& read, const std::string& path,
                                      const aggregate::Iterations* iterations) {
  const auto found = read.by_path.find(path);
  if (!read.figures || found == read.by_path.end()) return std::nullopt;
  const std::vector<std::size_t>& ranks = found->second;
  const ranks::RankMatrix& starts = read.figures->times.start_ns;
  if (ranks.size() > 1 && iterations != nullptr && starts.iterations() > 0) {
    for (const std::size_t rank : ranks) {
      const auto same =
          std::ranges::find(iterations->rows, starts.at(rank, 0), &aggregate::Iteration::start_ns);
      if (same != iterations->rows.end()) return rank;
    }
  }
  return ranks.front();
}

// Reads the files of a run, and tells how far it is.
class RankRun::Reading {
 public:
  Reading(std::vector<fs::path> files, std::shared_ptr<Position> position)
      : files_(std::move(files)), position_(std::move(position)) {}

  std::shared_ptr<const ReadRanks> run(const RankReader& none) {
    const TellFile tell = [this](const fs::path& file, std::size_t number,
                                 const ReadFiles& before) {
      {
        const std::lock_guard lock(position_->mutex);
        position_->at = {fmt::format("Reading {}…", file.filename().string()),
                         static_cast<int64_t>(number), static_cast<int64_t>(files_.size())};
      }
      const bool is_due = SteadyClock::now() >= next_;
      if (is_due && !before.reader.empty()) publish(before);
    };
    ReadFiles read = read_files(files_, none, tell);
    if (read.reader.empty()) return described(read, none_readable(read), true);
    auto figures = read.reader.take_figures();
    return described(read, std::move(figures), true);
  }

 private:
  void publish(const ReadFiles& before) {
    const SteadyClock::time_point begin = SteadyClock::now();
    auto read = described(before, before.reader.figures(), false);
    const auto took =
        std::chrono::duration_cast<std::chrono::milliseconds>(SteadyClock::now() - begin);
    next_ = SteadyClock::now() + std::max(kLeastPause, kPausesPerFigures * took);
    if (!read->figures) return;
    const std::lock_guard lock(position_->mutex);
    position_->read = std::move(read);
  }

  base::Error none_readable(const ReadFiles& read) const {
    if (read.left_out.empty()) {
      return {"No rank can be read", fmt::format("{} files", files_.size()), ""};
    }
    const LeftOutFile& first = read.left_out.front();
    base::Error of_first = first.error;
    of_first.detail = fmt::format("{}: {}", first.file.filename().string(), first.error.detail);
    return of_first;
  }

  static std::shared_ptr<const ReadRanks> described(const ReadFiles& files,
                                                    base::Result<ranks::SharedRunFigures> figures,
                                                    bool is_whole) {
    auto read = std::make_shared<ReadRanks>();
    read->left_out = files.left_out;
    read->is_whole = is_whole;
    if (!figures) {
      read->error = figures.error();
      return read;
    }
    read->figures = *std::move(figures);
    const std::map<int64_t, std::string>& profiles = files.reader.profiles();
    for (const int64_t rank : read->figures->times.ranks) {
      const auto found = profiles.find(rank);
      add_path(*read, found == profiles.end() ? "" : found->second);
    }
    return read;
  }

  std::vector<fs::path> files_;
  std::shared_ptr<Position> position_;
  SteadyClock::time_point next_ = SteadyClock::now() + kLeastPause;
};

RankRun::~RankRun() = default;

void RankRun::open(std::vector<fs::path> files, const SelectionRequest& request) {
  files_ = std::move(files);
  request_ = request;
  profile_.reset();
  show_nothing();
  start();
}

void RankRun::open(const RankReader::SharedProfile& profile, const std::string& path) {
  if (profile == profile_) return;
  files_ = {path};
  request_ = {};
  profile_ = profile;
  show_nothing();
  start();
}

void RankRun::start() {
  timelines_.clear();
  learn_paths();
  is_canceled_ = false;
  position_ = std::make_shared<Position>();
  position_->at = {"Waiting…", 0, static_cast<int64_t>(files_.size())};
  task_ = scheduler_.start(
      base::Arena::background, [files = files_, request = request_, profile = profile_,
                                position = position_](base::Progress& progress) {
        const RankReader none(request, [&](const fs::path& file) {
          return profile ? base::Result<RankReader::SharedProfile>(profile)
                         : open_rank(file, request.use_cache, progress);
        });
        return base::Result<std::shared_ptr<const ReadRanks>>(Reading(files, position).run(none));
      });
}

void RankRun::cancel() {
  if (!task_) return;
  poll();
  task_ = {};
  is_canceled_ = true;
}

void RankRun::read_again() {
  if (!files_.empty()) start();
}

void RankRun::clear() {
  task_ = {};
  files_.clear();
  profile_.reset();
  show_nothing();
  known_.clear();
  is_canceled_ = false;
  timelines_.clear();
}

void RankRun::want_timelines(const std::vector<std::size_t>& ranks) {
  if (!read_ || !read_->figures) return;
  std::vector<RankTimelines::Wanted> wanted;
  for (const std::size_t rank : ranks) {
    const std::string& path = read_->paths[rank];
    if (!path.empty() && wanted.size() < kMostTimelines) {
      wanted.push_back({read_->figures->times.ranks[rank], path});
    }
  }
  SelectionRequest request = request_;
  request.key_op = read_->figures->summary.rules.key_op;
  timelines_.want(std::move(wanted), request,
                  [profile = profile_, use_cache = request.use_cache](const fs::path& path,
                                                                      base::Progress& progress) {
                    if (profile) return base::Result<RankReader::SharedProfile>(profile);
                    return open_rank(path, use_cache, progress);
                  });
}

bool RankRun::poll() {
  const bool has_lanes = timelines_.poll();
  const bool has_read = poll_reading();
  return poll_choosing() || has_read || has_lanes;
}

void RankRun::show_nothing() {
  choosing_ = {};
  only_ = {};
  whole_.reset();
  read_.reset();
}

void RankRun::only_ranks(ranks::RankSet only) {
  if (only == only_) return;
  only_ = std::move(only);
  timelines_.clear();
  choose();
}

// Until they are there, what was shown before stays.
void RankRun::choose() {
  choosing_ = {};
  if (only_.empty() || !whole_ || !whole_->figures) {
    read_ = whole_;
    return;
  }
  choosing_ =
      scheduler_.start(base::Arena::background, [whole = whole_, only = only_](base::Progress&) {
        return base::Result<std::shared_ptr<const ReadRanks>>(only_of(whole, only));
      });
}

bool RankRun::poll_choosing() {
  if (!choosing_ || !choosing_.ended()) return false;
  auto chosen = choosing_.take();
  read_ = chosen ? *std::move(chosen) : whole_;
  // Its ranks may still come.
  if (read_ == whole_ && whole_->is_whole) only_ = {};
  return true;
}

bool RankRun::poll_reading() {
  if (!task_) return false;
  if (task_.ended()) {
    auto made = task_.take();
    if (made) {
      whole_ = *std::move(made);
    } else {
      auto failed = std::make_shared<ReadRanks>();
      failed->error = made.error();
      whole_ = failed;
    }
    choose();
    learn_paths();
    return true;
  }
  const std::lock_guard lock(position_->mutex);
  if (position_->read == nullptr) return false;
  whole_ = std::exchange(position_->read, nullptr);
  choose();
  learn_paths();
  return true;
}

void RankRun::learn_paths() {
  known_.clear();
  for (const fs::path& file : files_) known_.insert(file.string());
  if (!whole_) return;
  for (const std::string& path : whole_->paths) {
    if (!path.empty()) known_.insert(path);
  }
}

RankModel RankRun::describe() const {
  RankModel model;
  model.files = files_.size();
  model.read = read_;
  model.is_canceled = is_canceled_;
  model.lanes = timelines_.read();
  model.is_reading_lanes = timelines_.is_reading();
  if (task_ && position_) {
    const std::lock_guard lock(position_->mutex);
    model.reading = position_->at;
  }
  return model;
}

}  // namespace dlview::workspace
