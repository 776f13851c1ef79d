// dlview-mpi: `dlview summarize` and `dlview merge` in one command, over MPI. Each process reduces
// its share of the files; then the summaries are merged in a binomial tree, in which process p
// sends to p - 2^k in round k. MPI_Reduce would want buffers of one size and a fixed type, and
// summaries have neither: they are sent as the bytes of their files.

#include <algorithm>
#include <cstdint>
#include <mpi.h>
#include <optional>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/commands/rank_reduction.h"
#include "app/usage_errors.h"
#include "base/exceptions.h"
#include "base/names_to_remove.h"
#include "ranks/summary_file.h"
#include "report/writers/text.h"

namespace dlview::app {
namespace {

// Counts of MPI are ints.
constexpr std::size_t kBytesAtOnce = std::size_t{1} << 30U;
constexpr int kTag = 1;
constexpr uint64_t kFailed = UINT64_MAX;

class World {
 public:
  World(int* argc, char*** argv) {
    int provided = 0;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &number_);
    MPI_Comm_size(MPI_COMM_WORLD, &count_);
  }
  ~World() { MPI_Finalize(); }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  int number() const { return number_; }
  int count() const { return count_; }

  // nullopt: this process or one that it has heard of has failed.
  void send(const std::optional<std::string>& bytes, int to) const {
    const uint64_t size = bytes ? bytes->size() : kFailed;
    MPI_Send(&size, 1, MPI_UINT64_T, to, kTag, MPI_COMM_WORLD);
    for (std::size_t at = 0; bytes && at < bytes->size(); at += kBytesAtOnce) {
      const std::size_t some = std::min(kBytesAtOnce, bytes->size() - at);
      MPI_Send(bytes->data() + at, static_cast<int>(some), MPI_BYTE, to, kTag, MPI_COMM_WORLD);
    }
  }
  std::optional<std::string> receive(int from) const {
    uint64_t size = 0;
    MPI_Recv(&size, 1, MPI_UINT64_T, from, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (size == kFailed) return std::nullopt;
    std::string bytes(size, '\0');
    for (std::size_t at = 0; at < bytes.size(); at += kBytesAtOnce) {
      const std::size_t some = std::min(kBytesAtOnce, bytes.size() - at);
      MPI_Recv(bytes.data() + at, static_cast<int>(some), MPI_BYTE, from, kTag, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
    }
    return bytes;
  }

 private:
  int number_ = 0, count_ = 1;
};

using Summary = std::optional<ranks::RunSummary>;  // nullopt: failed, and said so

Summary received(const World& world, int from) {
  const std::optional<std::string> bytes = world.receive(from);
  if (!bytes) return std::nullopt;
  if (bytes->empty()) return ranks::RunSummary();
  auto summary = ranks::from_bytes(*bytes, fmt::format("of process {}", from));
  if (summary) return *std::move(summary);
  unusable(summary.error());
  return std::nullopt;
}

Summary merged(Summary own, Summary other) {
  if (!own || !other) return std::nullopt;
  auto both = ranks::merge(*std::move(own), *std::move(other));
  if (both) return *std::move(both);
  unusable(both.error());
  return std::nullopt;
}

// Of process 0: the summary of all. Others send theirs away.
Summary reduced(const World& world, Summary own) {
  for (int step = 1; step < world.count(); step *= 2) {
    if ((world.number() & step) != 0) {
      std::optional<std::string> bytes;
      if (own) bytes = own->parts.empty() ? "" : ranks::to_bytes(*own);
      world.send(bytes, world.number() - step);
      return own;
    }
    if (world.number() + step < world.count()) {
      own = merged(std::move(own), received(world, world.number() + step));
    }
  }
  return own;
}

Summary summary_of_share(const World& world, const SummarizeOptions& options) {
  // What others wait for comes, whatever happens.
  try {
    auto own = summarize_share(options, world.number(), world.count());
    if (own) return *std::move(own);
    unusable(own.error());
  } catch (...) {
    unusable(base::error_of_current_exception());
  }
  return std::nullopt;
}

int reduce(const World& world, const SummarizeOptions& options) {
  const Summary all = reduced(world, summary_of_share(world, options));
  if (!all) return kExitUnusable;
  if (world.number() != 0) return kExitSuccess;
  if (all->parts.empty()) {
    return unusable({"No rank can be read", "See the messages above", "Check the files"});
  }
  if (const base::Status status = write_run_summary(*all, options.output, options.force); !status) {
    return unusable(status.error());
  }
  fmt::print("{} ranks in {}\n", all->ranks().size(), report::printable(options.output));
  return kExitSuccess;
}

int run(const World& world, int argc, char** argv) {
  CLI::App program{"dlview-mpi: reduces the profiles of a run to one summary, by all processes",
                   "dlview-mpi"};
  SummarizeOptions options;
  program
      .add_option("FILE", options.files,
                  "Profiles of ranks, folders of them, or patterns in quotes")
      ->required();
  program.add_option("-o,--output", options.output, "Summary to write")->required();
  program.add_flag("--here", options.here,
                   "The files are on the disk of this node: process all of them here");
  program
      .add_option("--jobs", options.jobs,
                  "Files that each process summarizes at once; each takes the memory of a profile")
      ->check(CLI::PositiveNumber)
      ->option_text("N");
  program.add_flag("--force", options.force, "Replace an existing summary");
  bind_selection(program, options.selection);
  program.footer("Example: mpirun -n 4 dlview-mpi 'reports/*.sqlite' -o run.dlsum");
  program.failure_message(usage_error_text);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // All processes have the same arguments.
    if (world.number() == 0) return exit_code(program, error);
    return error.get_exit_code() == 0 ? kExitSuccess : kExitUnusable;
  }
  return reduce(world, options);
}

}  // namespace
}  // namespace dlview::app

int main(int argc, char** argv) {
  using namespace dlview;
  const app::World world(&argc, &argv);
  base::remove_names_on_signals();
  try {
    return app::finish_output(app::run(world, argc, argv));
  } catch (...) {
    return app::unusable(base::error_of_current_exception());
  }
}
