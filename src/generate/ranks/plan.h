// What the ranks of a run (generate/ranks.h) do in each iteration, and where they run: the same for
// all file formats.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "base/result.h"
#include "generate/random.h"
#include "generate/ranks.h"
#include "profile/kinds.h"
#include "profile/profile.h"

namespace dlview::generate::ranks {

// Uses of random numbers: each has numbers of its own, so that one option moves no other value.
enum class Purpose : uint64_t { speed = 1, transfer, rotation, clock, capture, lost, communicator };

inline Random draw(uint64_t seed, Purpose purpose, int64_t a = 0, int64_t b = 0, int64_t c = 0) {
  uint64_t state = seed * 0x9e3779b97f4a7c15 + static_cast<uint64_t>(purpose);
  for (const int64_t part : {a, b, c}) {
    state = (state ^ (state >> 29)) * 0xbf58476d1ce4e5b9 + static_cast<uint64_t>(part);
  }
  return Random(state ^ (state >> 32));
}

inline constexpr int64_t kDataNs = 1'000'000;  // data loading of an iteration
inline constexpr int64_t kGapNs = 600;         // between kernels of a stream

enum class CollectiveType : uint8_t { all_reduce, all_gather, all_to_all };

// A kernel, by the names that Nsight Systems gives it: without and with template arguments.
struct KernelKind {
  std::string name, long_name;
  int64_t ns = 0;
  profile::Dim3 grid, block;
  bool tensor_cores = false;
};

struct OpKind {
  std::string name;  // "aten::linear", "AddmmBackward0"
  bool is_backward = false, has_sequence = false;
};

// A communicator and its members, in ascending order.
struct Group {
  std::string name, description;  // as torch.distributed numbers them: "0" is that of all ranks
  std::vector<int64_t> ranks;
  uint64_t communicator = 0;
};

// A collective of an iteration: one call on each rank, in the rank's group of this family.
struct Slot {
  CollectiveType type = CollectiveType::all_reduce;
  std::size_t family = 0;     // 0: all ranks, else an index in Plan::families
  int64_t place = 0;          // within the family and iteration
  int64_t message_bytes = 0;  // one rank's argument: the buffer that it sends
  int64_t bytes = 0;          // S of nccl-tests
  int64_t transfer_ns = 0;    // about
  std::size_t kernel = 0;     // in Plan::kernels
};

// Groups of one kind: each rank is in one of them, rank / size.
struct Family {
  int64_t size = 1, first_group = 0;  // in Plan::groups
  int64_t places = 0;                 // collectives in an iteration
  int64_t stream = 0;
};

enum class StepKind : uint8_t {
  load_data,
  copy_batch,
  op,           // `count` kernels from `first`
  collective,   // `first`: the slot
  wait,         // of the compute stream for the slot `first`
  synchronize,  // of the host with the GPU
};

struct Step {
  StepKind kind = StepKind::op;
  std::size_t op = 0;  // in Plan::ops
  std::size_t first = 0, count = 0;
  bool is_backward = false;  // on the autograd thread
  bool repeats = false;      // all kernels are `first`

  std::size_t kernel(std::size_t k) const { return repeats ? first : first + k; }
};

struct Plan {
  std::vector<KernelKind> kernels;
  std::vector<OpKind> ops;
  std::vector<Step> steps;
  std::vector<Slot> slots;
  std::vector<std::size_t> slot_steps;  // the step of each slot
  std::vector<Group> groups;
  std::vector<Family> families;
  int64_t kernels_per_iteration = 0;  // with those of collectives
  int64_t iteration_ns = 0;           // about
  std::vector<int64_t> slow_ranks;    // by iteration, with --skew rotating=
  std::size_t data_op = 0, copy_op = 0, item_op = 0, checkpoint_op = 0;

  const Group& group(const Family& family, int64_t rank) const {
    return groups[static_cast<std::size_t>(family.first_group + rank / family.size)];
  }
};

// Fails if the kernels of an iteration are too few for the model.
base::Result<Plan> make_plan(const RanksOptions& options);

// The place of a rank, and its clock.
struct RankPlace {
  int64_t rank = 0, gpu = 0;
  std::string host;
  int64_t process = 0;
  int64_t offset_ns = 0, drift_ns_per_s = 0;
  int64_t boot_utc_ns = 0;  // 0 of the host's system clock
  int64_t first_iteration = 0;
  int64_t capture_start_ns = 0;  // true time
  bool has_file = true;

  // Local UTC at a true time, in ns since 1970.
  int64_t utc_ns(int64_t true_ns) const;
};

inline constexpr int64_t kRunStartUtcNs = 1'779'782'400'000'000'000;  // 2026-05-26 08:00:00

std::string host_name(int64_t number);  // "a", "b", ..., "z", "aa"
// Without what depends on the simulation: `capture_start_ns` of a late rank.
std::vector<RankPlace> place_ranks(const RanksOptions& options);

}  // namespace dlview::generate::ranks
