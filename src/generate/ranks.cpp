#include "generate/ranks.h"

#include <algorithm>
#include <memory>
#include <system_error>

#include <fmt/format.h>

#include "generate/canceled.h"
#include "generate/option_limits.h"
#include "generate/ranks/rank_file.h"
#include "generate/ranks/run.h"
#include "generate/ranks/truth.h"

namespace dlview::generate {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostRanksOfRun = 65'536;

base::Error invalid_skew(std::string item, std::string detail) {
  return {fmt::format("Invalid --skew: \"{}\"", item), std::move(detail),
          "Use ranks, hosts and iterations that the run has"};
}

base::Status check_groups(const RanksOptions& options) {
  for (const int64_t size : {options.groups.tensor, options.groups.expert}) {
    if (options.ranks % size == 0) continue;
    return base::Error{
        fmt::format("Invalid --rank-groups: {}", size),
        fmt::format("{} ranks cannot be divided into groups of {}", options.ranks, size),
        "Use a size that divides --ranks"};
  }
  return base::Success{};
}

base::Status check_skew(const RanksOptions& options) {
  const Skew& skew = options.skew;
  const auto rank = [&](const char* item, int64_t value) -> base::Status {
    if (value < options.ranks) return base::Success{};
    return invalid_skew(fmt::format("{}={}", item, value),
                        fmt::format("ranks are 0 to {}", options.ranks - 1));
  };
  for (const Skew::SlowRank& slow : skew.stragglers) {
    DLVIEW_TRY(rank("straggler", slow.rank));
    const int64_t last = slow.last == INT64_MAX ? slow.first : slow.last;
    if (last < options.iterations) continue;
    return invalid_skew(fmt::format("straggler={}", slow.rank),
                        fmt::format("iteration {} is not in the run: iterations are 0 to {}", last,
                                    options.iterations - 1));
  }
  if (skew.stage) DLVIEW_TRY(rank("stage", skew.stage->first_rank));
  for (const Skew::RankCount& lost : skew.lost) DLVIEW_TRY(rank("lost", lost.rank));
  for (const Skew::RankCount& late : skew.late) {
    DLVIEW_TRY(rank("late", late.rank));
    if (late.count < options.iterations) continue;
    return invalid_skew(fmt::format("late={}:{}", late.rank, late.count),
                        fmt::format("the run has {} iterations", options.iterations));
  }
  for (const int64_t missing : skew.missing) DLVIEW_TRY(rank("missing", missing));
  for (const Skew::SlowIteration& slow : skew.all) {
    if (slow.iteration < options.iterations) continue;
    return invalid_skew(fmt::format("all={}", slow.iteration),
                        fmt::format("the run has {} iterations", options.iterations));
  }
  const int64_t hosts = (options.ranks + options.ranks_per_host - 1) / options.ranks_per_host;
  for (const Skew::SlowHost& slow : skew.hosts) {
    bool is_known = false;
    for (int64_t host = 0; host < hosts; ++host) is_known |= ranks::host_name(host) == slow.host;
    if (!is_known) {
      return invalid_skew("host=" + slow.host,
                          fmt::format("hosts are a to {}", ranks::host_name(hosts - 1)));
    }
  }
  return base::Success{};
}

base::Status check_ranks(const RanksOptions& options) {
  DLVIEW_TRY(check_options({{"--ranks", options.ranks, 1, kMostRanksOfRun},
                            {"--ranks-per-host", options.ranks_per_host, 1, kMostRanksOfRun},
                            {"--iterations", options.iterations, 1, kMostIterations},
                            {"--kernels", options.kernels, 1, kMostKernels},
                            {"--rank", options.only_rank.value_or(0), 0, options.ranks - 1}}));
  if (options.one_file && options.format != RanksFormat::nsys) {
    return base::Error{"Invalid --one-file", "only exports hold several processes",
                       "Use --format nsys"};
  }
  DLVIEW_TRY(check_groups(options));
  return check_skew(options);
}

// Creates the folder, or checks that it is empty.
base::Status prepare_folder(const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder, error)) {
    if (!fs::is_directory(folder, error)) {
      return base::Error{"The output is not a folder", folder.string(),
                         "Choose the name of a new or empty folder"};
    }
    if (!fs::is_empty(folder, error) || error) {
      return base::Error{"The folder is not empty", folder.string(),
                         "Choose the name of a new or empty folder"};
    }
    return base::Success{};
  }
  fs::create_directories(folder, error);
  if (!error) return base::Success{};
  return base::Error{"The folder cannot be created",
                     fmt::format("{}: {}", folder.string(), error.message()),
                     "Check that the folder above it exists and is writable"};
}

std::string file_name(const ranks::RankPlace& place, const RanksOptions& options) {
  switch (options.format) {
    case RanksFormat::nsys:
      return options.one_file ? fmt::format("report_{}.sqlite", place.host)
                              : fmt::format("report_{}.sqlite", place.rank);
    case RanksFormat::pytorch:
      // The time at which the profiler was started.
      return fmt::format("{}_{}.{}.pt.trace.json{}", place.host, place.process,
                         place.utc_ns(place.capture_start_ns), options.gzip ? ".gz" : "");
    case RanksFormat::dlprof:
      return fmt::format("dlprof_dldb_{}.sqlite", place.rank);
  }
  return "";
}

class RunWriter {
 public:
  RunWriter(const fs::path& folder, const RanksOptions& options, const ranks::Plan& plan,
            base::Progress& progress)
      : folder_(folder),
        options_(options),
        plan_(plan),
        progress_(progress),
        places_(ranks::place_ranks(options)),
        ends_(plan, options.ranks, options.iterations) {}

  base::Status write() {
    const fs::path truth_path = options_.truth.empty() ? folder_ / "truth.json" : options_.truth;
    base::Result<ranks::TruthWriter> truth =
        ranks::TruthWriter::create(truth_path, plan_, options_);
    if (!truth) return truth.error();
    progress_.begin_stage("Playing all ranks", options_.iterations);
    const bool is_complete = ranks::play_all(
        plan_, options_, places_, ends_, progress_,
        [&](const ranks::PlayedCollective& played) { truth->add(played, places_); });
    if (!is_complete) return canceled();
    progress_.begin_stage("Writing ranks", options_.ranks);
    for (const ranks::RankPlace& place : places_) {
      DLVIEW_TRY(write_rank(place, *truth));
      progress_.set_done(place.rank + 1);
    }
    return truth->finish(places_);
  }

 private:
  // The ranks in the same file, with files only.
  std::vector<const ranks::RankPlace*> sharing(const ranks::RankPlace& place) const {
    std::vector<const ranks::RankPlace*> sharing;
    for (const ranks::RankPlace& other : places_) {
      const bool is_same = options_.one_file ? other.host == place.host : other.rank == place.rank;
      if (is_same && is_wanted(other)) sharing.push_back(&other);
    }
    return sharing;
  }
  bool is_wanted(const ranks::RankPlace& place) const {
    return place.has_file && place.rank == options_.only_rank.value_or(place.rank);
  }

  base::Result<std::unique_ptr<ranks::RankFile>> create(const ranks::RankPlace& place,
                                                        const std::string& name) {
    const fs::path path = folder_ / name;
    switch (options_.format) {
      case RanksFormat::nsys:
        return ranks::create_export(path, plan_, options_, sharing(place), quiet_);
      case RanksFormat::pytorch:
        return ranks::create_trace(path, plan_, options_, place);
      case RanksFormat::dlprof:
        return ranks::create_database(path, plan_, quiet_);
    }
    return canceled();
  }

  base::Status write_rank(const ranks::RankPlace& place, ranks::TruthWriter& truth) {
    // The name of a file that another session writes is known, too.
    const std::string name = place.has_file ? file_name(place, options_) : "";
    truth.begin_rank(place, name);
    if (is_wanted(place) && (!file_ || name != open_name_)) {
      base::Result<std::unique_ptr<ranks::RankFile>> file = create(place, name);
      if (!file) return std::move(file).error();
      file_ = std::move(*file);
      open_name_ = name;
    }
    if (is_wanted(place)) file_->begin_rank(place);
    ranks::Record record;
    ranks::play_rank(plan_, options_, place, ends_, record, [&] {
      truth.add(record, ends_);
      if (is_wanted(place)) file_->add(record);
      if (progress_.canceled()) quiet_.cancel();
    });
    if (progress_.canceled()) return canceled();
    if (!is_wanted(place) || sharing(place).back() != &place) return base::Success{};
    const base::Status status = file_->finish();
    file_.reset();
    return status;
  }

  const fs::path& folder_;
  const RanksOptions& options_;
  const ranks::Plan& plan_;
  base::Progress& progress_;
  base::Progress quiet_;  // of single files
  std::vector<ranks::RankPlace> places_;
  ranks::Ends ends_;
  std::unique_ptr<ranks::RankFile> file_;
  std::string open_name_;
};

}  // namespace

base::Status generate_ranks(const fs::path& folder, const RanksOptions& options,
                            base::Progress& progress) {
  DLVIEW_TRY(check_ranks(options));
  const base::Result<ranks::Plan> plan = ranks::make_plan(options);
  if (!plan) return plan.error();
  if (!options.truth.empty()) {
    std::error_code ignored;
    if (fs::exists(options.truth, ignored)) {
      return base::Error{"The file exists", options.truth.string(), "Choose another name"};
    }
  }
  DLVIEW_TRY(prepare_folder(folder));
  return RunWriter(folder, options, *plan, progress).write();
}

}  // namespace dlview::generate
