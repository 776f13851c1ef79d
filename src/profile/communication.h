// Kernels that move data between GPUs for a collective. Only this module has their names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.h"

namespace dlview::profile {

enum class Collective : uint8_t {
  all_reduce,
  all_gather,
  reduce_scatter,
  broadcast,
  reduce,
  send_recv,
  all_to_all,
  gather,
  scatter,
  barrier,
  wait,   // the host or a stream waits for an earlier one
  other,  // the name does not say which
};
std::string_view to_text(Collective collective);  // "AllReduce", ..., "communication"

struct Communication {
  std::string_view library;  // "NCCL"; RCCL's kernels have the same names
  Collective collective = Collective::other;
  bool operator==(const Communication&) const = default;
};

std::string to_text(const Communication& communication);  // "NCCL AllReduce"; "NCCL" for other

// That of torch.distributed by its name in a trace: "allreduce", "nccl:_all_gather_base",
// "all_to_allv", "send 0->1"; that of a call of NCCL, "ncclAllReduce".
Collective collective_named(std::string_view name);

// "ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)" is NCCL's AllReduce. Nothing for kernels that
// compute. Takes the short name or the demangled one; costs some microseconds.
std::optional<Communication> communication_of(std::string_view kernel_name);

// Which kernels communicate, by their short or their demangled name: a flag for each row, or
// nothing at all when none does. Reads each name once.
std::vector<uint8_t> communication_kernels(const Profile& profile);

}  // namespace dlview::profile
