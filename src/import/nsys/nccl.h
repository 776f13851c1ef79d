// Calls of NCCL in an export: its NVTX ranges, and the payloads of these, which say how many bytes
// a call moves, and in which communicator. nsys writes payloads with --include-blobs=true only.
#pragma once

#include "base/result.h"
#include "import/nsys/tables.h"
#include "profile/profile.h"
#include "profile/trace.h"

namespace dlview::import::nsys {

// Fills trace.collectives, and trace.capture.ranks with the ranks in the largest communicators;
// after number_threads(). Calls between ncclGroupStart and ncclGroupEnd are one row, for they are
// one kernel.
base::Status read_nccl(Context& context, profile::Trace& trace);

// Fills Trace::kernels.collective: a communication kernel belongs to the call in which it was
// launched.
void link_nccl_kernels(const profile::Profile& profile, profile::Trace& trace);

}  // namespace dlview::import::nsys
