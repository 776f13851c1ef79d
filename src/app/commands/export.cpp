#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "aggregate/aggregator.h"
#include "app/build_facts.h"
#include "app/commands/commands.h"
#include "base/progress.h"
#include "base/stop_point.h"
#include "base/units.h"
#include "ranks/identity.h"
#include "report/parquet/event_tables.h"
#include "report/parquet/parquet_file.h"
#include "report/writers/file.h"
#include "report/writers/text.h"
#include "workspace/rank_files.h"

namespace dlview::app {
namespace {

namespace fs = std::filesystem;

base::Status refuse_full(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder, error)) return base::Success{};
  if (!fs::is_directory(folder, error)) {
    return base::Error{"The output is not a folder", folder.string(), "Name a new folder"};
  }
  const bool is_empty = fs::is_empty(folder, error);
  if (error) {
    return base::Error{"Cannot read the output folder", folder.string(),
                       "Check the path and your permissions"};
  }
  if (is_empty) return base::Success{};
  return base::Error{"The output folder is not empty", folder.string(),
                     "Name a new folder, or empty this one"};
}

base::Status create_output(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error) return base::Success{};
  return base::Error{"Cannot create the output folder",
                     fmt::format("{}: {}", folder.string(), error.message()),
                     "Choose another folder with --parquet"};
}

class Exporter {
 public:
  explicit Exporter(const ExportOptions& options)
      : options_(options),
        request_(options.selection),
        creator_(fmt::format("dlview version {} (build {})", kVersion, kCommit)) {}

  base::Result<int> run() {
    DLVIEW_TRY(refuse_full(options_.parquet));
    const auto files = workspace::rank_files(options_.files, false);
    if (!files) return files.error();
    // Of a single file that cannot be read, nothing is left.
    if (files->size() > 1) DLVIEW_TRY(create_output(options_.parquet));
    std::size_t failed = 0;
    for (const fs::path& file : *files) {
      const base::Status status = export_file(file, files->size() > 1);
      if (status) continue;
      if (files->size() == 1) return status.error();
      ++failed;
      fmt::print(stderr, "{}: {}\n", report::printable(file.string()),
                 report::printable(base::one_line(status.error())));
    }
    if (!file_of_rank_.empty()) print_sums();
    return failed == 0 ? kExitSuccess : kExitUnusable;
  }

 private:
  base::Status export_file(const fs::path& file, bool is_one_of_many) {
    const auto opened = open_with_selection(file, request_);
    if (!opened) return opened.error();
    base::Progress progress;
    const base::JobScope scope(&progress);
    std::vector<ranks::RankIdentity> identities =
        ranks::ranks_of(*opened->profile, file.filename().string());
    for (std::size_t i = 0; i < identities.size(); ++i) {
      if (!identities[i].rank && is_one_of_many) {
        return base::Error{"Unknown rank", file.filename().string(), "Name the file report_RANK"};
      }
      const int64_t rank = identities[i].rank.value_or(static_cast<int64_t>(i));
      const auto [earlier, is_new] = file_of_rank_.try_emplace(rank, file.string());
      if (!is_new) {
        return base::Error{fmt::format("Rank {} appears twice", rank),
                           fmt::format("{} has it already", earlier->second),
                           "Name each rank once; name files report_RANK"};
      }
      auto selection =
          identities.size() == 1
              ? base::Result<aggregate::Selection>(opened->selection)
              : workspace::select_rank(*opened->profile, *opened->ranking, request_, identities[i]);
      const base::Status status =
          selection ? export_rank(opened->profile, *selection, rank) : selection.error();
      if (!status) {
        file_of_rank_.erase(rank);
        return status.error();
      }
      // All ranks have the marker of the first one.
      if (is_one_of_many && !request_.key_op) request_.key_op = selection->cut.key_op;
    }
    return base::Success{};
  }

  base::Status export_rank(const std::shared_ptr<const profile::Profile>& profile,
                           const aggregate::Selection& selection, int64_t rank) {
    const auto aggregation = std::make_shared<const aggregate::Aggregation>(
        aggregate::make_cpu_aggregator(profile)->aggregate(selection));
    for (const report::Table& table : report::parquet::event_tables(profile, aggregation)) {
      const fs::path path =
          fs::path(options_.parquet) / table.name / fmt::format("rank={}", rank) / "part-0.parquet";
      DLVIEW_TRY(create_output(path.parent_path()));
      DLVIEW_TRY(report::write_file(
          path, [&](std::ostream& out) { report::parquet::write(table, creator_, out); }));
      std::error_code error;
      const std::uintmax_t size = fs::file_size(path, error);
      if (!error) bytes_ += static_cast<int64_t>(size);
      rows_[table.name] += static_cast<int64_t>(table.row_count);
    }
    return base::Success{};
  }

  void print_sums() const {
    for (const std::string_view name : report::parquet::kEventTables) {
      const auto rows = rows_.find(std::string(name));
      fmt::print("{:<13} {:>14} rows\n", name,
                 base::format_count(rows == rows_.end() ? 0 : rows->second));
    }
    fmt::print("{} in {}: {}\n",
               file_of_rank_.size() == 1 ? "1 rank" : fmt::format("{} ranks", file_of_rank_.size()),
               report::printable(options_.parquet), base::format_bytes(bytes_));
  }

  const ExportOptions& options_;
  workspace::SelectionRequest request_;
  const std::string creator_;
  std::map<int64_t, std::string> file_of_rank_;
  std::map<std::string, int64_t> rows_;  // by table
  int64_t bytes_ = 0;
};

}  // namespace

int run_export(const ExportOptions& options) {
  return code_of(Exporter(options).run());
}

void bind_export(CLI::App& program, ChosenCommand& chosen) {
  const auto options = std::make_shared<ExportOptions>();
  CLI::App* command = program.add_subcommand(
      "export", "Write kernels, op instances, iterations, collectives and ops as Parquet");
  command
      ->add_option("RUN", options->files,
                   "A profile, or those of ranks: files, folders, or patterns in quotes")
      ->required();
  command
      ->add_option("--parquet", options->parquet,
                   "Folder to write: new or empty; TABLE/rank=N/part-0.parquet")
      ->required();
  bind_selection(*command, options->selection);
  command->footer(
      "Examples:\n"
      "  dlview export run.sqlite --parquet columns\n"
      "  dlview export 'reports/*.sqlite' --parquet columns --iterations 50:100\n"
      "  duckdb -c \"SELECT op_type, sum(gpu_stop_ns - gpu_start_ns) FROM "
      "'columns/kernels/*/*.parquet' GROUP BY ALL\"");
  run_when_parsed(*command, chosen, options, run_export);
}

}  // namespace dlview::app
