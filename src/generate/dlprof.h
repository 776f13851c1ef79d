// Databases in DLProf 1.8's schema: any profile with its aggregations, or the demo run of demo.h.
// A file appears under its name only when it is complete.
#pragma once

#include <filesystem>
#include <vector>

#include "aggregate/aggregation.h"
#include "base/progress.h"
#include "base/result.h"
#include "generate/demo.h"
#include "generate/target.h"

namespace dlview::generate {

// The key op of an aggregation's split becomes its stored key op; user and time of the aggregation
// are the same in every file. A canceled job returns an Error titled "Canceled".
base::Status write_dlprof_database(const profile::Profile& profile,
                                   const std::vector<aggregate::Aggregation>& aggregations,
                                   const std::filesystem::path& path, base::Progress& progress,
                                   IfExists if_exists = IfExists::fail);

// The demo run with one aggregation of all its iterations, computed by the reference. `truth`:
// filled in unless null.
base::Status generate_dlprof(const std::filesystem::path& path, const DemoOptions& options,
                             base::Progress& progress, IfExists if_exists = IfExists::fail,
                             DemoTruth* truth = nullptr);

}  // namespace dlview::generate
