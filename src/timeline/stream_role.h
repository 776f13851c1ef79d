// What a stream is used for: what takes most of its time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "timeline/event.h"

namespace dlview::timeline {

// What streams do. Copies are told apart by their direction.
enum class StreamWork : uint8_t {
  kernels,
  communication,
  to_device,
  to_host,
  in_device,
  between_devices,
  other_copies,
  memsets,
};
inline constexpr std::size_t kStreamWorkCount = 8;

// Sums of durations, ns.
using StreamTimes = std::array<int64_t, kStreamWorkCount>;

// A stream has a role if one kind of work takes at least this share of its time. What else runs on
// it then takes at most a quarter of that: it does not give the stream another purpose.
inline constexpr double kLeastRoleShare = 0.8;

// Returns "NCCL", "H2D copies", "kernels"; "copies" where only all directions together reach the
// share; "" where the work is mixed. `library` is that of communication.
std::string stream_role(const StreamTimes& times, std::string_view library);
// The same for the kernels and memory operations of a stream.
std::string stream_role(const std::vector<EventRef>& work, const Events& events);

}  // namespace dlview::timeline
