#include "generate/demo/matrix_kernels.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace dlview::generate::demo {
namespace {

struct Tile {
  int width = 128, height = 128;
};

// Narrow outputs are computed in narrow tiles.
Tile tile_of(const Layer& layer) {
  if (layer.out_channels <= 64) return {256, 64};
  if (layer.out_channels <= 128) return {128, 128};
  if (layer.out_channels <= 512) return layer.filter == 1 ? Tile{256, 128} : Tile{128, 128};
  return {128, 256};
}

std::string_view verb(Direction direction) {
  switch (direction) {
    case Direction::forward:
      return "fprop";
    case Direction::data_gradient:
      return "dgrad";
    case Direction::weight_gradient:
      return "wgrad";
  }
  return "";
}

// Which operands are transposed.
std::string_view transposition(Direction direction) {
  switch (direction) {
    case Direction::forward:
      return "tn";
    case Direction::data_gradient:
      return "nn";
    case Direction::weight_gradient:
      return "nt";
  }
  return "";
}

std::string ampere_gemm(Tile tile, Direction direction) {
  return fmt::format("ampere_fp16_s16816gemm_fp16_{}x{}_ldg8_f2f_stages_32x5_{}", tile.width,
                     tile.height, transposition(direction));
}

std::string ampere_convolution(const Layer& layer, Direction direction) {
  const Tile tile = tile_of(layer);
  if (layer.filter == 1 && direction == Direction::forward) return ampere_gemm(tile, direction);
  if (layer.filter == 1 && direction == Direction::weight_gradient) {
    return fmt::format("cutlass_80_tensorop_f16_s16816gemm_f16_{}x{}_32x3_nt_align8", tile.width,
                       tile.height);
  }
  const bool strided = layer.out_size != layer.in_size;
  return fmt::format(
      "sm80_xmma_{}_implicit_gemm{}_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize{}x{}x32_stage4_"
      "warpsize2x2x1_g1_tensor16x8x16_kernel_cudnn",
      verb(direction), strided ? "_indexed" : "", tile.width, tile.height);
}

std::string volta_convolution(const Layer& layer, Direction direction) {
  const Tile tile = tile_of(layer);
  switch (direction) {
    case Direction::forward:
      return fmt::format("volta_fp16_s884cudnn_fp16_{}x{}_ldg8_relu_f2f_exp_{}_nhwc_tn_v1",
                         tile.width, tile.height, layer.filter == 1 ? "small" : "medium");
    case Direction::data_gradient:
      return fmt::format("volta_fp16_s884cudnn_fp16_{}x{}_ldg8_dgrad_f2f_exp_small_nhwc_tt_v1",
                         tile.width, tile.height);
    case Direction::weight_gradient:
      return fmt::format("volta_s884cudnn_fp16_{}x{}_ldg8_wgrad_idx_exp_interior_nhwc_nt",
                         tile.width, tile.height);
  }
  return "";
}

std::string tensor_core_name(Platform platform, const Layer& layer, Direction direction) {
  const bool ampere = platform == Platform::pytorch_on_ampere;
  if (layer.kind == LayerKind::convolution) {
    return ampere ? ampere_convolution(layer, direction) : volta_convolution(layer, direction);
  }
  return ampere ? ampere_gemm({64, 64}, direction)
                : fmt::format("volta_fp16_s884gemm_fp16_64x64_sliced1x2_ldg8_f2f_{}",
                              transposition(direction));
}

struct Name {
  std::string_view name, long_name;
};

Name single_precision_name(Platform platform, Direction direction) {
  if (direction == Direction::weight_gradient) {
    return {"wgrad_alg0_engine",
            "void cudnn::cnn::wgrad_alg0_engine<float, (int)512, (int)6, (int)5, (int)3, (int)3, "
            "(int)3, (bool)0, (int)512>(int, int, int, const T1 *, int, T1 *, const T1 *, int)"};
  }
  if (platform == Platform::tensorflow_on_volta) {
    return {"volta_scudnn_128x64_relu_medium_nn_v1", "volta_scudnn_128x64_relu_medium_nn_v1"};
  }
  return {"implicit_convolve_sgemm",
          "void implicit_convolve_sgemm<float, float, (int)1024, (int)5, (int)5, (int)3, (int)3, "
          "(int)3, (int)1, (bool)1, (bool)0, (bool)1>(int, int, int, const T1 *, int, T2 *, T1 *)"};
}

// Multiply-adds per ns that a kernel reaches.
int64_t speed(Platform platform, bool tensor_cores) {
  if (platform == Platform::pytorch_on_ampere) return tensor_cores ? 62'000 : 6'200;
  return tensor_cores ? 30'000 : 4'800;
}

KernelSpec matrix_kernel(Platform platform, const Layer& layer, Direction direction) {
  constexpr int64_t kLeastNs = 3'400;
  KernelSpec kernel;
  kernel.tensor_cores = layer.half_precision;
  if (kernel.tensor_cores) {
    kernel.name = kernel.long_name = tensor_core_name(platform, layer, direction);
  } else {
    const Name name = single_precision_name(platform, direction);
    kernel.name = name.name;
    kernel.long_name = name.long_name;
  }
  kernel.gpu_ns = kLeastNs + layer.multiply_adds() / speed(platform, kernel.tensor_cores);
  if (direction != Direction::forward) kernel.gpu_ns += kernel.gpu_ns / 8;
  const Tile tile = tile_of(layer);
  const int64_t rows = kBatchSize * layer.out_size * layer.out_size;
  kernel.grid.x = static_cast<int32_t>(std::max<int64_t>(1, rows / tile.width));
  kernel.grid.y = static_cast<int32_t>((layer.out_channels + tile.height - 1) / tile.height);
  kernel.block.x = tile.width * tile.height >= 256 * 128 ? 256 : 128;
  return kernel;
}

// Half-precision convolutions of images that lie channel by channel need them pixel by pixel.
KernelSpec reordering_kernel(const Layer& layer) {
  constexpr int64_t kElementsPerUs = 260'000;
  KernelSpec kernel;
  kernel.name = "nchwToNhwcKernel";
  kernel.long_name =
      "void cudnn::ops::nchwToNhwcKernel<__half, __half, float, (bool)0, (bool)1, (cudnnKernelData"
      "Type_t)0>(cudnn::ops::nchw2nhwc_params_t<T3>, const T1 *, T2 *)";
  kernel.gpu_ns = 2'100 + layer.input_elements() * 1000 / kElementsPerUs;
  kernel.grid.x = static_cast<int32_t>(std::max<int64_t>(1, layer.input_elements() / 4096));
  kernel.block.x = 256;
  return kernel;
}

}  // namespace

std::vector<KernelSpec> matrix_kernels(Platform platform, const Layer& layer, Direction direction) {
  if (layer.is_first && direction == Direction::data_gradient) return {};
  std::vector<KernelSpec> kernels;
  const bool reorders = platform == Platform::pytorch_on_ampere && layer.half_precision &&
                        layer.filter > 1 && direction == Direction::forward;
  if (reorders) kernels.push_back(reordering_kernel(layer));
  kernels.push_back(matrix_kernel(platform, layer, direction));
  return kernels;
}

}  // namespace dlview::generate::demo
