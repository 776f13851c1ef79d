// The streams on which the work of a profile ran, each once, and which of them ran what. A DLProf
// database does not tell streams: there all work of a device is one.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "profile/profile.h"

namespace dlview::profile {

// Numbers of streams are a context's own, and contexts a process's own; kNoValue = not told.
struct Stream {
  DeviceIndex device{0};
  int64_t process_id = kNoValue, context = kNoValue, number = kNoValue;
  auto operator<=>(const Stream&) const = default;
};

struct Streams {
  std::vector<Stream> rows;  // ascending
  // Rows of these, by row of Profile::kernels and of Profile::memory_ops.
  std::vector<Row> of_kernel, of_memory_op;
};

Streams find_streams(const Profile& profile);

}  // namespace dlview::profile
