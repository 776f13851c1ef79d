#include "import/open.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/large_memory.h"
#include "base/stop_point.h"
#include "import/column_cache/folder.h"
#include "import/column_cache/store.h"
#include "import/dlprof/load.h"
#include "import/dlprof/recognise.h"
#include "import/errors.h"
#include "import/nsys/load.h"
#include "import/nsys/recognise.h"
#include "import/nsys/report_file.h"
#include "import/opening_limits.h"
#include "import/pytorch/recognise.h"
#include "import/sqlite/database.h"

namespace dlview::import {
namespace {

constexpr std::size_t kTablesShown = 5;

// What is read faster is not missed when it is not kept.
constexpr std::chrono::seconds kWorthKeeping{1};

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
  return {"The database is neither of DLProf nor of Nsight Systems",
          quoted(database.path()) + " is an SQLite database with " + found + ".",
          "Open the database that DLProf wrote, usually dlprof_dldb.sqlite, or what \"nsys export "
          "--type sqlite REPORT\" writes."};
}

base::Result<profile::Profile> load(const sqlite::Database& database, base::Progress& progress) {
  if (dlprof::recognise(database)) return dlprof::load(database, progress);
  if (nsys::recognise(database)) return nsys::load(database, progress);
  return unknown_database(database);
}

base::Result<profile::Profile> open_database(const std::filesystem::path& path,
                                             base::Progress& progress) {
  const LimitsWatch watch(path, progress);
  base::Result<sqlite::Database> database = sqlite::open_read_only(path, progress);
  if (!database) return std::move(database).error();
  base::Result<profile::Profile> profile = load(*database, progress);
  if (!progress.cancelled() && database->file().has_changed()) {
    return base::Error{"The file is being written",
                       quoted(path) + " changed while it was being read.",
                       "Wait until the program that writes it has finished, then open it again."};
  }
  return profile;
}

// What is wrong with an export, told of the report that the user opened.
base::Error told_of_report(base::Error error, const std::string& exported,
                           const std::string& report) {
  for (std::string* text : {&error.detail, &error.advice}) {
    for (std::size_t at = text->find(exported); at != std::string::npos;
         at = text->find(exported, at + report.size())) {
      text->replace(at, exported.size(), report);
    }
  }
  return error;
}

using OpenDatabase =
    std::function<base::Result<profile::Profile>(const std::filesystem::path&, base::Progress&)>;

// What `open` returns, or why the job was stopped.
base::Result<profile::Profile> open_or_reason(const std::filesystem::path& path,
                                              base::Progress& progress, const OpenDatabase& open) {
  try {
    base::Result<profile::Profile> profile = open(path, progress);
    // Where a job was cancelled, any other error follows from that.
    if (profile || !progress.cancelled()) return profile;
  } catch (const base::Stopped&) {
  }
  return progress.stop_reason().value_or(cancelled(path));
}

base::Result<profile::Profile> open_report(const std::filesystem::path& path,
                                           base::Progress& progress, const OpenDatabase& open) {
  const base::Result<std::filesystem::path> exported = nsys::export_report(path, progress);
  if (!exported) return exported.error();
  base::Result<profile::Profile> profile = open_or_reason(*exported, progress, open);
  if (!profile) {
    const bool is_unusable = !progress.cancelled() || progress.stop_reason();
    if (is_unusable) nsys::remove_export(*exported);
    return told_of_report(std::move(profile).error(), exported->string(), path.string());
  }
  profile->source.path = path.string();
  profile->system.profile_name = path.stem().string();
  return profile;
}

// Where the path leads to traces of the PyTorch profiler.
std::optional<base::Error> pytorch_error(const std::filesystem::path& path) {
  std::error_code failure;
  if (!std::filesystem::is_directory(path, failure)) {
    if (pytorch::is_trace_file(path)) return pytorch::cannot_open_trace(path);
  } else if (const auto trace = pytorch::find_trace(path)) {
    return pytorch::cannot_open_folder(path, *trace);
  }
  return std::nullopt;
}

base::Result<profile::Profile> open_file(const std::filesystem::path& path,
                                         base::Progress& progress, const OpenDatabase& open) {
  const base::KeptMemory kept;
  const base::JobScope scope(&progress);
  try {
    if (std::optional<base::Error> error = pytorch_error(path)) return *std::move(error);
    return nsys::is_report(path) ? open_report(path, progress, open)
                                 : open_or_reason(path, progress, open);
  } catch (const std::bad_alloc&) {
    return base::Error{"Not enough memory", quoted(path) + " does not fit into memory.",
                       "Close other programs, or open the file on a machine with more memory."};
  }
}

}  // namespace

base::Result<profile::Profile> open_profile(const std::filesystem::path& path,
                                            base::Progress& progress) {
  return open_file(path, progress, open_database);
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
  return open_file(path_, progress,
                   [this](const std::filesystem::path& path, base::Progress& database_progress) {
                     return open_database(path, database_progress);
                   });
}

base::Result<profile::Profile> CachedFile::open_database(const std::filesystem::path& path,
                                                         base::Progress& progress) {
  to_check_.reset();
  to_keep_.reset();
  kept_.clear();
  beside_.clear();
  // Of a report it is the export that is kept.
  auto [identity, restored] = path == path_ ? take_ahead() : look_up(path);
  if (!identity) {
    why_not_kept_ = "there is no cache folder, or a -wal or -journal belongs to the file";
    return import::open_database(path, progress);
  }
  if (restored) {
    kept_ = column_cache::cache_folder() / identity->name;
    to_check_ = std::move(restored->columns);
    beside_ = std::move(restored->beside);
    restored->profile.source.path = path.string();
    return std::move(restored->profile);
  }
  const auto begin = std::chrono::steady_clock::now();
  base::Result<profile::Profile> profile = import::open_database(path, progress);
  const bool is_worth_it = std::chrono::steady_clock::now() - begin > kWorthKeeping;
  if (!is_worth_it) {
    why_not_kept_ = "it opens in less than a second";
  } else if (column_cache::identity_of(path) != identity) {
    why_not_kept_ = "it changed while it was being read";
  } else if (profile) {
    to_keep_ = identity;
  }
  return profile;
}

void CachedFile::remove_kept() const {
  std::error_code ignored;
  if (!kept_.empty()) std::filesystem::remove(kept_, ignored);
}

CachedFile::Chore CachedFile::chore() const {
  if (to_check_) return Chore::check;
  return to_keep_ ? Chore::keep : Chore::none;
}

bool CachedFile::tend(const profile::Profile& profile, const std::stop_token& stop) {
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
