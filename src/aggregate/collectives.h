// Collective operations of a selection (docs/dev/spec.md, Communication): their sizes, times and
// bandwidths, one by one and added up. Only PyTorch traces have them.
//
// A call is a row of Trace::collectives with the GPU activity launched in it: an event of the host,
// or a communication kernel that no event of the trace launches. It belongs to the iteration that
// holds its start on the host, or that of the op instance of such a kernel. Under filters, only GPU
// activities that match count, and calls with none of them do not.
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

// Elements of the message, as nccl-tests count them: of an all-gather and a gather all that is
// received, of a reduce-scatter and a scatter all that is sent, of the others the larger buffer.
// kNoValue = not recorded. nullopt where that leaves it open.
std::optional<int64_t> message_elements(profile::Collective collective, int64_t in, int64_t out,
                                        int64_t group_size);

// Bytes of the message per second of kernels; nullopt without bytes or time.
std::optional<double> algorithm_bandwidth(int64_t bytes, int64_t kernel_ns);
// What nccl-tests multiply it by so that it compares with the bandwidth of the links, whatever the
// number of ranks: all-reduce 2(n-1)/n; all-gather, reduce-scatter, all-to-all, gather and scatter
// (n-1)/n; broadcast, reduce, send and receive 1. nullopt for others and for fewer than two ranks.
std::optional<double> bus_factor(profile::Collective collective, std::optional<int64_t> group_size);

struct CollectiveCall {
  profile::CollectiveIndex row;
  profile::KernelIndex first_kernel;  // by GPU start; kNoRow = none
  profile::Collective collective = profile::Collective::other;
  int64_t iteration = 0;
  int64_t start_ns = 0;                // on the host; of a kernel without an event, on the GPU
  std::optional<int64_t> host_ns;      // nullopt = no event of the host
  std::optional<int64_t> bytes;        // of the message
  std::optional<int64_t> group_size;   // in ranks
  int64_t gpu_events = 0, gpu_ns = 0;  // a sum of all GPU activities
  int64_t kernel_ns = 0;               // of its communication kernels, a sum
  int64_t exposed_ns = 0;              // of these, while no other kernel runs on their GPU
  bool operator==(const CollectiveCall&) const = default;

  std::optional<double> algorithm_bandwidth() const;
  std::optional<double> bus_bandwidth() const;
};

// In order of start.
std::vector<CollectiveCall> collective_calls(const profile::Profile& profile,
                                             const Aggregation& aggregation);

// What all of a kind have in common.
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
  int64_t bytes = 0;        // of calls of known size
  int64_t timed_bytes = 0;  // of those with communication kernels,
  int64_t timed_ns = 0;     // and the time of these
  Stats gpu;                // of calls, ns
  bool operator==(const CollectiveSum&) const = default;

  std::optional<double> algorithm_bandwidth() const;
  std::optional<double> bus_bandwidth() const;
};

// In order of the first call of each.
std::vector<CollectiveSum> sum_collectives(const profile::Profile& profile,
                                           const std::vector<CollectiveCall>& calls);

// "AllReduce"; the event's own name if it is none that dlview knows; else that of the event.
std::string_view collective_name(const profile::Profile& profile, const CollectiveCall& call);
std::string_view data_type_of(const profile::Profile& profile, const CollectiveCall& call);
// "default_pg (0)", "0"; empty = not recorded.
std::string group_text(const profile::Profile& profile, const CollectiveCall& call);

bool has_collectives(const profile::Profile& profile);

}  // namespace dlview::aggregate
