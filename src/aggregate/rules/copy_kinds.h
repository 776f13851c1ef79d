// ENUM_CUDA_MEMCPY_OPER: values of MemoryOps::copy_kind.
#pragma once

#include <cstdint>

namespace dlview::aggregate {

inline constexpr int8_t kHostToDevice = 1, kDeviceToHost = 2, kDeviceToDevice = 8;

}  // namespace dlview::aggregate
