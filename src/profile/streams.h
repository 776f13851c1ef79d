// The streams of a profile, each once, and the stream of each event. A DLProf database does not
// record streams: all GPU activity of a device is one stream.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "profile/profile.h"

namespace dlview::profile {

// Stream numbers are unique within a context, and contexts within a process; kNoValue = not
// recorded.
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
