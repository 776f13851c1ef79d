// RunSummary: what the ranks of a run did, without their events (docs/dev/spec.md, ranks.summary).
// A rank's summary is one with a single part; merge() makes one of two, in any order and grouping.
//
//   RankPart         a rank, or a stretch of its iterations: who it is, and its iterations
//   OpSum, KernelSum ops and kernels over all parts
//   CollectiveSum    a collective over its members: least, second least and greatest duration
//
// Only parts grow with the ranks of a run. Times are ns on the clock of the rank's own file.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/stats.h"
#include "base/result.h"
#include "profile/communication.h"
#include "ranks/histogram.h"
#include "ranks/packed.h"

namespace dlview::ranks {

// What must be equal in summaries that are merged.
struct SummaryRules {
  std::string key_op;  // the iteration marker; empty = the run is one iteration
  std::string cut, split_by;
  // How calls of collectives find each other on other ranks.
  enum class Matching : uint8_t { none, sequence, group_place, kernel_place };
  Matching matching = Matching::none;
  bool operator==(const SummaryRules&) const = default;
};
std::string_view to_text(SummaryRules::Matching matching);

// A number of each iteration of a part.
enum class RowColumn : uint8_t {
  number,  // that the marker counts with, else from 0: alike on all ranks
  start_ns,
  stop_ns,
  // The breakdown, summed over the GPUs of the rank.
  tensor_core_kernels_ns,
  other_kernels_ns,
  memory_ns,
  data_loader_ns,
  io_ns,
  cpu_ns,
  other_ns,
  communication_ns,  // likewise
  exposed_ns,
  kernels,    // launches
  kernel_ns,  // sum of durations
};
inline constexpr std::size_t kRowColumns = 14;

// The calls of a group in an iteration, by place from its end: the last one, that before, that
// before, and all others. Later calls are those that nothing overlaps; apart from each other they
// tell closer how much of a wait is exposed.
inline constexpr std::size_t kCallClasses = 4;
constexpr std::size_t call_class(int64_t from_end) {
  return static_cast<std::size_t>(from_end < 3 ? from_end : 3);
}

// Of a group of ranks in each iteration: its synchronizing collectives, as packed columns.
struct GroupRows {
  std::string calls;
  std::array<std::string, kCallClasses> ns, exposed_ns;  // sums of the calls of a class
  bool operator==(const GroupRows&) const = default;

  // The columns in this order, the classes of each one after another.
  static constexpr std::size_t kColumns = 1 + 2 * kCallClasses;
  std::string& column(std::size_t at) {
    return at == 0 ? calls : at <= kCallClasses ? ns[at - 1] : exposed_ns[at - 1 - kCallClasses];
  }
  const std::string& column(std::size_t at) const {
    return const_cast<GroupRows*>(this)->column(at);
  }
};

// Without sequence numbers, the place of a call in its group is the number of its iteration times
// this, plus its place in the iteration.
inline constexpr int64_t kPlacesOfIteration = int64_t{1} << 20U;

// A collective on the clock of its rank, for alignment.
struct ClockSample {
  std::string group;
  int64_t place = 0;
  int64_t start_ns = 0, stop_ns = 0;
  // What match_by_time() needs: not there where calls have sequence numbers.
  profile::Collective collective = profile::Collective::other;
  std::optional<int64_t> bytes = std::nullopt;
  int64_t exposed_ns = 0;
  auto operator<=>(const ClockSample&) const = default;
};
// Of one type and size, as calls of one collective are; ranks may send unequal parts to all.
bool are_alike(const ClockSample& a, const ClockSample& b);

struct RankHead {
  int64_t rank = 0;
  std::optional<int64_t> world_size;
  std::string source;  // that told the rank
  std::vector<std::string> contradictions;
  std::string host;  // empty = not recorded
  int64_t gpus = 0;
  std::string gpu_name;
  int64_t first_device = -1;          // CUDA ordinal; -1 = none
  std::string format;                 // "Nsight Systems 2026.2.1.210"
  std::string file;                   // name, without folders
  std::optional<int64_t> process_id;  // of a file with several ranks
  uint64_t checksum = 0;              // of the file
  // The start of the file's times on clocks of the machine.
  std::optional<int64_t> utc_start_ns, system_start_ns;
  uint64_t work_signature = 0;    // of the kinds of its ops: equal for ranks that do the same
  int64_t launches_per_1000 = 0;  // kernels, of 1000 iterations
  std::vector<std::string> not_recorded;
  bool operator==(const RankHead&) const = default;
};

// Where the columns of a part lie in a summary file (stored_parts.h), if they have not been read.
class StoredParts;
struct StoredPlace {
  std::shared_ptr<const StoredParts> file;  // null = the part has its columns
  uint32_t block = 0;
  uint32_t place = 0;          // in the block
  uint32_t groups_before = 0;  // of the parts before it in the block
  bool operator==(const StoredPlace&) const = default;
};

struct RankPart {
  RankHead head;
  int64_t first = 0, size = 0;                // its iterations, by their place in the file
  std::array<std::string, kRowColumns> rows;  // packed columns
  std::map<std::string, GroupRows> groups;    // by name of the group
  std::vector<ClockSample> clock;             // in order
  // If it is set, rows, columns of groups and clock are empty, and ColumnReader reads them.
  StoredPlace stored;
  bool operator==(const RankPart&) const = default;

  // Empty if it does not fit, as after damage that a checksum did not see. Of a stored part it
  // costs to unpack the column of a block of parts.
  std::vector<int64_t> column(RowColumn column) const;
};

// Count, sum, least and greatest; the sum does not overflow.
struct WideStats {
  int64_t count = 0, min = 0, max = 0;
  Wide sum = 0;

  static WideStats of(const aggregate::Stats& stats) {
    return {stats.count, stats.min, stats.max, stats.sum};
  }
  void merge(const WideStats& other);
  bool operator==(const WideStats&) const = default;
};

struct OpKey {
  std::string name, type, direction;
  auto operator<=>(const OpKey&) const = default;
};
struct OpSum {
  WideStats cpu, gpu, api, overhead, idle;  // of its instances
  WideStats kernel_gpu, kernel_api;         // of its kernels
  int64_t tensor_core_kernels = 0;
  Wide tensor_core_ns = 0;
  Histogram gpu_times;  // of its instances
  void merge(const OpSum& other);
  bool operator==(const OpSum&) const = default;
};

struct KernelKey {
  OpKey op;
  std::string name;
  auto operator<=>(const KernelKey&) const = default;
};
struct KernelSum {
  WideStats gpu, api;
  bool uses_tensor_cores = false;
  void merge(const KernelSum& other);
  bool operator==(const KernelSum&) const = default;
};

// What the ranks of a group divide among themselves, by its description ("mesh_dp",
// "TENSOR_MODEL_PARALLEL_GROUP"); of several kinds the first.
enum class GroupKind : uint8_t { unknown, data, expert, pipeline, tensor, context };
GroupKind kind_of_group(std::string_view description);
std::string_view to_text(GroupKind kind);  // "data parallel"; empty = unknown

struct GroupFacts {
  profile::Collective collective = profile::Collective::other;  // of a kernel's name; else other
  std::string description;                                      // "tp"; empty = not recorded
  std::optional<int64_t> size;                                  // in ranks
  bool operator==(const GroupFacts&) const = default;
  GroupKind kind() const { return kind_of_group(description); }
};

struct CollectiveKey {
  std::string group;
  int64_t place = 0;
  auto operator<=>(const CollectiveKey&) const = default;
};
struct CollectiveSum {
  profile::Collective collective = profile::Collective::other;
  std::optional<int64_t> bytes;   // of the message; the most where it is not even
  std::optional<int64_t> number;  // of the iteration that launched it; nullopt = outside
  bool agrees = true;             // on its type, all members
  bool is_even = true;            // its bytes are the same on all members
  int64_t members = 0;
  int64_t least_ns = 0, least_rank = 0;  // ties: the lowest rank
  int64_t second_ns = -1;                // -1 = of one member
  int64_t greatest_ns = 0, greatest_rank = 0;
  Wide sum_ns = 0;
  Wide exposed_ns = 0;  // while no other kernel runs on the member's GPU
  // Of one member.
  static CollectiveSum of_call(int64_t rank, int64_t number, profile::Collective collective,
                               std::optional<int64_t> bytes, int64_t duration_ns,
                               int64_t exposed_ns);
  void merge(const CollectiveSum& other);
  bool operator==(const CollectiveSum&) const = default;

  // Its calls may be one collective: ranks may send unequal parts to all only.
  bool is_one() const;
  std::optional<int64_t> size() const { return is_even || !is_one() ? bytes : std::nullopt; }
  int64_t transfer_ns() const { return least_ns; }
  int64_t skew_ns() const { return greatest_ns - least_ns; }
};

struct RunSummary {
  SummaryRules rules;
  std::vector<RankPart> parts;  // in order of (rank, first)
  std::map<OpKey, OpSum> ops;
  std::map<KernelKey, KernelSum> kernels;
  std::map<std::string, GroupFacts> groups;
  std::map<CollectiveKey, CollectiveSum> collectives;
  bool operator==(const RunSummary&) const = default;

  std::vector<int64_t> ranks() const;  // ascending, each once
  // The largest that any part tells; nullopt = none does.
  std::optional<int64_t> world_size() const;
};

// The title of the error on summaries that were matched in different ways.
inline constexpr std::string_view kDifferentMatching =
    "Collectives are matched differently in these files";

// Merges two summaries of one run. Parts that both have count once. Refuses: another marker or
// matching, another world size, one rank of two files, and parts that overlap but are not the same.
// Costs the sizes of both, in ops, kernels and collectives; packed columns are moved.
base::Result<RunSummary> merge(RunSummary a, RunSummary b);

// Whether merge() would take both. Costs their parts.
base::Status can_merge(const RunSummary& a, const RunSummary& b);

}  // namespace dlview::ranks
