// A run of many ranks with planted skew: a folder with a file for each rank, as Nsight Systems, the
// PyTorch profiler or DLProf leave it, and the truth about it (`truth.json`). Equal options give
// equal files on every machine, and a rank's file does not depend on which others are written.
//
// The run trains a transformer data-parallel, one GPU per rank: data loading, forward pass,
// backward pass with all-reduces in buckets on a stream of their own, optimizer. A synchronizing
// collective ends on all members at one true time (last arrival + transfer) plus jitter. The
// arrivals follow from the work of each rank, so fast ranks wait for slow ones.
//
// Memory: one iteration of all ranks, 8 bytes per collective, and 48 bytes per rank and iteration.
// Only a DLProf database needs a whole rank in memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "base/result.h"

namespace dlview::generate {

enum class SlowPart : uint8_t { kernels, data };

// What differs between ranks. Shares are in millionths: 8% is 80'000.
struct Skew {
  struct SlowRank {
    int64_t rank = 0, more_ppm = 0;
    SlowPart part = SlowPart::kernels;
    int64_t first = 0, last = INT64_MAX;  // iterations in which it is slow
    bool is_slow_in(int64_t iteration) const { return first <= iteration && iteration <= last; }
  };
  struct SlowHost {
    std::string host;
    int64_t more_ppm = 0;
  };
  struct SlowIteration {
    int64_t iteration = 0, more_ppm = 0;  // of the usual iteration time, on all ranks
  };
  struct Stage {
    int64_t first_rank = 0, more_ppm = 0;
  };
  struct RankCount {
    int64_t rank = 0, count = 0;
  };
  int64_t offset_ns = 0;       // clocks of hosts are off by at most so much
  int64_t drift_ns_per_s = 0;  // and drift by at most so much
  int64_t jitter_ns = 300;     // of the end of a collective, 0 to this
  int64_t noise_ppm = 2'000;   // speed of a rank in an iteration, at most to either side
  int64_t rotating_ppm = 0;    // kernels of another rank in each iteration
  std::vector<SlowRank> stragglers;
  std::vector<SlowHost> hosts;
  std::optional<Stage> stage;  // ranks from its first one on have more ops, as another stage would
  std::vector<SlowIteration> all;
  std::vector<RankCount> lost;   // collective calls that the rank's file lacks
  std::vector<RankCount> late;   // iterations before the rank's capture begins
  std::vector<int64_t> missing;  // ranks without a file
};

// "offset=5ms,straggler=4:+8%:kernels". An Error names the item, and the nearest known one.
base::Result<Skew> parse_skew(std::string_view text);
// The items that parse_skew() knows, for help texts.
std::string known_skews();

// Groups of neighboring ranks beside the group of all; 1: none.
struct RankGroups {
  int64_t tensor = 1;  // all-gathers in the forward pass, which the next op waits for
  int64_t expert = 1;  // two balanced all-to-alls in the forward pass
};
// "tp=2,ep=4".
base::Result<RankGroups> parse_rank_groups(std::string_view text);

enum class RanksFormat : uint8_t { nsys, pytorch, dlprof };

struct RanksOptions {
  RanksFormat format = RanksFormat::nsys;
  int64_t ranks = 8, ranks_per_host = 8;
  int64_t iterations = 20;
  int64_t kernels = 4'000;  // of a rank; each iteration has kernels / iterations of them
  uint64_t seed = 1;
  RankGroups groups;
  Skew skew;
  std::string skew_text;             // for the truth
  std::optional<int64_t> only_rank;  // writes the file of this rank only; the truth is of all
  bool one_file = false;             // exports: all ranks of a host in one
  bool blobs = true;                 // exports: payloads of NVTX ranges
  bool gzip = false;                 // traces
  std::filesystem::path truth;       // empty: truth.json in the folder
};

// `folder` must not exist or be empty. An Error says which option is wrong, or that the folder is
// not empty. Canceled: files of the ranks before remain.
base::Status generate_ranks(const std::filesystem::path& folder, const RanksOptions& options,
                            base::Progress& progress);

}  // namespace dlview::generate
