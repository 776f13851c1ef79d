// A file of Nsight Compute that is opened alone: a Profile without events, with its counters and
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

// Reads the files and sets the counters of a profile; does nothing without files. What they are
// named is kept in CounterFile::path. May throw base::Stopped.
base::Status add_counters(profile::Profile& profile, std::span<const std::filesystem::path> files,
                          base::Progress& progress);

}  // namespace dlview::import::ncu
