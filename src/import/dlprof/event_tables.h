// The columns of DLProf's five event tables, in the order in which they are read.
#pragma once

#include <array>
#include <cstddef>

#include "import/dlprof/launch_dims.h"
#include "import/dlprof/tables.h"

namespace dlview::import::dlprof {

// All tables share the first columns, those of GPU events a few more.
namespace event {
enum : int { id, op, instance, name, api_start, api_stop, process, thread, first_own };
enum : int { gpu_start = first_own, gpu_stop, device, first_of_gpu };
enum : int { kernel_uses_tc = first_of_gpu, kernel_long_name, kernel_grid, kernel_block };
enum : int { memory_bytes = first_of_gpu, memcpy_kind };
enum : int { sync_type = first_own, sync_event, sync_device };
}  // namespace event

template <std::size_t N, std::size_t M>
constexpr std::array<ColumnSpec, N + M> joined(const std::array<ColumnSpec, N>& first,
                                               const ColumnSpec (&second)[M]) {
  std::array<ColumnSpec, N + M> all{};
  for (std::size_t i = 0; i < N; ++i) all[i] = first[i];
  for (std::size_t i = 0; i < M; ++i) all[N + i] = second[i];
  return all;
}

inline constexpr auto kInteger = ColumnSpec::Kind::integer;

inline constexpr std::array<ColumnSpec, event::first_own> kApiCallColumns{{{"id"},
                                                                           {"read_only_ops_id"},
                                                                           {"op_instance"},
                                                                           {"name_id"},
                                                                           {"api_start"},
                                                                           {"api_stop"},
                                                                           {"process_id"},
                                                                           {"thread_id"}}};
inline constexpr auto kGpuEventColumns =
    joined(kApiCallColumns, {{"gpu_start"}, {"gpu_stop"}, {"device_id"}});
inline constexpr auto kKernelColumns =
    joined(kGpuEventColumns, {{"uses_tc"},
                              {"long_name_id", kInteger, "Long kernel names"},
                              {"grid_id", kInteger, kLaunchSizes},
                              {"block_id", kInteger, kLaunchSizes}});
inline constexpr auto kMemsetColumns =
    joined(kGpuEventColumns, {{"num_bytes", kInteger, "Bytes of memory operations"}});
inline constexpr auto kMemcpyColumns =
    joined(kMemsetColumns, {{"copy_kind", kInteger, "Directions of copies"}});
inline constexpr auto kSyncColumns =
    joined(kApiCallColumns, {{"sync_type", kInteger, "Kinds of synchronizations"},
                             {"event_id", kInteger, "CUDA events of synchronizations"},
                             {"device_id", kInteger, "Devices of synchronizations"}});

inline constexpr TableSpec kKernels{"read_only_kernels", kKernelColumns, "Reading kernels"};
inline constexpr TableSpec kMemcpys{"read_only_memcpys", kMemcpyColumns, "Reading copies",
                                    "Copies between host and GPU"};
inline constexpr TableSpec kMemsets{"read_only_memsets", kMemsetColumns, "Reading memsets",
                                    "Memsets"};
inline constexpr TableSpec kSyncs{"read_only_cuda_syncs", kSyncColumns, "Reading synchronizations",
                                  "CUDA synchronizations"};
inline constexpr TableSpec kApiCalls{"read_only_cuda_calls", kApiCallColumns,
                                     "Reading CUDA API calls",
                                     "CUDA API calls without GPU activity"};

}  // namespace dlview::import::dlprof
