// The files of a run of ranks: which they are, and the summaries of the ranks in each.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "aggregate/key_ops.h"
#include "base/result.h"
#include "profile/profile.h"
#include "ranks/identity.h"
#include "ranks/run_summary.h"
#include "workspace/selection_request.h"

namespace dlview::workspace {

// What names of files, folders and patterns mean: of a folder its profiles (or, with
// `summaries`, its summary files), of a pattern ("reports/*.sqlite"; * and ? in the last part) what
// it matches. In byte order of the path, each once. Fails if a name means nothing.
base::Result<std::vector<std::filesystem::path>> rank_files(const std::vector<std::string>& names,
                                                            bool summaries);

// The profiles that the names mean; without any, the summaries. Fails as rank_files().
base::Result<std::vector<std::filesystem::path>> run_files(const std::vector<std::string>& names);

// Whether the names mean a run of ranks and not profiles to be opened each on its own: one folder,
// pattern or summary, or several files that are named "rank" with a number, each with another one.
bool mean_ranks(const std::vector<std::string>& names);

// The selection that the request means for a rank of the file: its process marks the iterations,
// and its GPUs count.
base::Result<aggregate::Selection> select_rank(const profile::Profile& profile,
                                               const aggregate::KeyRanking& ranking,
                                               const SelectionRequest& request,
                                               const ranks::RankIdentity& identity);

// The summaries of the ranks in a file. `rank`: of a file with one rank, whatever it says. Fails if
// a rank is unknown. The request chooses marker, split and range. `by_kernels`: see rank_calls().
base::Result<std::vector<ranks::RunSummary>> summarize_ranks(
    const std::shared_ptr<const profile::Profile>& profile, const aggregate::KeyRanking& ranking,
    const SelectionRequest& request, const std::string& file_name, std::optional<int64_t> rank,
    bool by_kernels = false);

}  // namespace dlview::workspace
