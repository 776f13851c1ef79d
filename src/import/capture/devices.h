// The GPUs of the profile, and which of them a process means by a CUDA ordinal: ordinals are each
// process's own, the GPUs are the system's.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "import/capture/trace_rows.h"
#include "profile/builder.h"
#include "profile/trace.h"

namespace dlview::import::capture {

// Rows of Profile::devices by the ordinal in a process; kNoValue is the process of a file without
// process ids.
class DeviceRows {
 public:
  void set(profile::ThreadId process, int32_t cuda_device, profile::Row row) {
    rows_[{process, cuda_device}] = row;
  }
  std::optional<profile::Row> find(profile::ThreadId process, int32_t cuda_device) const {
    const auto found = rows_.find({process, cuda_device});
    return found == rows_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::map<std::pair<profile::ThreadId, int32_t>, profile::Row> rows_;
};

// Adds the GPUs with GPU activity to `builder`, or all if none has any, and returns their rows; the
// number of GPUs of the machine is a fact of the system. The GPU of a process's ordinal: by
// TARGET_INFO_CUDA_DEVICE, else the GPU with this CUDA ordinal, else by its position among the GPUs
// in order of their index. An ordinal without a GPU becomes a device without a name. A capture of
// Nsight Systems has activity of NVIDIA GPUs only: adapters of other makers are noted.
DeviceRows add_devices(const profile::Trace& trace, profile::ProfileBuilder& builder,
                       const TraceNotes& notes);

}  // namespace dlview::import::capture
