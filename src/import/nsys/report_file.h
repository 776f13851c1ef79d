// A report of Nsight Systems (.nsys-rep, until 2021 .qdrep) is no database; `nsys export` makes one
// of it. dlview lets it do that where it is installed, and keeps the export in its cache.
#pragma once

#include <filesystem>

#include "base/progress.h"
#include "base/result.h"

namespace dlview::import::nsys {

// By name and content: it bears the name of a report and is neither a database nor text.
bool is_report(const std::filesystem::path& path);

// The export of a report, made by the `nsys` on the PATH unless an earlier one of the same file is
// at hand. An Error tells the command to run where there is no nsys, or what nsys said.
base::Result<std::filesystem::path> export_report(const std::filesystem::path& report,
                                                  base::Progress& progress);

}  // namespace dlview::import::nsys
