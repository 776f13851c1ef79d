// ENUM_CUDA_MEMCPY_OPER: values of MemoryOps::copy_kind and TraceMemcpys::copy_kind.
#pragma once

#include <cstdint>

namespace dlview::profile {

inline constexpr int16_t kHostToDevice = 1, kDeviceToHost = 2, kHostToArray = 3, kArrayToHost = 4,
                         kDeviceToDevice = 8, kHostToHost = 9;
// Pages of unified memory that move.
inline constexpr int16_t kMigrationToDevice = 11, kMigrationToHost = 12;

constexpr bool is_migration(int16_t copy_kind) {
  return copy_kind == kMigrationToDevice || copy_kind == kMigrationToHost;
}

enum class CopyDirection : uint8_t { to_device, to_host, within_devices, within_host };

constexpr CopyDirection direction_of(int16_t copy_kind) {
  switch (copy_kind) {
    case kHostToDevice:
    case kHostToArray:
    case kMigrationToDevice:
      return CopyDirection::to_device;
    case kDeviceToHost:
    case kArrayToHost:
    case kMigrationToHost:
      return CopyDirection::to_host;
    case kHostToHost:
      return CopyDirection::within_host;
    default:
      return CopyDirection::within_devices;
  }
}

}  // namespace dlview::profile
