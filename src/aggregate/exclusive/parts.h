// The parts of exclusive time, and what each instant of a part belongs to (spec.md, exclusive.*).
// The sum over parts is the duration of the range times the number of GPUs, in whole ns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "aggregate/gaps/idle_gaps.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// In the order of the stack. As Category, but exposed communication is taken out of the kernels.
enum class StackPart : uint8_t {
  tensor_core_kernels,
  other_kernels,
  exposed_communication,
  memory,
  data_loader,
  io,
  cpu,
  other,
};
inline constexpr std::size_t kStackPartCount = 8;
inline constexpr std::array<StackPart, kStackPartCount> kStackParts{
    StackPart::tensor_core_kernels,
    StackPart::other_kernels,
    StackPart::exposed_communication,
    StackPart::memory,
    StackPart::data_loader,
    StackPart::io,
    StackPart::cpu,
    StackPart::other};
std::string_view to_text(StackPart part);   // "exposed_communication"
std::string_view title_of(StackPart part);  // "Exposed communication"
std::optional<StackPart> part_named(std::string_view id);
// Returns whether the GPU is busy in it.
constexpr bool is_gpu_part(StackPart part) {
  return part <= StackPart::memory;
}

// What an instant belongs to.
struct PartKey {
  StackPart part = StackPart::other;
  profile::DeviceIndex device{0};
  profile::OpIndex op{};       // GPU parts, data loader, CPU; else kNoRow
  profile::StringId name = 0;  // of the kernel, or of the memory operation's call; else 0
  // The cause of the idle gap, of all parts but those of the GPU; nullopt = not in a gap: before
  // the first activity of the GPU, or after its last.
  std::optional<GapCause> gap = std::nullopt;
  bool operator==(const PartKey&) const = default;
};

struct PartTime {
  PartKey key;
  int64_t exclusive_ns = 0;
  // The time of GPU events in the range (a sum) that belongs to other events or parts.
  int64_t overlapped_ns = 0;
  // Of GPU events, cut at the bounds of iterations: the time of those that always run alone on the
  // GPU; the time of all others, and how much of it they run alone.
  int64_t alone_ns = 0;
  int64_t partly_alone_ns = 0, shared_ns = 0;
  bool operator==(const PartTime&) const = default;
};

// Exclusive times of a range of iterations, whatever the filters. Per iteration and GPU: divide by
// iterations * max(devices, 1) (rounding.h). Without devices, rows have the time of the host, and
// device 0.
struct PartSums {
  int64_t iterations = 0, devices = 0;
  int64_t range_ns = 0;                       // sum of the durations of the iterations
  std::array<int64_t, kStackPartCount> ns{};  // of all rows; sums to range_ns * max(devices, 1)
  std::vector<PartTime> rows = {};            // by part, op, name, gap and device; none is empty
  std::vector<int64_t> gpu_busy_ns = {};      // by device: the sum of its GPU parts
  int64_t host_ns = 0, host_loader_ns = 0;    // see ExclusiveIndex

  int64_t operator[](StackPart part) const { return ns[static_cast<std::size_t>(part)]; }
  bool operator==(const PartSums&) const = default;
};

}  // namespace dlview::aggregate
