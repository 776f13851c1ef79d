// Writes the truth about a run of many ranks (generate/ranks.h) as JSON, collectives first, while
// the run is played. Times are integer ns.
//
// `durations_ns`, `own_ns` and the like are those of the recorded clock of each rank; arrivals,
// transfers and waits are on true time, from the start of the run. An iteration stops 1 ns before
// the next one starts, as in dlview; the last one with its range.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unfinished_file.h"
#include "generate/ranks/run.h"

namespace dlview::generate::ranks {

// What all ranks did in an iteration; ranks.md 3.
struct RunIteration {
  int64_t step_ns = 0, cost_ns = 0;
  int64_t straggler = -1;  // the rank, or -1
};

struct RunClass {
  // "one rank", "one host", "rotating", "all at once", "none"; "unclear" where no rule applies, and
  // where fewer than ten iterations are compared.
  std::string name;
  std::vector<int64_t> subjects;            // positions of the rank or of the iterations
  std::string host;                         // of "one host"
  double concordance = 0, probability = 1;  // Kendall's W; p of the most frequent straggler
};

// `own_ns`, `durations_ns`: by iteration, then rank.
std::vector<RunIteration> judge_iterations(const std::vector<std::vector<int64_t>>& own_ns,
                                           const std::vector<std::vector<int64_t>>& durations_ns);
// `hosts`: the host of each rank.
RunClass judge_run(const std::vector<std::vector<int64_t>>& own_ns,
                   const std::vector<RunIteration>& iterations,
                   const std::vector<std::string>& hosts);

// What the truth has of collectives: both, unless the file would exceed about 100 MB.
struct TruthDetail {
  bool collectives = true;  // a row for each
  bool arrays = true;       // with arrivals, durations and waits by member
  bool operator==(const TruthDetail&) const = default;
};
TruthDetail truth_detail(const Plan& plan, const RanksOptions& options);

class TruthWriter {
 public:
  static base::Result<TruthWriter> create(const std::filesystem::path& path, const Plan& plan,
                                          const RanksOptions& options);

  // In the order of play_all().
  void add(const PlayedCollective& played, const std::vector<RankPlace>& places);
  // In the order of play_rank(), rank by rank. `file`: its name in the folder; empty: none.
  void begin_rank(const RankPlace& place, std::string file);
  void add(const Record& record, Ends& ends);
  base::Status finish(const std::vector<RankPlace>& places);

 private:
  struct Figures {
    int64_t start_ns = 0, wait_ns = 0, exposed_wait_ns = 0;
  };
  struct GroupSums {
    int64_t calls = 0, transfer_ns = 0, skew_ns = 0;
  };
  struct RankRow {
    std::string file;
    int64_t end_ns = 0;                    // of the last iteration
    int64_t kernels = 0, collectives = 0;  // in the file
    std::vector<Figures> iterations;
  };

  TruthWriter(base::UnfinishedFile file, const Plan& plan, const RanksOptions& options);
  void write_head();
  void write_ranks(const std::vector<RankPlace>& places);
  void write_iterations(const std::vector<RankPlace>& places);
  int64_t exposed_ns(const Record::Launch& collective, int64_t wait_ns) const;

  base::UnfinishedFile file_;
  const Plan* plan_;
  const RanksOptions* options_;
  TruthDetail detail_;
  bool is_first_ = true;
  std::vector<GroupSums> sums_;  // of plan_->groups
  std::vector<RankRow> rows_;
  std::vector<int64_t> blame_ns_;  // by rank
  const RankPlace* place_ = nullptr;
  std::vector<std::vector<std::pair<int64_t, int64_t>>> busy_;  // by stream, of the iteration
  std::vector<int64_t> streams_;
};

}  // namespace dlview::generate::ranks
