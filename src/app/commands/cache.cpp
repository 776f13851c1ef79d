#include <algorithm>
#include <iostream>
#include <iterator>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "aggregate/iterations.h"
#include "app/commands/commands.h"
#include "base/progress.h"
#include "base/units.h"
#include "import/column_cache/folder.h"
#include "import/column_cache/restore.h"
#include "import/nsys/report_file.h"
#include "import/open.h"
#include "workspace/engine.h"
#include "workspace/kept_answer.h"

namespace dlview::app {
namespace {

namespace fs = std::filesystem;
namespace column_cache = import::column_cache;

int no_folder() {
  return unusable({"No cache folder", "dlview found no folder for its cache",
                   "Set XDG_CACHE_HOME to a writable folder"});
}

// About the file as it opens when nothing else is asked for.
std::string first_answer(const profile::Profile& profile) {
  // The columns are shared.
  const auto shared = std::make_shared<const profile::Profile>(profile);
  const auto engine = workspace::engine_factory(workspace::EngineChoice::cpu)(shared);
  const aggregate::KeyRanking ranking(*shared);
  return workspace::to_bytes(
      {workspace::aggregate_timed(*engine, aggregate::default_selection(ranking)), true});
}

int add(const std::string& path) {
  base::Progress progress;
  import::CachedFile file(path);
  const base::Result<profile::Profile> profile = file.open(progress);
  if (!profile) return unusable(profile.error());
  if (file.maintenance() == import::CachedFile::Maintenance::none) {
    std::cout << path << " is not cached: " << file.why_not_cached() << "\n";
    return kExitSuccess;
  }
  if (file.maintenance() == import::CachedFile::Maintenance::store)
    file.set_beside(first_answer(*profile));
  return file.maintain(*profile, {}) ? kExitSuccess : add(path);
}

int clear(const fs::path& folder) {
  column_cache::remove_abandoned(folder);
  import::nsys::remove_unfinished_exports();
  std::vector<import::CacheFile> files = column_cache::cache_files(folder);
  std::ranges::move(import::nsys::report_exports(), std::back_inserter(files));
  for (const import::CacheFile& file : files) {
    std::error_code failure;
    fs::remove(file.path, failure);
    if (!failure) continue;
    return unusable({"A cache file cannot be removed",
                     file.path.string() + ": " + failure.message(),
                     "Check the folder's permissions"});
  }
  return kExitSuccess;
}

int list(const fs::path& folder) {
  int64_t bytes = 0;
  const std::vector<import::CacheFile> files = column_cache::cache_files(folder);
  const std::vector<import::CacheFile> exports = import::nsys::report_exports();
  for (const import::CacheFile& file : files) bytes += file.bytes;
  for (const import::CacheFile& file : exports) bytes += file.bytes;
  std::cout << fmt::format("{}: {} of at most {}\n", folder.string(), base::format_bytes(bytes),
                           base::format_bytes(column_cache::Limits().most_bytes));
  for (const import::CacheFile& file : files) {
    const fs::path source = column_cache::source_of(file.path);
    std::cout << fmt::format(
        "{:>10}  {}\n", base::format_bytes(file.bytes),
        source.empty() ? "stale (source changed or missing)" : source.string());
  }
  for (const import::CacheFile& file : exports) {
    std::cout << fmt::format("{:>10}  {} (export of a report)\n", base::format_bytes(file.bytes),
                             file.path.filename().string());
  }
  return kExitSuccess;
}

}  // namespace

int run_cache(const CacheOptions& options) {
  const fs::path folder = column_cache::cache_folder();
  if (folder.empty()) return no_folder();
  if (options.clear) return clear(folder);
  if (options.added) return add(*options.added);
  return list(folder);
}

void bind_cache(CLI::App& program, ChosenCommand& chosen) {
  const auto options = std::make_shared<CacheOptions>();
  CLI::App* command =
      program.add_subcommand("cache", "List, add or clear cached profiles and exports");
  CLI::Option* added = command->add_option("--add", options->added, "Profile to read and cache");
  command->add_flag("--clear", options->clear, "Remove all cached data")->excludes(added);
  command->footer(
      "Examples:\n"
      "  dlview cache\n"
      "  dlview cache --add run.sqlite\n"
      "  dlview cache --clear");
  run_when_parsed(*command, chosen, options, run_cache);
}

}  // namespace dlview::app
