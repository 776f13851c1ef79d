// Kinds of events, memory and GPUs. Importers translate the numbers and names of their formats.
#pragma once

#include <compare>
#include <cstdint>

namespace dlview::profile {

// The source and target of a copy. The numbers are those of ENUM_CUDA_MEMCPY_OPER, which DLProf
// databases and Nsight Systems exports use. Other numbers of a file are kept if int8_t holds
// them; larger ones become `unknown`.
enum class CopyKind : int8_t {
  not_recorded = -1,
  unknown = 0,  // also of a memset
  host_to_device = 1,
  device_to_host = 2,
  host_to_array = 3,
  array_to_host = 4,
  array_to_array = 5,
  array_to_device = 6,
  device_to_array = 7,
  device_to_device = 8,
  host_to_host = 9,
  peer_to_peer = 10,
  // Pages of unified memory that move.
  migration_to_device = 11,
  migration_to_host = 12,
  migration_between_devices = 13,
};

// The numbers are those of ENUM_CUDA_MEM_KIND.
enum class MemoryKind : int8_t {
  not_recorded = -1,
  pageable = 0,
  pinned = 1,
  device = 2,
  array = 3,
  managed = 4,
  device_static = 5,
  managed_static = 6,
  unknown = 7,
};

enum class MemoryOperation : int8_t { not_recorded = -1, allocation = 0, deallocation = 1 };

// level: a value holds until the next one. sample: the mean of the time since the sample before.
enum class CounterKind : uint8_t { level, sample };

constexpr bool is_migration(CopyKind kind) {
  return kind == CopyKind::migration_to_device || kind == CopyKind::migration_to_host;
}

enum class CopyDirection : uint8_t { to_device, to_host, within_devices, within_host };

constexpr CopyDirection direction_of(CopyKind kind) {
  switch (kind) {
    case CopyKind::host_to_device:
    case CopyKind::host_to_array:
    case CopyKind::migration_to_device:
      return CopyDirection::to_device;
    case CopyKind::device_to_host:
    case CopyKind::array_to_host:
    case CopyKind::migration_to_host:
      return CopyDirection::to_host;
    case CopyKind::host_to_host:
      return CopyDirection::within_host;
    default:
      return CopyDirection::within_devices;
  }
}

// Where a call entered CUDA. A call stack is a second row of a call that is already listed.
enum class ApiLayer : uint8_t { runtime, driver, call_stack, other };

enum class NvtxKind : uint8_t { mark, push_pop_range, start_end_range };

// What a range of a PyTorch trace is: an op or an annotation of the profiler (old traces have one
// category for both, `op`), an nn.Module, or an event of an unknown category.
enum class HostEventKind : uint8_t { op, annotation, module, other };

enum class Vendor : uint8_t { unknown, nvidia, amd, intel };

struct ComputeCapability {
  int32_t major = 0, minor = 0;
  auto operator<=>(const ComputeCapability&) const = default;
};

// The program that recorded a capture.
enum class Recorder : uint8_t { nsight_systems, pytorch_profiler };

}  // namespace dlview::profile
