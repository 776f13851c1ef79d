#include "import/open.h"

#include <algorithm>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "import/dlprof/load.h"
#include "import/dlprof/recognise.h"
#include "import/errors.h"
#include "import/nsys/load.h"
#include "import/nsys/recognise.h"
#include "import/nsys/report_file.h"
#include "import/sqlite/database.h"

namespace dlview::import {
namespace {

constexpr std::size_t kTablesShown = 5;

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

base::Result<profile::Profile> open_report(const std::filesystem::path& path,
                                           base::Progress& progress) {
  const base::Result<std::filesystem::path> exported = nsys::export_report(path, progress);
  if (!exported) return exported.error();
  base::Result<profile::Profile> profile = open_database(*exported, progress);
  if (!profile) {
    return told_of_report(std::move(profile).error(), exported->string(), path.string());
  }
  profile->source.path = path.string();
  profile->system.profile_name = path.stem().string();
  return profile;
}

}  // namespace

base::Result<profile::Profile> open_profile(const std::filesystem::path& path,
                                            base::Progress& progress) {
  try {
    if (nsys::is_report(path)) return open_report(path, progress);
    return open_database(path, progress);
  } catch (const std::bad_alloc&) {
    return base::Error{"Not enough memory", quoted(path) + " does not fit into memory.",
                       "Close other programs, or open the file on a machine with more memory."};
  }
}

}  // namespace dlview::import
