// Collective operations of a selection (docs/dev/spec.md, Communication): sizes, times and
// bandwidths, of each call and summed. Only PyTorch traces have them.
//
// A call is a row of Trace::collectives with the GPU activity launched in it: a host event, or a
// communication kernel without one. A host event belongs to the iteration that contains its start,
// a kernel to the iteration of its op instance. With filters, only matching GPU activities count,
// and calls without any of them do not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/stats.h"
#include "profile/communication.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// Elements of the message, as nccl-tests count them: the received buffer of all-gather and gather,
// the sent buffer of reduce-scatter and scatter, the larger buffer of all others. kNoValue = not
// recorded. nullopt if the buffer that decides was not recorded.
std::optional<int64_t> message_elements(profile::Collective collective, int64_t in, int64_t out,
                                        int64_t group_size);

// Bytes of the message per second of kernels; nullopt without bytes or time.
std::optional<double> algorithm_bandwidth(int64_t bytes, int64_t kernel_ns);
// The factor of nccl-tests, which makes the bandwidth comparable with that of the links for any
// number of ranks: all-reduce 2(n-1)/n; all-gather, reduce-scatter, all-to-all, gather and scatter
// (n-1)/n; broadcast, reduce, send and receive 1. nullopt for others and for fewer than two ranks.
std::optional<double> bus_factor(profile::Collective collective, std::optional<int64_t> group_size);

struct CollectiveCall {
  profile::CollectiveIndex row;
  profile::KernelIndex first_kernel;  // by GPU start; kNoRow = none
  profile::Collective collective = profile::Collective::other;
  int64_t iteration = 0;
  int64_t start_ns = 0;                // on the host; without a host event, on the GPU
  std::optional<int64_t> host_ns;      // nullopt = no host event
  std::optional<int64_t> bytes;        // of the message
  std::optional<int64_t> group_size;   // in ranks
  int64_t gpu_events = 0, gpu_ns = 0;  // all GPU activities; sum
  int64_t kernel_ns = 0;               // its communication kernels; sum
  int64_t exposed_ns = 0;              // the part while no other kernel runs on their GPU
  bool operator==(const CollectiveCall&) const = default;

  std::optional<double> algorithm_bandwidth() const;
  std::optional<double> bus_bandwidth() const;
};

// In order of start.
std::vector<CollectiveCall> collective_calls(const profile::Profile& profile,
                                             const Aggregation& aggregation);

// What the calls of a row have in common.
struct CollectiveKind {
  profile::Collective collective = profile::Collective::other;
  std::string_view name;       // collective_name()
  std::string_view data_type;  // empty = not recorded
  std::string group;           // group_text()
  std::optional<int64_t> group_size;
  std::optional<int64_t> bytes;
  bool operator==(const CollectiveKind&) const = default;
  auto operator<=>(const CollectiveKind&) const = default;
};

CollectiveKind collective_kind(const profile::Profile& profile, const CollectiveCall& call);
// "AllReduce BFloat16 default_pg (0) 4 7077888"; tells kinds apart.
std::string to_text(const CollectiveKind& kind);

struct CollectiveSum {
  CollectiveKind kind;
  int64_t gpu_events = 0, kernel_ns = 0, exposed_ns = 0;
  int64_t bytes = 0;        // calls of known size
  int64_t timed_bytes = 0;  // those with communication kernels
  int64_t timed_ns = 0;     // the time of these kernels
  Stats gpu;                // of calls, ns
  bool operator==(const CollectiveSum&) const = default;

  std::optional<double> algorithm_bandwidth() const;
  std::optional<double> bus_bandwidth() const;
};

// In order of their first calls.
std::vector<CollectiveSum> sum_collectives(const profile::Profile& profile,
                                           const std::vector<CollectiveCall>& calls);

// "AllReduce"; the name in the event if dlview does not know the collective, else the event's.
std::string_view collective_name(const profile::Profile& profile, const CollectiveCall& call);
std::string_view data_type_of(const profile::Profile& profile, const CollectiveCall& call);
// "default_pg"; empty = not recorded.
std::string_view group_description(const profile::Profile& profile, const CollectiveCall& call);
// "default_pg (0)", "0"; empty = not recorded.
std::string group_text(const profile::Profile& profile, const CollectiveCall& call);

bool has_collectives(const profile::Profile& profile);

}  // namespace dlview::aggregate
