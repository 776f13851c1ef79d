#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/commands/commands.h"
#include "app/commands/facts.h"
#include "app/commands/rank_reduction.h"
#include "base/parse.h"
#include "base/progress.h"
#include "base/stop_point.h"
#include "base/units.h"
#include "ranks/run_figures.h"
#include "ranks/summary_file.h"
#include "report/ranks/rank_tables.h"
#include "report/writers/delimited.h"
#include "report/writers/file.h"
#include "report/writers/text.h"
#include "workspace/rank_files.h"
#include "workspace/rank_run.h"

namespace dlview::app {
namespace {

namespace fs = std::filesystem;
using Files = std::vector<fs::path>;

// A process of several that a launcher started.
struct Process {
  int64_t number = 0, count = 1;
  bool is_launched() const { return count > 1; }
};

struct LauncherNames {
  const char *title, *number, *count;
};
constexpr LauncherNames kMpiLaunchers[] = {
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"MPI", "PMI_RANK", "PMI_SIZE"},
    {"MVAPICH", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"}};
constexpr LauncherNames kSlurm{"Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"};

std::optional<Process> process_by(const LauncherNames& names) {
  const char *number = std::getenv(names.number), *count = std::getenv(names.count);
  if (number == nullptr || count == nullptr) return std::nullopt;
  const auto of_number = base::parse_natural(number), of_count = base::parse_natural(count);
  if (!of_number || !of_count || *of_number >= *of_count) return std::nullopt;
  return Process{*of_number, *of_count};
}

// `mpirun` in a Slurm task starts more processes than Slurm knows; one that does not speak with
// Slurm makes each of Slurm's processes the only one of its own world, which all would then do the
// same.
base::Result<Process> this_process() {
  const std::optional<Process> by_slurm = process_by(kSlurm);
  for (const LauncherNames& names : kMpiLaunchers) {
    const std::optional<Process> by_mpi = process_by(names);
    if (!by_mpi) continue;
    if (by_slurm && by_slurm->count > 1 && by_slurm->count != by_mpi->count) {
      return base::Error{
          "MPI and Slurm disagree",
          fmt::format("{} says {} of {} processes, Slurm {} of {}", names.title, by_mpi->number,
                      by_mpi->count, by_slurm->number, by_slurm->count),
          "Start with srun --mpi=none, which needs no MPI"};
    }
    return *by_mpi;
  }
  return by_slurm.value_or(Process());
}

// Files k, k + P, ...
Files share_of(const Files& files, const Process& process) {
  Files own;
  for (auto i = static_cast<std::size_t>(process.number); i < files.size();
       i += static_cast<std::size_t>(process.count)) {
    own.push_back(files[i]);
  }
  return own;
}

void complain(const fs::path& file, const base::Error& error) {
  fmt::print(stderr, "{}: {}\n", report::printable(file.string()),
             report::printable(base::one_line(error)));
}

using Summaries = std::vector<ranks::RunSummary>;

base::Result<Summaries> summaries_of(const fs::path& file,
                                     const workspace::SelectionRequest& request,
                                     std::optional<int64_t> rank) {
  auto opened = open_with_selection(file, request);
  if (!opened) return opened.error();
  base::Progress progress;
  const base::JobScope scope(&progress);
  return workspace::summarize_ranks(opened->profile, *opened->ranking, request,
                                    file.filename().string(), rank);
}

base::Status refuse_existing(const fs::path& path, bool force) {
  std::error_code ignored;
  if (!fs::exists(path, ignored) || force) return base::Success{};
  return base::Error{"The output is there already", path.string(),
                     "Choose another name with -o, or replace it with --force"};
}

base::Status write_summary(const ranks::RunSummary& summary, const fs::path& path, bool force) {
  DLVIEW_TRY(refuse_existing(path, force));
  const std::string bytes = ranks::to_bytes(summary);
  return report::write_file(path, [&bytes](std::ostream& out) {
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  });
}

// "rank_00017.dlsum"; with iterations, if it has not all of them.
std::string name_of(const ranks::RankPart& part, bool is_part) {
  const std::string name = fmt::format("rank_{:05}", part.head.rank);
  if (!is_part) return name + std::string(ranks::kSummaryEnding);
  return fmt::format("{}_{}-{}{}", name, part.first, part.first + part.size - 1,
                     ranks::kSummaryEnding);
}

// Calls use(place of a file), on so many threads. Each takes the next file, so that the longest do
// not wait for one another.
template <typename Use>
void for_each(const Files& files, int64_t jobs, const Use& use) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < files.size(); i = next++) use(i);
    } catch (...) {
      next = files.size();
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  const auto most = std::min(static_cast<std::size_t>(jobs), files.size());
  while (threads.size() + 1 < most) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

class SummarizeCommand {
 public:
  explicit SummarizeCommand(const SummarizeOptions& options) : options_(options) {}

  base::Result<int> run() {
    auto process = this_process();
    if (!process) return process.error();
    auto files = workspace::rank_files(options_.files, false);
    if (!files) return files.error();
    if (options_.rank && files->size() > 1) {
      return base::Error{"--rank is for one file", fmt::format("there are {}", files->size()),
                         "Name one file"};
    }
    if (options_.here) process = Process();
    const Files own = share_of(*files, *process);
    DLVIEW_TRY(report::create_folder(options_.output));
    std::atomic<int64_t> written = 0;
    for_each(own, options_.jobs, [&](std::size_t i) { written += summarize(own[i]); });
    fmt::print("{} of {} files: {} summaries in {}\n", own.size(), files->size(), written.load(),
               report::printable(options_.output));
    return written > 0 || own.empty() ? kExitSuccess : kExitUnusable;
  }

 private:
  int64_t summarize(const fs::path& file) const {
    const auto summaries = summaries_of(file, options_.selection, options_.rank);
    if (!summaries) {
      complain(file, summaries.error());
      return 0;
    }
    int64_t written = 0;
    for (const ranks::RunSummary& summary : *summaries) {
      const fs::path path =
          fs::path(options_.output) /
          name_of(summary.parts.front(), options_.selection.iterations.has_value());
      // Two files may say that they are one rank.
      const std::lock_guard lock(writing_);
      if (const base::Status status = write_summary(summary, path, options_.force); !status) {
        complain(file, status.error());
      } else {
        ++written;
      }
    }
    return written;
  }

  const SummarizeOptions& options_;
  mutable std::mutex writing_;
};

base::Result<ranks::RunSummary> merged(Summaries summaries) {
  // In a tree, so that what grows with ranks is moved a few times only.
  while (summaries.size() > 1) {
    Summaries next;
    for (std::size_t i = 0; i < summaries.size(); i += 2) {
      if (i + 1 == summaries.size()) {
        next.push_back(std::move(summaries[i]));
        break;
      }
      auto both = ranks::merge(std::move(summaries[i]), std::move(summaries[i + 1]));
      if (!both) return both.error();
      next.push_back(*std::move(both));
    }
    summaries = std::move(next);
  }
  return std::move(summaries.front());
}

base::Result<Summaries> read_summaries(const Files& files) {
  Summaries summaries;
  for (const fs::path& file : files) {
    auto summary = ranks::read_summary(file);
    if (summary) {
      summaries.push_back(*std::move(summary));
    } else {
      complain(file, summary.error());
    }
  }
  if (summaries.empty()) {
    return base::Error{"No summary can be read", fmt::format("{} files", files.size()),
                       "Run dlview summarize again"};
  }
  return summaries;
}

base::Result<int> merge_files(const MergeOptions& options) {
  const auto process = this_process();
  if (!process) return process.error();
  const auto files = workspace::rank_files(options.summaries, true);
  if (!files) return files.error();
  const Files own = share_of(*files, *process);
  if (own.empty()) return kExitSuccess;
  fs::path output = options.output;
  if (process->is_launched()) {
    DLVIEW_TRY(report::create_folder(output));
    output /= fmt::format("part_{:05}{}", process->number, ranks::kSummaryEnding);
  }
  auto summaries = read_summaries(own);
  if (!summaries) return summaries.error();
  const auto summary = merged(*std::move(summaries));
  if (!summary) return summary.error();
  DLVIEW_TRY(write_summary(*summary, output, options.force));
  const auto size = summary->world_size();
  const auto count = static_cast<int64_t>(summary->ranks().size());
  fmt::print("{}{} in {}\n", size && *size > count ? fmt::format("{} of ", count) : "",
             base::counted(size ? std::max(*size, count) : count, "ranks"),
             report::printable(output.string()));
  return kExitSuccess;
}

class RanksCommand {
 public:
  explicit RanksCommand(const RanksOptions& options) : options_(options) {}

  base::Result<int> run() {
    if (!options_.table.empty() && options_.format != RanksFormat::csv) {
      return base::Error{"--table needs --format csv", "text and JSON have ranks and collectives",
                         "Add --format csv"};
    }
    auto figures = figures_of_files();
    if (!figures) return figures.error();
    run_ = *std::move(figures);
    if (options_.format == RanksFormat::csv) return write_csv();
    const bool is_json = options_.format == RanksFormat::json;
    print(Info{{is_json ? facts_with_notes() : facts()},
               {report::make_ranks(run_), report::make_rank_collectives(run_)}},
          is_json, std::cout);
    if (options_.format == RanksFormat::text) {
      for (const std::string& note : run_->notes()) fmt::print("\n{}.", report::printable(note));
      if (!run_->notes().empty()) fmt::print("\n");
    }
    return kExitSuccess;
  }

 private:
  base::Result<ranks::SharedRunFigures> figures_of_files() const {
    const auto files = workspace::run_files(options_.files);
    if (!files) return files.error();
    ranks::RankSet only;
    if (!options_.only.empty()) {
      auto parsed = ranks::parse_rank_set(options_.only);
      if (!parsed) return parsed.error();
      only = *std::move(parsed);
    }
    const workspace::SelectionRequest& chosen = options_.selection;
    const bool chooses = chosen.iterations || chosen.key_op || chosen.cut || chosen.clock ||
                         chosen.split_by || !chosen.filters.empty();
    const auto summary = std::ranges::find_if(*files, ranks::is_summary);
    if (chooses && summary != files->end()) {
      return base::Error{"Cannot change the selection of a summary", summary->string(),
                         "Pass these options to dlview summarize, or name the profiles instead"};
    }
    const workspace::RankReader none(
        options_.selection,
        [this](const fs::path& file) -> base::Result<workspace::RankReader::SharedProfile> {
          auto opened = open_with_selection(file, options_.selection);
          if (!opened) return opened.error();
          return opened->profile;
        });
    base::Progress progress;
    const base::JobScope scope(&progress);
    auto [reader, left_out] = workspace::read_files(*files, none);
    for (const workspace::LeftOutFile& each : left_out) complain(each.file, each.error);
    if (reader.empty()) {
      return base::Error{"No rank can be read", fmt::format("{} files", files->size()),
                         "See the messages above"};
    }
    return reader.take_figures(only);
  }

  Fact missing_ranks() const {
    const ranks::RankSet& missing = run_->missing;
    return {"missing", "Missing ranks", missing.empty() ? report::Cell() : missing.text(),
            aggregate::Unit::none, "none"};
  }

  Fact marker() const {
    const std::string& marker = run_->summary.rules.key_op;
    return {"marker", "Iteration marker", marker.empty() ? report::Cell() : marker,
            aggregate::Unit::none, "none"};
  }

  FactSection facts() const {
    const ranks::Stragglers& found = run_->stragglers;
    const auto known = [&found](double value) {
      return found.kind == ranks::StragglerKind::too_few ? report::Cell() : report::Cell(value);
    };
    return {"run",
            "Run",
            {{"ranks", "Ranks", run_->ranks_text()},
             missing_ranks(),
             {"iterations", "Iterations that all have",
              static_cast<int64_t>(run_->times.numbers.size()), aggregate::Unit::count},
             marker(),
             {"matching", "Collectives are matched by",
              std::string(to_text(run_->summary.rules.matching))},
             {"kind", "Stragglers", std::string(to_text(found.kind))},
             {"cost", "Cost of stragglers per iteration", known(found.mean_cost_ns),
              aggregate::Unit::ns, "unknown"},
             {"share", "Share of the iteration", known(100 * found.share), aggregate::Unit::percent,
              "unknown"},
             {"finding", "Finding", run_->sentence()}}};
  }
  // JSON also has the slow iterations and the notes. In text, the finding names the iterations, and
  // notes follow the tables.
  FactSection facts_with_notes() const {
    FactSection section = facts();
    report::Cell first, last;
    if (const auto& stretch = run_->stragglers.stretch) {
      first = run_->times.numbers[stretch->first];
      last = run_->times.numbers[stretch->end - 1];
    }
    const ranks::Stragglers& found = run_->stragglers;
    std::vector<int64_t> slow;
    for (const ranks::SlowRank& each : found.slow) slow.push_back(run_->times.ranks[each.row]);
    section.facts.push_back(
        {"slow_rank", "Slow rank",
         found.rank ? report::Cell(run_->times.ranks[*found.rank]) : report::Cell()});
    section.facts.push_back(
        {"slow_host", "Slow host", found.host.empty() ? report::Cell() : report::Cell(found.host)});
    section.facts.push_back(
        {"slow_ranks", "All slow ranks",
         slow.empty() ? report::Cell() : report::Cell(ranks::RankSet(slow).text())});
    section.facts.push_back(
        {"slow_cost", "Cost of the slow rank or host per iteration",
         found.rank || !found.host.empty() ? report::Cell(found.named_cost_ns) : report::Cell(),
         aggregate::Unit::ns});
    section.facts.push_back({"first_slow_iteration", "First slow iteration", first});
    section.facts.push_back({"last_slow_iteration", "Last slow iteration", last});
    const std::vector<std::string> notes = run_->notes();
    section.facts.push_back(
        {"notes", "Notes",
         notes.empty() ? report::Cell() : fmt::format("{}", fmt::join(notes, "; "))});
    return section;
  }

  base::Result<int> write_csv() const {
    const report::Table table =
        options_.table == "breakdown"     ? report::make_rank_breakdown(run_)
        : options_.table == "collectives" ? report::make_rank_collectives(run_)
        : options_.table == "ops"         ? report::make_rank_ops(run_)
        : options_.table == "kernels"     ? report::make_rank_kernels(run_)
        : options_.table == "iterations"  ? report::make_rank_iterations(run_)
                                          : report::make_ranks(run_);
    std::vector<uint32_t> rows(table.row_count);
    std::iota(rows.begin(), rows.end(), uint32_t{0});
    base::Progress progress;
    report::write_table_csv({table, rows, "", {}}, std::cout, progress);
    return kExitSuccess;
  }

  const RanksOptions& options_;
  ranks::SharedRunFigures run_;
};

}  // namespace

base::Result<ranks::RunSummary> summarize_share(const SummarizeOptions& options, int64_t number,
                                                int64_t count) {
  const auto process = this_process();
  if (!process) return process.error();
  if (process->is_launched() && process->count != count) {
    return base::Error{"MPI and the launcher disagree",
                       fmt::format("MPI says 1 of {} processes, the environment {} of {}", count,
                                   process->number, process->count),
                       "Start with the mpirun of the MPI that this program is built with"};
  }
  const auto files = workspace::rank_files(options.files, false);
  if (!files) return files.error();
  const Files own = share_of(*files, options.here ? Process() : Process{number, count});
  std::vector<Summaries> of_file(own.size());
  for_each(own, options.jobs, [&](std::size_t i) {
    auto summaries = summaries_of(own[i], options.selection, std::nullopt);
    if (summaries) {
      of_file[i] = *std::move(summaries);
    } else {
      complain(own[i], summaries.error());
    }
  });
  Summaries all;
  for (Summaries& summaries : of_file) std::ranges::move(summaries, std::back_inserter(all));
  if (all.empty()) return ranks::RunSummary();
  return merged(std::move(all));
}

base::Status write_run_summary(const ranks::RunSummary& summary, const std::string& path,
                               bool force) {
  return write_summary(summary, path, force);
}

int run_summarize(const SummarizeOptions& options) {
  return code_of(SummarizeCommand(options).run());
}

int run_merge(const MergeOptions& options) {
  return code_of(merge_files(options));
}

int run_ranks(const RanksOptions& options) {
  return code_of(RanksCommand(options).run());
}

void bind_summarize(CLI::App& program, ChosenCommand& chosen) {
  const auto options = std::make_shared<SummarizeOptions>();
  CLI::App* command = program.add_subcommand(
      "summarize", "Reduce the profile of each rank to a summary of about a megabyte");
  command
      ->add_option("FILE", options->files,
                   "Profiles of ranks, folders of them, or patterns in quotes")
      ->required();
  command->add_option("-o,--output", options->output, "Folder for the summaries")->required();
  command->add_option("--rank", options->rank, "Override the rank recorded in the file");
  command->add_flag("--here", options->here,
                    "The files are on the disk of this node: process all of them here");
  command
      ->add_option("--jobs", options->jobs,
                   "Files to summarize at once; each takes the memory of a profile")
      ->check(CLI::PositiveNumber)
      ->option_text("N");
  command->add_flag("--force", options->force, "Replace existing summaries");
  bind_selection(*command, options->selection);
  command->footer(
      "Started by mpirun or srun, each process takes its share of the files.\n"
      "Examples:\n"
      "  dlview summarize 'reports/*.sqlite' -o sums --jobs 4\n"
      "  mpirun -n 4 dlview summarize 'reports/*.sqlite' -o sums\n"
      "  srun --mpi=none dlview summarize 'reports/*.nsys-rep' -o sums");
  run_when_parsed(*command, chosen, options, run_summarize);
}

void bind_merge(CLI::App& program, ChosenCommand& chosen) {
  const auto options = std::make_shared<MergeOptions>();
  CLI::App* command = program.add_subcommand("merge", "Merge summaries of ranks into one");
  command->add_option("SUMMARY", options->summaries, "Summaries, folders of them, or patterns")
      ->required();
  command
      ->add_option("-o,--output", options->output,
                   "Summary to write; with several processes a folder for theirs")
      ->required();
  command->add_flag("--force", options->force, "Replace an existing summary");
  command->footer(
      "Examples:\n"
      "  dlview merge sums -o run.dlsum\n"
      "  srun --mpi=none -n 64 dlview merge sums -o parts && dlview merge parts -o run.dlsum");
  run_when_parsed(*command, chosen, options, run_merge);
}

void bind_ranks(CLI::App& program, ChosenCommand& chosen) {
  const auto options = std::make_shared<RanksOptions>();
  CLI::App* command =
      program.add_subcommand("ranks", "Say which rank makes the others wait, and why");
  command
      ->add_option("RUN", options->files,
                   "Profiles of ranks or summaries: files, folders, or patterns in quotes")
      ->required();
  static const std::map<std::string, RanksFormat> kFormats{
      {"text", RanksFormat::text}, {"json", RanksFormat::json}, {"csv", RanksFormat::csv}};
  command->add_option("--format", options->format, "Format: text (default), json or csv")
      ->transform(CLI::CheckedTransformer(kFormats).description("{text,json,csv}"));
  command
      ->add_option("--table", options->table,
                   "Table of --format csv: ranks (default), breakdown, collectives, iterations, "
                   "ops or kernels")
      ->check(CLI::IsMember({"ranks", "breakdown", "collectives", "iterations", "ops", "kernels"}));
  command->add_option("--only-ranks", options->only, "Compare only these ranks, such as 0:31,40")
      ->option_text("RANKS");
  bind_selection(*command, options->selection);
  command->footer(
      "Examples:\n"
      "  dlview ranks reports/\n"
      "  dlview ranks run.dlsum --only-ranks 0:31\n"
      "  dlview ranks run.dlsum --format csv --table iterations");
  run_when_parsed(*command, chosen, options, run_ranks);
}

}  // namespace dlview::app
