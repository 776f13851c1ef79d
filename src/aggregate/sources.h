// From which tables of the open file a number comes.
#pragma once

#include <string>

#include "aggregate/metrics.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// "read_only_kernels, read_only_gpu_infos"; of an export of Nsight Systems
// "CUPTI_ACTIVITY_KIND_KERNEL, TARGET_INFO_GPU". Null = no file is open: as of a database.
std::string source_tables(const Metric& metric, const profile::Profile* profile);

}  // namespace dlview::aggregate
