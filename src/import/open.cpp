#include "import/open.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/large_memory.h"
#include "base/stop_point.h"
#include "import/byte_source.h"
#include "import/column_cache/folder.h"
#include "import/column_cache/store.h"
#include "import/errors.h"
#include "import/opening_limits.h"
#include "import/sqlite/inspect.h"

namespace dlview::import {
namespace {

constexpr std::size_t kTablesShown = 5;

// What is read faster is not missed when it is not kept.
constexpr std::chrono::seconds kWorthKeeping{1};

base::Error being_written(const std::filesystem::path& path) {
  return {"The file is being written", quoted(path) + " changed while it was being read",
          "Wait until the program that writes it has finished, then open it again"};
}

base::Error unknown_database(const sqlite::Database& database) {
  const base::Result<std::vector<std::string>> tables = database.table_names();
  if (!tables) return tables.error();
  std::string found = tables->empty() ? "no tables at all" : "the tables ";
  for (std::size_t i = 0; i < std::min(tables->size(), kTablesShown); ++i) {
    found += (i == 0 ? "" : ", ") + (*tables)[i];
  }
  if (tables->size() > kTablesShown) {
    found += " and " + std::to_string(tables->size() - kTablesShown) + " more";
  }
  return {"The database is from neither DLProf nor Nsight Systems",
          quoted(database.path()) + " is an SQLite database with " + found,
          "Open the database that DLProf wrote, usually dlprof_dldb.sqlite, or what \"nsys export "
          "--type sqlite REPORT\" writes"};
}

// What is wrong with a source that no importer accepts.
base::Error unknown_source(const ByteSource& source) {
  if (source.kind() == ByteSource::Kind::database) return unknown_database(source.database());
  const base::Result<sqlite::Inspection> found = sqlite::inspect(source.path());
  return found ? being_written(source.path()) : found.error();  // it became a database meanwhile
}

base::Result<profile::Profile> open_source(const std::filesystem::path& path,
                                           base::Progress& progress,
                                           std::span<const Importer> registry) {
  std::optional<LimitsWatch> watch(std::in_place, path, progress);
  const base::Result<ByteSource> source = ByteSource::open(path, progress);
  if (!source) return source.error();
  watch->follow(source->unpacked_bytes());
  const auto importer = std::ranges::find_if(
      registry, [&](const Importer& candidate) { return candidate.accepts(*source); });
  if (importer == registry.end()) return unknown_source(*source);
  if (!importer->has_limits) watch.reset();
  base::Result<profile::Profile> profile = importer->load(*source, progress);
  if (!progress.canceled() && source->has_changed()) return being_written(path);
  return profile;
}

// What the job returns, or why it was stopped.
template <typename Job>
base::Result<profile::Profile> or_reason(const std::filesystem::path& path,
                                         base::Progress& progress, const Job& job) {
  const base::KeptMemory kept;
  const base::JobScope scope(&progress);
  try {
    base::Result<profile::Profile> profile = job();
    // Where a job was canceled, any other error follows from that.
    if (profile || !progress.canceled()) return profile;
  } catch (const base::Stopped&) {
  }
  return progress.stop_reason().value_or(canceled(path));
}

template <typename Job>
base::Result<profile::Profile> or_error(const std::filesystem::path& path, base::Progress& progress,
                                        const Job& job) {
  try {
    return or_reason(path, progress, job);
  } catch (const std::bad_alloc&) {
    return base::Error{"Not enough memory", quoted(path) + " does not fit into memory",
                       "Close other programs, or open the file on a machine with more memory"};
  }
}

}  // namespace

base::Result<profile::Profile> open_profile(const std::filesystem::path& path,
                                            base::Progress& progress,
                                            std::span<const Importer> registry) {
  return or_error(path, progress, [&] { return open_source(path, progress, registry); });
}

base::Status check_format(const std::filesystem::path& path) {
  base::Progress progress;
  const base::Result<ByteSource> source = ByteSource::open(path, progress);
  if (!source) return source.error();
  const bool is_known = std::ranges::any_of(
      importers(), [&](const Importer& importer) { return importer.accepts(*source); });
  return is_known ? base::Status(base::Success{}) : unknown_source(*source);
}

base::Result<profile::Profile> open_or_throw(const std::filesystem::path& path,
                                             base::Progress& progress) {
  return or_reason(path, progress, [&] { return open_source(path, progress, importers()); });
}

CachedFile::Found CachedFile::look_up(const std::filesystem::path& path) {
  Found found{column_cache::identity_of(path), std::nullopt};
  const std::filesystem::path folder = column_cache::cache_folder();
  if (folder.empty()) found.identity.reset();
  if (found.identity) found.restored = column_cache::restore(*found.identity, folder);
  return found;
}

void CachedFile::look_ahead(base::Scheduler& scheduler) {
  ahead_ = scheduler.start(base::Arena::interactive,
                           [path = path_](const base::Progress&) { return look_up(path); });
}

CachedFile::Found CachedFile::take_ahead() {
  if (!ahead_ || ahead_.withdraw()) return look_up(path_);
  base::Result<Found> found = ahead_.take();
  return found ? *std::move(found) : look_up(path_);
}

base::Result<profile::Profile> CachedFile::open(base::Progress& progress) {
  return or_error(path_, progress, [&] { return restore_or_read(progress); });
}

base::Result<profile::Profile> CachedFile::restore_or_read(base::Progress& progress) {
  to_check_.reset();
  to_keep_.reset();
  kept_.clear();
  beside_.clear();
  auto [identity, restored] = take_ahead();
  if (!identity) {
    why_not_cached_ = "no cache folder, not a regular file, or a -wal or -journal exists";
    return open_source(path_, progress, importers());
  }
  if (restored) {
    kept_ = column_cache::cache_folder() / identity->name;
    to_check_ = std::move(restored->columns);
    beside_ = std::move(restored->beside);
    restored->profile.source.path = path_.string();
    for (const Importer& importer : importers()) {
      if (importer.came_from_cache != nullptr) importer.came_from_cache(path_);
    }
    return std::move(restored->profile);
  }
  const auto begin = std::chrono::steady_clock::now();
  base::Result<profile::Profile> profile = open_source(path_, progress, importers());
  const bool is_worth_it = std::chrono::steady_clock::now() - begin > kWorthKeeping;
  if (profile && profile->counters) {
    why_not_cached_ = "Nsight Compute counters are not cached";
  } else if (!is_worth_it) {
    why_not_cached_ = "it opens in less than a second";
  } else if (column_cache::identity_of(path_) != identity) {
    why_not_cached_ = "it changed while it was being read";
  } else if (profile) {
    to_keep_ = identity;
  }
  return profile;
}

void CachedFile::remove_cached() const {
  std::error_code ignored;
  if (!kept_.empty()) std::filesystem::remove(kept_, ignored);
}

CachedFile::Maintenance CachedFile::maintenance() const {
  if (to_check_) return Maintenance::check;
  return to_keep_ ? Maintenance::store : Maintenance::none;
}

bool CachedFile::maintain(const profile::Profile& profile, const std::stop_token& stop) {
  bool is_sound = true;
  if (to_check_) {
    is_sound = to_check_->are_sound(stop);
  } else if (to_keep_) {
    const std::filesystem::path folder = column_cache::cache_folder();
    // Without a cache file the next opening takes as long as this one; there is nothing to say.
    static_cast<void>(column_cache::store(profile, *to_keep_, folder, {}, stop, beside_).ok());
  }
  if (stop.stop_requested()) return true;
  to_check_.reset();
  to_keep_.reset();
  return is_sound;
}

}  // namespace dlview::import
