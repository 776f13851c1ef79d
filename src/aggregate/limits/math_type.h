// MathType: the number format and the units in which an op computes. It decides which peak applies.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace dlview::aggregate {

// With "tensor": on Tensor Cores (NVIDIA) or Matrix Cores (AMD).
enum class MathType : uint8_t {
  fp64,
  fp64_tensor,
  fp32,
  fp32_tensor,  // of AMD: FP32 on Matrix Cores
  tf32_tensor,
  fp16,
  fp16_tensor,
  bf16_tensor,
  fp8_tensor,
  int8_tensor,
};
inline constexpr int kMathTypes = 10;

// "FP16 Tensor".
std::string_view to_text(MathType type);

// Returns the type in which an op of this data type (Ops::data_type: "bfloat16", "float32")
// computes. FP32 on Tensor Cores is TF32. nullopt for other data types.
std::optional<MathType> math_type(std::string_view data_type, bool uses_tensor_cores);

}  // namespace dlview::aggregate
