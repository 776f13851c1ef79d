// The files of a run of many ranks: one writer for each format.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "generate/ranks/run.h"

namespace dlview::generate::ranks {

// One file. For each rank in it: begin_rank(), add() for each of its iterations. What the capture
// of the rank lacks (late, lost calls) is left out here.
class RankFile {
 public:
  virtual ~RankFile() = default;
  virtual void begin_rank(const RankPlace& place) = 0;
  virtual void add(const Record& record) = 0;
  virtual base::Status finish() = 0;
};

// `path` is a file; the places are those of all ranks in it.
base::Result<std::unique_ptr<RankFile>> create_export(const std::filesystem::path& path,
                                                      const Plan& plan, const RanksOptions& options,
                                                      const std::vector<const RankPlace*>& places,
                                                      base::Progress& progress);
base::Result<std::unique_ptr<RankFile>> create_trace(const std::filesystem::path& path,
                                                     const Plan& plan, const RanksOptions& options,
                                                     const RankPlace& place);
base::Result<std::unique_ptr<RankFile>> create_database(const std::filesystem::path& path,
                                                        const Plan& plan, base::Progress& progress);

// An environment variable of every export, which no output of dlview may hold.
inline constexpr std::string_view kPlantedSecret = "API_TOKEN=planted-secret-5f1d";

// The GPU of all hosts, with the CUDA ordinal `gpu`.
profile::Device rank_device(int64_t gpu);

}  // namespace dlview::generate::ranks
