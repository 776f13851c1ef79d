// Random profiles from a fixed seed, for tests that compare two ways of computing the same thing.
// Times are small, so that events meet exactly at bounds, overlap, are empty or run past everything
// that should hold them: what real profiles do rarely and engines get wrong.
#pragma once

#include <cstdint>
#include <string_view>

#include "profile/profile.h"

namespace dlview::testing {

// The name of two ops that mark steps, one in each of two groups; the id of the first is "STEP_1".
inline constexpr std::string_view kRandomKeyOp = "train/step";

// The name of user ranges, some inside others, on all threads.
inline constexpr std::string_view kRandomRange = "tick";

struct RandomProfileOptions {
  uint64_t seed = 1;
  // Devices that run kernels, those that only copy, and those that do nothing. Their CUDA ordinals
  // are neither row numbers nor dense.
  int kernel_devices = 2, copy_devices = 1, idle_devices = 1;
  int processes = 1;
  int threads = 3;         // of each process
  int ops = 30;            // besides the key op, a data loader and one op that never runs
  int instances = 250;     // of all ops but the key op
  int key_instances = 10;  // 0: the key op exists but never runs
  int user_ranges = 20;
  int kernels = 700, memory_ops = 90, syncs = 40, api_calls = 160;
  bool communication = true;        // one kernel in eight moves data between GPUs
  int64_t length_ns = 40'000;       // of the run; events may end a little later
  int64_t start_ns = 0;             // of the run; all times are later by this
  int streams = 0;                  // for kernels of each device; 0: as DLProf, which tells of none
  bool host_ahead = false;          // kernels wait for those launched before them on their stream
  bool nearby = false;              // events of GPUs run soon after their calls, and most are short
  bool one_group = false;           // holds all ops but the key op and the data loader
  bool backwards = false;           // one event or instance in ten ends before it begins
  bool is_late_part = false;        // cut by ops from a third of the run on
  int os_calls = 0;                 // reads, writes and others; with any it is an export
  bool stored_aggregation = false;  // one with a list of iterations and I/O times
};

profile::Profile random_profile(const RandomProfileOptions& options = {});

}  // namespace dlview::testing
