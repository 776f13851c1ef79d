// Which ranks of a run a file holds (docs/dev/spec.md, rank.identity). A rank is a process of the
// run that drives GPUs; a file holds one or several.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/selection.h"
#include "profile/profile.h"

namespace dlview::ranks {

struct RankIdentity {
  std::optional<int64_t> rank;        // nullopt = nothing tells it
  std::optional<int64_t> world_size;  // of the run
  std::string source;       // that tells the rank: "OMPI_COMM_WORLD_RANK", "the file name"
  bool is_guessed = false;  // by the order of GPUs
  // Other sources with another number: "SLURM_PROCID says 0".
  std::vector<std::string> contradictions;
  std::string host;                           // empty = not recorded
  std::optional<int64_t> process_id;          // nullopt = the file has one process
  std::vector<profile::DeviceIndex> devices;  // of the process, that ran something; ascending
  bool operator==(const RankIdentity&) const = default;
};

// The ranks of the file in order of their numbers; processes that drive no GPU are none. A file
// without GPU activity is one rank. `file_name` is without folders.
std::vector<RankIdentity> ranks_of(const profile::Profile& profile, std::string_view file_name);

// The events of a rank in its file: its process marks the iterations, and its GPUs count.
aggregate::Selection selection_of(const profile::Profile& profile, const RankIdentity& identity,
                                  aggregate::Selection selection);

}  // namespace dlview::ranks
