// A report of Nsight Systems (.nsys-rep, until 2021 .qdrep) is no database; `nsys export` makes one
// of it. dlview lets it do that where it is installed, and keeps the export in its cache.
#pragma once

#include <filesystem>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "import/byte_source.h"
#include "import/cache_folders.h"
#include "profile/profile.h"

namespace dlview::import::nsys {

// By name and content: it has the name of a report and is neither a database nor text.
bool is_report(const ByteSource& source);

// Opens the export of the report. Its errors name the report. Removes an export that cannot be
// opened, so that the next opening runs nsys again.
base::Result<profile::Profile> load_report(const ByteSource& source, base::Progress& progress);

// Returns the export of a report, made by the `nsys` on the PATH unless there is an earlier one of
// the same file. Without nsys, the Error has the command to run; else the message of nsys.
base::Result<std::filesystem::path> export_report(const std::filesystem::path& report,
                                                  base::Progress& progress);

// Writes the export of a report to `target` with the `nsys` on the PATH. The file gets its name
// when it is complete, in place of an older one. Errors as export_report().
base::Status export_report_to(const std::filesystem::path& report,
                              const std::filesystem::path& target, base::Progress& progress);

// Keeps the export of a report that was opened from the cache of columns, if there is one.
void keep_export(const std::filesystem::path& report);

// Returns the exports below one of cache_folders(), in any order. Their times of access are their
// last uses.
std::vector<CacheFile> report_exports(const std::filesystem::path& cache);
// Returns those below all of them.
std::vector<CacheFile> report_exports();

// Removes what dlview processes that were killed left of exports that were not finished. Never
// fails.
void remove_unfinished_exports();

}  // namespace dlview::import::nsys
