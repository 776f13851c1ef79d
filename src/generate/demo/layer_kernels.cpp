#include "generate/demo/layer_kernels.h"

#include <algorithm>
#include <string_view>

#include "generate/demo/matrix_kernels.h"

namespace dlview::generate::demo {
namespace {

constexpr int64_t kHalfBytes = 2;

int64_t bytes_per_us(Platform platform) {
  return platform == Platform::pytorch_on_ampere ? 1'150'000 : 700'000;
}

// A kernel that is bound by the memory it moves.
KernelSpec elementwise(Platform platform, std::string_view name, std::string_view long_name,
                       int64_t elements, int64_t accesses) {
  constexpr int64_t kBlock = 128, kPerThread = 4, kLeastNs = 1'900;
  KernelSpec kernel;
  kernel.name = name;
  kernel.long_name = long_name;
  kernel.gpu_ns = kLeastNs + elements * kHalfBytes * accesses * 1000 / bytes_per_us(platform);
  const int64_t grid = std::max<int64_t>(1, elements / (kBlock * kPerThread));
  kernel.grid.x = static_cast<int32_t>(std::min<int64_t>(grid, 1 << 24));
  kernel.block.x = kBlock;
  return kernel;
}

struct NamedWork {
  std::string_view forward, forward_long, backward, backward_long;
  int64_t forward_accesses, backward_accesses;
};

constexpr NamedWork kBatchNorm{
    "bn_fw_tr_1C11_kernel_NCHW",
    "void cudnn::bn_fw_tr_1C11_kernel_NCHW<__half, float, (int)512, (bool)1, (int)1, (bool)1>"
    "(cudnnTensorStruct, const T1 *, cudnnTensorStruct, T1 *, const T2 *, T2, T2, T2 *)",
    "bn_bw_1C11_kernel_new",
    "void cudnn::bn_bw_1C11_kernel_new<__half, float, float2, (int)512, (bool)1, (int)1>"
    "(T2, T2, T2, T2, cudnnTensorStruct, const T1 *, const T1 *, T1 *, const T2 *, T2 *)",
    3,
    5};

NamedWork pytorch_work(LayerKind kind) {
  switch (kind) {
    case LayerKind::batch_norm:
      return kBatchNorm;
    case LayerKind::relu:
      return {
          "vectorized_elementwise_kernel",
          "void at::native::vectorized_elementwise_kernel<(int)4, at::native::clamp_min_scalar_"
          "kernel_impl::[lambda() (instance 7)], at::detail::Array<char *, (int)2>>(int, T2, T3)",
          "vectorized_elementwise_kernel",
          "void at::native::vectorized_elementwise_kernel<(int)4, at::native::threshold_kernel_"
          "impl<c10::Half>::[lambda() (instance 1)], at::detail::Array<char *, (int)3>>"
          "(int, T2, T3)",
          2,
          3};
    case LayerKind::add:
      return {"vectorized_elementwise_kernel",
              "void at::native::vectorized_elementwise_kernel<(int)4, at::native::BinaryFunctor<"
              "c10::Half, c10::Half, c10::Half, at::native::AddFunctor<float>>, "
              "at::detail::Array<char *, (int)3>>(int, T2, T3)",
              "",
              "",
              3,
              0};
    case LayerKind::max_pool:
      return {"max_pool_forward_nchw",
              "void at::native::<unnamed>::max_pool_forward_nchw<c10::Half, c10::Half>(int, const "
              "T1 *, int, int, int, int, int, int, int, int, T1 *, long *)",
              "max_pool_backward_nchw",
              "void at::native::<unnamed>::max_pool_backward_nchw<c10::Half, float>(const T1 *, "
              "const long *, int, int, int, int, int, int, int, int, T1 *)",
              4,
              7};
    case LayerKind::average_pool:
      return {"reduce_kernel",
              "void at::native::reduce_kernel<(int)512, (int)1, at::native::ReduceOp<c10::Half, "
              "at::native::MeanOps<float, float>, unsigned int, c10::Half, (int)4>>(T3)",
              "elementwise_kernel",
              "void at::native::elementwise_kernel<(int)128, (int)4, at::native::gpu_kernel_impl<"
              "at::native::MulScalarFunctor<c10::Half, float>>::[lambda(int)]>(int, T3)",
              2,
              2};
    case LayerKind::softmax:
      return {
          "cunn_SoftMaxForward",
          "void <unnamed>::cunn_SoftMaxForward<(int)8, float, float, float, "
          "at::native::<unnamed>::LogSoftMaxForwardEpilogue>(T4 *, const T2 *, int)",
          "cunn_SoftMaxBackward",
          "void <unnamed>::cunn_SoftMaxBackward<(int)8, float, float, float, "
          "at::native::<unnamed>::LogSoftMaxBackwardEpilogue>(T2 *, const T4 *, const T4 *, int)",
          4,
          6};
    case LayerKind::loss:
      return {"nll_loss_forward_reduce_cuda_kernel_2d",
              "void at::native::<unnamed>::nll_loss_forward_reduce_cuda_kernel_2d<float, float>"
              "(T1 *, T1 *, T1 *, long *, T1 *, bool, int, int, int, long)",
              "nll_loss_backward_reduce_cuda_kernel_2d",
              "void at::native::<unnamed>::nll_loss_backward_reduce_cuda_kernel_2d<float>(T1 *, "
              "T1 *, long *, T1 *, T1 *, bool, int, int, int, long)",
              2,
              2};
    default:
      return {};
  }
}

NamedWork tensorflow_work(LayerKind kind) {
  switch (kind) {
    case LayerKind::batch_norm:
      return kBatchNorm;
    case LayerKind::relu:
      return {"EigenMetaKernel",
              "void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<TensorCwiseBinaryOp<"
              "scalar_max_op<Eigen::half>>, Eigen::GpuDevice>, int>(T1, T2)",
              "ReluGradHalfKernel",
              "void tensorflow::functor::ReluGradHalfKernel(const Eigen::half *, const Eigen::half "
              "*, Eigen::half *, int)",
              2,
              3};
    case LayerKind::add:
      return {"EigenMetaKernel",
              "void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<TensorCwiseBinaryOp<"
              "scalar_sum_op<Eigen::half>>, Eigen::GpuDevice>, int>(T1, T2)",
              "",
              "",
              3,
              0};
    case LayerKind::max_pool:
      return {"pooling_fw_4d_kernel",
              "void cudnn::detail::pooling_fw_4d_kernel<__half, float, cudnn::detail::maxpooling_"
              "func<float>, (int)0>(cudnnTensorStruct, const T1 *, cudnnTensorStruct, T1 *)",
              "pooling_bw_kernel_max_nchw",
              "void cudnn::detail::pooling_bw_kernel_max_nchw<__half, float>(cudnnTensorStruct, "
              "const T1 *, const T1 *, const T1 *, T1 *)",
              4,
              7};
    case LayerKind::average_pool:
      return {"ColumnReduceKernel",
              "void tensorflow::functor::ColumnReduceKernel<const Eigen::half *, Eigen::half *, "
              "cub::Sum>(T1, T2, int, int, T3)",
              "EigenMetaKernel",
              "void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<TensorBroadcastingOp<"
              "Eigen::half>, Eigen::GpuDevice>, int>(T1, T2)",
              2,
              2};
    case LayerKind::softmax:
      return {"GenerateNormalizedProb",
              "void tensorflow::<unnamed>::GenerateNormalizedProb<float, float>(const T1 *, const "
              "T2 *, const T1 *, T1 *, int, int, bool)",
              "EigenMetaKernel",
              "void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<TensorCwiseBinaryOp<"
              "scalar_product_op<float>>, Eigen::GpuDevice>, int>(T1, T2)",
              4,
              6};
    case LayerKind::loss:
      return {"SparseXentLossKernel",
              "void Eigen::internal::EigenMetaKernel<SparseXentLossGenerator<float, int>>(T1, int)",
              "SparseXentGradKernel",
              "void Eigen::internal::EigenMetaKernel<SparseXentGradGenerator<float, int>>(T1, int)",
              2,
              2};
    default:
      return {};
  }
}

}  // namespace

std::vector<KernelSpec> layer_kernels(Platform platform, const Layer& layer, Direction direction) {
  if (layer.kind == LayerKind::convolution || layer.kind == LayerKind::linear) {
    return matrix_kernels(platform, layer, direction);
  }
  const NamedWork work = platform == Platform::pytorch_on_ampere ? pytorch_work(layer.kind)
                                                                 : tensorflow_work(layer.kind);
  if (direction == Direction::weight_gradient) return {};
  const bool forward = direction == Direction::forward;
  const std::string_view name = forward ? work.forward : work.backward;
  if (name.empty()) return {};
  return {elementwise(platform, name, forward ? work.forward_long : work.backward_long,
                      layer.output_elements(),
                      forward ? work.forward_accesses : work.backward_accesses)};
}

KernelSpec optimizer_kernel(Platform platform, int number) {
  constexpr int64_t kParametersPerLaunch = 6'400'000;
  if (platform == Platform::tensorflow_on_volta) {
    return elementwise(platform, "ApplyMomentumKernel",
                       "void tensorflow::functor::ApplyMomentumKernel<float>(T1 *, T1 *, const T1 "
                       "*, T1, T1, bool, int)",
                       kParametersPerLaunch, 6);
  }
  const bool unscales = number == 0;  // the first launch checks and unscales the gradients
  return elementwise(
      platform, "multi_tensor_apply_kernel",
      unscales ? "void multi_tensor_apply_kernel<TensorListMetadata<(int)2>, ScaleFunctor<float, "
                 "float>, float>(long, volatile int *, T1, T2, T3)"
               : "void multi_tensor_apply_kernel<TensorListMetadata<(int)4>, SGDFunctor<(int)4, "
                 "float, c10::Half>, float, float, float, float, bool, bool, bool, float>"
                 "(long, volatile int *, T1, T2, T3, T3, T3, T3, T4, T4, T4, T3)",
      kParametersPerLaunch, unscales ? 4 : 10);
}

KernelSpec all_reduce_kernel(int64_t bytes) {
  constexpr int64_t kBytesPerUs = 40'000, kLatencyNs = 22'000;
  KernelSpec kernel;
  kernel.name = "ncclKernel_AllReduce_RING_LL_Sum_float";
  kernel.long_name = "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)";
  kernel.gpu_ns = kLatencyNs + bytes * 1000 / kBytesPerUs;
  kernel.grid.x = 4;
  kernel.block.x = 512;
  kernel.communication = true;
  return kernel;
}

KernelSpec random_fill_kernel() {
  return elementwise(
      Platform::pytorch_on_ampere, "distribution_elementwise_grid_stride_kernel",
      "void at::native::<unnamed>::distribution_elementwise_grid_stride_kernel<float, (int)4, "
      "at::native::templates::cuda::normal_and_transform<float, float>>(int, at::PhiloxCudaState, "
      "T3, T4)",
      2'300'000, 2);
}

}  // namespace dlview::generate::demo
