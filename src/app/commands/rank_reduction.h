// What `dlview summarize` and `merge` do on a process of several, for dlview-mpi, which does both
// in one command.
#pragma once

#include <cstdint>

#include "app/commands/commands.h"
#include "base/result.h"
#include "ranks/run_summary.h"

namespace dlview::app {

// The merged summaries of files number, number + count, ...; empty without such a file, or if none
// can be read, which is said on stderr. Fails if the options are wrong, if the launcher reports
// another number of processes, or if the ranks do not belong together.
base::Result<ranks::RunSummary> summarize_share(const SummarizeOptions& options, int64_t number,
                                                int64_t count);

// Fails if the file is there, unless `force`.
base::Status write_run_summary(const ranks::RunSummary& summary, const std::string& path,
                               bool force);

}  // namespace dlview::app
