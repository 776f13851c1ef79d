// Reads the CSV files of Nsight Compute, of all pages and modes, into KernelCounters.
// docs/dev/formats.md, Nsight Compute CSV.
#pragma once

#include <filesystem>
#include <memory>
#include <span>

#include "base/progress.h"
#include "base/result.h"
#include "import/byte_source.h"
#include "profile/counters.h"

namespace dlview::import::ncu {

// CSV files, gzip files of them, and .ncu-rep reports, which `ncu` turns into CSV. In the order of
// the files. The opening limits apply to each CSV file. May throw base::Stopped.
base::Result<profile::KernelCounters> read_counters(std::span<const std::filesystem::path> files,
                                                    base::Progress& progress);

// The same for one CSV file that is open, without limits of its own. `shown` is its path.
base::Result<profile::KernelCounters> read_counters(const ByteSource& source,
                                                    const std::filesystem::path& shown,
                                                    base::Progress& progress);

}  // namespace dlview::import::ncu
