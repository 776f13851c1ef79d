// Which GPU a process means by a CUDA ordinal: ordinals are each process's own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "profile/trace.h"

namespace dlview::profile {

// Returns the id of the GPU from TARGET_INFO_CUDA_DEVICE, or nullopt if the table does not have it.
inline std::optional<int64_t> recorded_gpu(const Trace& trace, ThreadId process, int64_t ordinal) {
  if (process == kNoValue) return std::nullopt;
  const auto told = std::ranges::find_if(trace.cuda_devices, [&](const TraceCudaDevice& device) {
    return device.process_id == trace.numbers_of(process).process_id &&
           device.cuda_device == ordinal;
  });
  if (told == trace.cuda_devices.end()) return std::nullopt;
  return told->gpu_id;
}

}  // namespace dlview::profile
