// Calls in which the host blocks: copies of pageable memory, synchronous copies and memsets, reads
// of a scalar, synchronizations, allocations (spec.md 60).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "base/intervals.h"
#include "profile/profile.h"

namespace dlview::aggregate {

enum class CallRule : uint8_t {
  scalar_read,            // a copy of 16 bytes and less to the host, which waits for it
  pageable_copy_to_gpu,   // asynchronous; of more than 64 KiB
  pageable_copy_to_host,  // asynchronous; of more than 16 bytes
  synchronous_copy,       // that does not return at once
  synchronous_memset,     // of host memory
  synchronization,        // with a stream, the GPU or the context
  allocation,             // or release, of memory of the GPU or of pinned memory
};
inline constexpr std::array kCallRules{
    CallRule::scalar_read,      CallRule::pageable_copy_to_gpu, CallRule::pageable_copy_to_host,
    CallRule::synchronous_copy, CallRule::synchronous_memset,   CallRule::synchronization,
    CallRule::allocation};

struct RuleCall {
  CallRule rule = CallRule::synchronization;
  profile::InstanceIndex instance{0};
  profile::StringId name = 0;
  profile::ThreadIndex thread{0};
  int64_t start_ns = 0, stop_ns = 0;
  // GPU idle that could be saved without the call, at most: a mean over the GPUs of its process.
  int64_t saved_ns = 0;
  // The synchronization in which the host waits for the scalar of the call before: part of that
  // read, but what the host does between the two takes no part.
  bool completes_read = false;
  // False: an allocation, which takes time but does not wait until the GPU has done its work.
  bool waits_for_gpu = true;
  int64_t duration_ns() const { return stop_ns - start_ns; }
};

// The kind of a memory operation under a rule, else kNoRule.
inline constexpr uint8_t kNoRule = UINT8_MAX;

struct BlockingCalls {
  // In order of instance and time, each call once. Only of threads that launch the work of their
  // process: what blocks a thread that loads data holds up no launch.
  std::vector<RuleCall> calls;
  std::vector<uint8_t> rule_of_memory_op;
  // By process: calls that block on a busy GPU like the others but are no finding. Event
  // synchronizations, and copies and memsets of unknown memory that ended no earlier than their
  // work.
  std::map<int64_t, std::vector<base::Interval>> other_waits;
  bool lacks_memory_of_copies = false, lacks_memory_of_memsets = false, lacks_bytes = false;
};

BlockingCalls find_blocking_calls(const profile::Profile& profile);

}  // namespace dlview::aggregate
