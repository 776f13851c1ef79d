#include "aggregate/limits/math_type.h"

namespace dlview::aggregate {

std::string_view to_text(MathType type) {
  switch (type) {
    case MathType::fp64:
      return "FP64";
    case MathType::fp64_tensor:
      return "FP64 Tensor";
    case MathType::fp32:
      return "FP32";
    case MathType::fp32_tensor:
      return "FP32 Tensor";
    case MathType::tf32_tensor:
      return "TF32 Tensor";
    case MathType::fp16:
      return "FP16";
    case MathType::fp16_tensor:
      return "FP16 Tensor";
    case MathType::bf16_tensor:
      return "BF16 Tensor";
    case MathType::fp8_tensor:
      return "FP8 Tensor";
    case MathType::int8_tensor:
      return "INT8 Tensor";
  }
  return "";
}

std::optional<MathType> math_type(std::string_view data_type, bool uses_tensor_cores) {
  const auto is = [data_type](auto... names) { return ((data_type == names) || ...); };
  if (is("float64", "double")) return uses_tensor_cores ? MathType::fp64_tensor : MathType::fp64;
  if (is("float32", "float", "tf32")) {
    return uses_tensor_cores ? MathType::tf32_tensor : MathType::fp32;
  }
  if (is("float16", "half")) return uses_tensor_cores ? MathType::fp16_tensor : MathType::fp16;
  // Outside of Tensor Cores, BF16 is computed in FP32.
  if (is("bfloat16")) return uses_tensor_cores ? MathType::bf16_tensor : MathType::fp32;
  if (data_type.starts_with("float8")) return MathType::fp8_tensor;
  if (is("int8", "uint8", "qint8", "quint8") && uses_tensor_cores) return MathType::int8_tensor;
  return std::nullopt;
}

}  // namespace dlview::aggregate
