// An Nsight Compute file that is opened alone: a Profile without events, with its counters and
// the GPUs that they name.
#pragma once

#include <filesystem>
#include <span>

#include "base/progress.h"
#include "base/result.h"
#include "import/byte_source.h"
#include "profile/profile.h"

namespace dlview::import::ncu {

base::Result<profile::Profile> load_csv(const ByteSource& source, base::Progress& progress);

// By name and content: a .ncu-rep that is no text.
bool is_report_file(const ByteSource& source);
base::Result<profile::Profile> load_report(const ByteSource& source, base::Progress& progress);

// Whether a file is a CSV, a log or a report of Nsight Compute, by its name and first bytes.
bool is_counter_file(const std::filesystem::path& path);

// Reads the files and adds them to the counters of a profile; does nothing for those that it has.
// Never throws base::Stopped.
base::Status add_counters(profile::Profile& profile, std::span<const std::filesystem::path> files,
                          base::Progress& progress);

}  // namespace dlview::import::ncu
