#include "generate/limits/planted_run.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "generate/nsys/marker_texts.h"
#include "generate/random.h"

namespace dlview::generate::limits {
namespace {

using profile::Dim3;

constexpr int64_t kPerThread = 4, kElementwiseBlock = 128;

// Data sheets; clocks as nvidia-smi lists them.
constexpr Gpu kV100{.name = "Tesla V100-SXM2-16GB",
                    .cc_major = 7,
                    .cc_minor = 0,
                    .sm_count = 80,
                    .memory_bytes = 16'945'512'448,
                    .l2_bytes = 6'291'456,
                    .shared_per_sm = 98'304,
                    .boost_hz = 1'530e6,
                    .base_hz = 1'290e6,
                    .fp32_flops = 15.7e12,
                    .fp16_flops = 125e12,
                    .bandwidth = 900e9,
                    .memory_hz = 877e6,
                    .bus_bits = 4096,
                    .l2_bytes_per_cycle = 4096};
constexpr Gpu kA100{.name = "NVIDIA A100-SXM4-40GB",
                    .cc_major = 8,
                    .cc_minor = 0,
                    .sm_count = 108,
                    .memory_bytes = 42'505'273'344,
                    .l2_bytes = 41'943'040,
                    .shared_per_sm = 167'936,
                    .boost_hz = 1'410e6,
                    .base_hz = 1'095e6,
                    .fp32_flops = 19.5e12,
                    .fp16_flops = 312e12,
                    .bandwidth = 1555.2e9,
                    .memory_hz = 1'215e6,
                    .bus_bits = 5120,
                    .l2_bytes_per_cycle = 5120};
constexpr Gpu kH100{.name = "NVIDIA H100 80GB HBM3",
                    .cc_major = 9,
                    .cc_minor = 0,
                    .sm_count = 132,
                    .memory_bytes = 84'942'979'072,
                    .l2_bytes = 52'428'800,
                    .shared_per_sm = 233'472,
                    .boost_hz = 1'980e6,
                    .base_hz = 1'590e6,
                    .fp32_flops = 67e12,
                    .fp16_flops = 989.4e12,
                    .bandwidth = 3352.32e9,
                    .memory_hz = 2'619e6,
                    .bus_bits = 5120,
                    .l2_bytes_per_cycle = 6144};

PlantedName plain_name(const std::string& text) {
  return {NameKind::plain, {text, text, text, text, text}};
}

// A type or function as a template argument, in each style.
struct Functor {
  NameKind kind = NameKind::functor;
  std::string demangled, mangled, old_style, new_style;
};

std::string half_or_float(bool is_half, std::string_view half) {
  return is_half ? std::string(half) : "float";
}

Functor add_functor() {
  return {NameKind::functor, "at::native::CUDAFunctor_add<c10::Half>",
          "NS0_15CUDAFunctor_addIN3c104HalfEEE", "at::native::CUDAFunctor_add<c10::Half>",
          "CUDAFunctor_add<Half>"};
}

// A lambda in a lambda in a function, as ATen's dispatch macros make them. Nsight Compute of 2025
// leaves out the inner ones.
Functor lambda_in(std::string_view function, bool is_half, int instance) {
  const std::string gcc_type = half_or_float(is_half, "c10::Half");
  const std::string is_function_of = fmt::format("at::native::(anonymous namespace)::{}", function);
  const std::string symbol_type = is_half ? "N3c104HalfE" : "f";
  return {function.find("_kernel") != std::string_view::npos ? NameKind::lambda
                                                             : NameKind::unnamed_lambda,
          fmt::format("{}(at::TensorIteratorBase&)::{{lambda()#1}}::operator()() "
                      "const::{{lambda()#{}}}::operator()() const::{{lambda({})#1}}",
                      is_function_of, instance, gcc_type),
          fmt::format("ZZZNS0_12_GLOBAL__N_1{}{}ERNS_18TensorIteratorBaseEENKUlvE_clEvENKUlvE{}_"
                      "clEvEUl{}E_",
                      function.size(), function,
                      instance > 2 ? fmt::format("{}", instance - 2) : "", symbol_type),
          fmt::format("at::native::<unnamed>::{}(at::TensorIteratorBase &)::[lambda() (instance "
                      "1)]::operator ()() const::[lambda() (instance {})]::operator ()() "
                      "const::[lambda({}) (instance 1)]",
                      function, instance, gcc_type),
          fmt::format("{}(TensorIteratorBase &)::[lambda() (instance 1)]", function)};
}

// PyTorch's kernel for elementwise ops on `arrays` tensors.
PlantedName elementwise_name(const Functor& functor, int arrays) {
  constexpr std::string_view kFunction = "vectorized_elementwise_kernel";
  PlantedName name;
  name.kind = functor.kind;
  name.text = {
      fmt::format("void at::native::{0}<4, {1}, std::array<char*, {2}ul> >(int, {1}, "
                  "std::array<char*, {2}ul>)",
                  kFunction, functor.demangled, arrays),
      fmt::format("_ZN2at6native{}{}ILi4E{}St5arrayIPcLm{}EEEEviT0_T1_", kFunction.size(),
                  kFunction, functor.mangled, arrays),
      std::string(kFunction),
      fmt::format("void at::native::{}<(int)4, {}, std::array<char *, (unsigned long){}>>(int, "
                  "T2, T3)",
                  kFunction, functor.old_style, arrays),
      fmt::format("void {}<4, {}, array<char *, {}>>(int, T2, T3)", kFunction, functor.new_style,
                  arrays)};
  return name;
}

PlantedName cutlass_name(const std::string& gemm) {
  PlantedName name;
  name.kind = NameKind::functor;
  name.text = {fmt::format("void cutlass::Kernel2<{0}>({0}::Params)", gemm),
               fmt::format("_ZN7cutlass7Kernel2I{}{}EEvNT_6ParamsE", gemm.size(), gemm), "Kernel2",
               fmt::format("void cutlass::Kernel2<{}>(T1::Params)", gemm),
               fmt::format("void Kernel2<{}>(Params)", gemm)};
  return name;
}

int64_t ceil_div(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

int64_t bytes_of(bool is_half) {
  return is_half ? 2 : 4;
}

int64_t elements_of(const std::vector<int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

// Adds ops and their kernels to a run.
class Planner {
 public:
  Planner(const LimitsOptions& options, PlantedRun& run) : run_(run), random_(options.seed) {
    run_.gpu = gpu_of(options.gpu);
  }

  void plan() {
    const int64_t side = 256 * random_.between(14, 20);
    add_gemm("up", {side, side, 4096}, {128, 64, 64, 3}, PlantedLimit::math, 82);
    add_balanced_gemm(4096 * random_.between(1, 2));
    add_gemm("head", {128, 512, 1024}, {128, 64, 64, 3}, PlantedLimit::neither, 0, 12'000);
    add_gemm("odd", {5185, 1000, 1024}, {256, 128, 32, 3}, PlantedLimit::neither, 45);
    add_swizzled_gemm();
    add_float_gemm(256 * random_.between(7, 10));
    add_batched_gemm(32 * random_.between(2, 4));
    add_convolution();
    const int64_t wide = (int64_t{1} << 24) * random_.between(3, 5);
    add_elementwise({"relu", "aten::relu", 2, lambda_in("launch_clamp_scalar", true, 7), {}}, wide,
                    {PlantedLimit::memory, 84});
    run_.ops.back().uses_both_streams = true;
    add_elementwise({"add", "aten::add", 3, add_functor(), {.add = 1}}, wide,
                    {PlantedLimit::memory, 86});
    add_elementwise({"gelu",
                     "aten::gelu",
                     2,
                     lambda_in("gelu_kernel", true, 3),
                     {.add = 2, .mul = 3, .fma = 6}},
                    wide, {PlantedLimit::neither, 41});
    run_.kernels.back().busy_percent = 88.9;  // with transcendental functions, which are no FLOP
    // Nsight Compute of 2025 gives these two one name.
    const int64_t small = int64_t{1} << random_.between(18, 20);
    const Counts silu{.add = 1, .mul = 2, .fma = 3};
    add_elementwise({"silu", "aten::silu", 2, lambda_in("silu_kernel", true, 6), silu}, small,
                    {PlantedLimit::neither, 0, 9'000});
    add_elementwise({"silu", "aten::silu", 2, lambda_in("silu_kernel", false, 2), silu, false},
                    small, {PlantedLimit::neither, 0, 11'000});
    run_.ops.back().name = "/module/Net::forward/loss/silu";
    add_elementwise({"clone", "aten::copy_", 2, lambda_in("direct_copy_kernel_cuda", true, 12), {}},
                    wide, {PlantedLimit::memory, 78});
    run_.ops.back().flops = 0;
    run_.ops.back().flops_exact = true;
  }

  void schedule(int64_t iterations) {
    int64_t host_ns = 1'000'000;
    run_.warm_up.first = host_ns;
    for (int i = 0; i < 2; ++i) {
      host_ns += random_.between(4'000, 9'000);
      launch({.kernel = 0}, host_ns);
    }
    run_.warm_up.second = host_ns + 3'000;
    host_ns = std::max(host_ns, *std::ranges::max_element(free_ns_)) + 200'000;
    for (int64_t iteration = 1; iteration <= iterations; ++iteration) {
      const int64_t begin = host_ns;
      for (std::size_t op = 0; op < run_.ops.size(); ++op) {
        play(op, iteration, false, host_ns);
        if (run_.ops[op].uses_both_streams) play(op, iteration, true, host_ns);
      }
      host_ns += 5'000;
      run_.steps.emplace_back(begin, host_ns);
      host_ns = std::max(host_ns, *std::ranges::max_element(free_ns_)) + 50'000;
    }
    std::ranges::stable_sort(run_.launches, {}, &PlantedLaunch::start_ns);
  }

 private:
  struct Tiling {
    int64_t m = 0, n = 0, k = 0, stages = 0;
  };
  struct Counts {  // of each element
    int64_t add = 0, mul = 0, fma = 0;
  };
  struct Elementwise {
    std::string_view type, torch_name;
    int arrays = 2;  // inputs and output
    Functor functor;
    Counts counts;
    bool is_half = true;
  };
  // The class, and how close to the nearest roof; or how long.
  struct Target {
    PlantedLimit limit = PlantedLimit::neither;
    int64_t percent = 0, ns = 0;
  };

  bool is_volta() const { return run_.gpu.cc_major == 7; }

  // The last op's time follows from its work, unless `ns` says it.
  void finish(PlantedOp op, PlantedKernel kernel, int64_t percent, int64_t ns) {
    const double peak = kernel.tensor_cores ? run_.gpu.fp16_flops : run_.gpu.fp32_flops;
    const double roof_ns = 1e9 * std::max(static_cast<double>(op.flops) / peak,
                                          static_cast<double>(op.bytes) / run_.gpu.bandwidth);
    kernel.ns = ns > 0 ? ns : std::llround(roof_ns * 100 / static_cast<double>(percent));
    const int64_t read = op.bytes - elements_of(op.output) * bytes_of(op.is_half);
    kernel.dram_read = read * random_.between(100, 103) / 100 / 32 * 32;
    kernel.dram_write = (op.bytes - read) / 32 * 32;
    kernel.l2_bytes = (kernel.dram_read + kernel.dram_write) * random_.between(110, 135) / 100;
    kernel.l1_bytes = kernel.l2_bytes * random_.between(105, 130) / 100;
    op.kernel = run_.kernels.size();
    run_.kernels.push_back(std::move(kernel));
    run_.ops.push_back(std::move(op));
  }

  static PlantedOp gemm_op(std::string_view module, const PlantedGemm& gemm, bool is_half = true) {
    PlantedOp op;
    op.is_half = is_half;
    op.name = fmt::format("/module/Net::forward/{}/linear", module);
    op.type = "linear";
    op.torch_name = "aten::mm";
    op.inputs = {{gemm.m, gemm.k}, {gemm.k, gemm.n}};
    op.output = {gemm.m, gemm.n};
    op.input_types.assign(2, half_or_float(is_half, "c10::Half"));
    op.is_gemm = true;
    op.gemm = gemm;
    op.flops = 2 * gemm.m * gemm.n * gemm.k * gemm.batch;
    op.bytes =
        bytes_of(is_half) * gemm.batch * (gemm.m * gemm.k + gemm.k * gemm.n + gemm.m * gemm.n);
    return op;
  }

  PlantedKernel gemm_kernel(const PlantedGemm& gemm, const Tiling& tiling) const {
    PlantedKernel kernel;
    const int64_t m = ceil_div(gemm.m, tiling.m), n = ceil_div(gemm.n, tiling.n);
    kernel.grid = {static_cast<int32_t>(m), static_cast<int32_t>(n),
                   static_cast<int32_t>(gemm.batch)};
    kernel.block.x = tiling.m * tiling.n >= 256 * 128 ? 256 : 128;
    kernel.registers = kernel.block.x == 256 ? 230 : 166;
    kernel.shared_bytes = std::min((tiling.m + tiling.n) * tiling.k * 2 * tiling.stages,
                                   run_.gpu.shared_per_sm - 2048);
    kernel.tensor_cores = true;
    // Padding is computed, too.
    kernel.tensor_ops =
        2 * m * tiling.m * n * tiling.n * ceil_div(gemm.k, tiling.k) * tiling.k * gemm.batch;
    kernel.fmul = gemm.m * gemm.n * gemm.batch;  // alpha
    return kernel;
  }

  std::string tensor_gemm(const Tiling& tiling) const {
    return is_volta()
               ? fmt::format("volta_fp16_s884gemm_fp16_{}x{}_ldg8_f2f_nn", tiling.m, tiling.n)
               : fmt::format("ampere_fp16_s16816gemm_fp16_{}x{}_ldg8_f2f_stages_{}x{}_nn", tiling.m,
                             tiling.n, tiling.k, tiling.stages);
  }
  std::string cutlass_gemm(const Tiling& tiling) const {
    return fmt::format("cutlass_{}_tensorop_f16_s{}gemm_f16_{}x{}_{}x{}_nn_align8",
                       is_volta() ? 70 : 80, is_volta() ? "884" : "16816", tiling.m, tiling.n,
                       tiling.k, tiling.stages);
  }

  void add_gemm(std::string_view module, PlantedGemm gemm, const Tiling& tiling, PlantedLimit limit,
                int64_t percent, int64_t ns = 0) {
    gemm.tile_m = tiling.m;
    gemm.tile_n = tiling.n;
    PlantedOp op = gemm_op(module, gemm);
    op.limit = limit;
    PlantedKernel kernel = gemm_kernel(gemm, tiling);
    kernel.name =
        tiling.k == 32 ? cutlass_name(cutlass_gemm(tiling)) : plain_name(tensor_gemm(tiling));
    finish(std::move(op), std::move(kernel), percent, ns);
  }

  // K so small that memory and Tensor Cores need the same time: both are near their roofs.
  void add_balanced_gemm(int64_t side) {
    const double area = static_cast<double>(side) * static_cast<double>(side);
    const double flop_ns = 2 * area / run_.gpu.fp16_flops;
    const double byte_ns = 4 * static_cast<double>(side) / run_.gpu.bandwidth;
    const double k = 2 * area / run_.gpu.bandwidth / (flop_ns - byte_ns);
    add_gemm("balanced", {side, side, std::llround(k / 8) * 8}, {128, 128, 64, 2},
             PlantedLimit::both, 88);
  }

  // CUTLASS walks the tiles in groups of eight columns: some blocks of the grid are empty.
  void add_swizzled_gemm() {
    constexpr int64_t kSwizzle = 8;
    const PlantedGemm gemm{8192, 128 * random_.between(17, 23), 2048};
    add_gemm("swizzled", gemm, {256, 128, 32, 3}, PlantedLimit::math, 76);
    Dim3& grid = run_.kernels.back().grid;
    grid = {grid.x * static_cast<int32_t>(kSwizzle),
            static_cast<int32_t>(ceil_div(grid.y, kSwizzle)), 1};
  }

  void add_float_gemm(int64_t side) {
    const PlantedGemm gemm{side, side, 2048, 1, 128, is_volta() ? 32 : 64};
    PlantedOp op = gemm_op("float", gemm, false);
    op.limit = PlantedLimit::math;
    PlantedKernel kernel = gemm_kernel(gemm, {gemm.tile_m, gemm.tile_n, 8, 2});
    kernel.name = plain_name(is_volta() ? "volta_sgemm_128x32_nn" : "ampere_sgemm_128x64_nn");
    kernel.tensor_cores = false;
    kernel.ffma = kernel.tensor_ops / 2;
    kernel.tensor_ops = 0;
    kernel.registers = 122;
    kernel.shared_bytes = 16'384;
    finish(std::move(op), std::move(kernel), 85, 0);
  }

  void add_batched_gemm(int64_t batch) {
    const PlantedGemm gemm{512, 512, 64, batch};
    add_gemm("attention", gemm, {64, 64, 64, 2}, PlantedLimit::memory, 77);
    PlantedOp& op = run_.ops.back();
    op.name = "/module/Net::forward/attention/bmm";
    op.type = "bmm";
    op.torch_name = "aten::bmm";
    op.inputs = {{batch, gemm.m, gemm.k}, {batch, gemm.k, gemm.n}};
    op.output = {batch, gemm.m, gemm.n};
  }

  // 1 x 1, stride 1, no padding: all formats say its output.
  void add_convolution() {
    constexpr int64_t kBatch = 32, kIn = 256, kOut = 512, kSize = 56;
    const PlantedGemm gemm{kBatch * kSize * kSize, kOut, kIn, 1, 128, 128};
    PlantedOp op = gemm_op("conv", gemm);
    op.name = "/module/Net::forward/conv/conv2d";
    op.type = "conv2d";
    op.torch_name = "aten::convolution";
    op.inputs = {{kBatch, kIn, kSize, kSize}, {kOut, kIn, 1, 1}};
    op.output = {kBatch, kOut, kSize, kSize};
    op.concrete = {"", "[1, 1]", "[0, 0]", "[1, 1]", "False", "[0, 0]", "1"};
    op.is_gemm = false;
    PlantedKernel kernel = gemm_kernel(gemm, {128, 128, 32, 4});
    kernel.name = plain_name(
        is_volta() ? "volta_fp16_s884cudnn_fp16_128x128_ldg8_relu_f2f_exp_small_nhwc_tn_v1"
                   : "sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize"
                     "128x128x32_stage4_warpsize2x2x1_g1_tensor16x8x16_kernel_cudnn");
    op.limit = PlantedLimit::neither;
    finish(std::move(op), std::move(kernel), 62, 0);
  }

  void add_elementwise(const Elementwise& kind, int64_t elements, const Target& target) {
    PlantedOp op;
    op.name = fmt::format("/module/Net::forward/{0}/{0}", kind.type);
    op.type = kind.type;
    op.torch_name = kind.torch_name;
    op.is_half = kind.is_half;
    // Ops of a trace that differ in type alone are one: the shapes differ, too.
    const int64_t columns = kind.is_half ? 1024 : 2048;
    const std::vector<int64_t> shape{elements / columns, columns};
    // copy_ has its target as the first input.
    const int inputs = kind.torch_name == "aten::copy_" ? 2 : kind.arrays - 1;
    op.inputs.assign(static_cast<std::size_t>(inputs), shape);
    op.input_types.assign(static_cast<std::size_t>(inputs),
                          half_or_float(kind.is_half, "c10::Half"));
    op.output = shape;
    op.flops = elements;
    op.flops_exact = false;
    op.bytes = bytes_of(kind.is_half) * elements * kind.arrays;
    op.limit = target.limit;
    PlantedKernel kernel;
    kernel.name = elementwise_name(kind.functor, kind.arrays);
    kernel.grid.x = static_cast<int32_t>(elements / (kElementwiseBlock * kPerThread));
    kernel.block.x = static_cast<int32_t>(kElementwiseBlock);
    kernel.registers = 24 + 4 * kind.arrays;
    kernel.fadd = kind.counts.add * elements;
    kernel.fmul = kind.counts.mul * elements;
    kernel.ffma = kind.counts.fma * elements;
    finish(std::move(op), std::move(kernel), target.percent, target.ns);
  }

  void play(std::size_t op, int64_t iteration, bool is_other_stream, int64_t& host_ns) {
    PlantedLaunch planned{
        .kernel = run_.ops[op].kernel, .op = static_cast<int64_t>(op), .iteration = iteration};
    planned.op_start_ns = host_ns += random_.between(2'000, 4'000);
    planned.stream = is_other_stream ? kOtherStream : 7;
    planned.sequence = ++sequence_;
    host_ns += random_.between(2'000, 6'000);
    PlantedLaunch& launched = launch(planned, host_ns);
    launched.op_end_ns = host_ns += random_.between(1'000, 2'000);
  }

  PlantedLaunch& launch(PlantedLaunch planned, int64_t& host_ns) {
    planned.api_start_ns = host_ns;
    planned.api_end_ns = host_ns += random_.between(3'000, 6'000);
    int64_t& free_ns = free_ns_[planned.stream == kOtherStream ? 1 : 0];
    // No two kernels start at the same time.
    last_start_ns_ = planned.start_ns =
        std::max({planned.api_end_ns + 1'500, free_ns + 900, last_start_ns_ + 1});
    planned.end_ns = planned.start_ns +
                     std::max<int64_t>(1'000, random_.around(run_.kernels[planned.kernel].ns, 4));
    free_ns = planned.end_ns;
    run_.launches.push_back(planned);
    return run_.launches.back();
  }

  PlantedRun& run_;
  Random random_;
  std::array<int64_t, 2> free_ns_{};  // by stream
  int64_t last_start_ns_ = 0, sequence_ = 0;
};

}  // namespace

const Gpu& gpu_of(LimitsGpu gpu) {
  return gpu == LimitsGpu::v100 ? kV100 : gpu == LimitsGpu::a100 ? kA100 : kH100;
}

std::string_view to_text(PlantedLimit limit) {
  constexpr std::string_view kTexts[] = {"math", "memory", "both", "neither"};
  return kTexts[static_cast<std::size_t>(limit)];
}

int64_t BlockLimits::least() const {
  return std::max<int64_t>(1, std::min({registers, shared_memory, warps, blocks}));
}

BlockLimits block_limits(const Gpu& gpu, const PlantedKernel& kernel) {
  constexpr int64_t kRegisters = 65'536, kWarp = 32, kWarps = 64, kSystemBytes = 1'024;
  const int64_t warps = ceil_div(kernel.block.x, kWarp);
  const int64_t allocated = ceil_div(kernel.registers, 8) * 8 * kWarp;  // of a warp
  BlockLimits limits;
  limits.registers = kRegisters / allocated / 4 * 4 / warps;
  limits.shared_memory =
      kernel.shared_bytes == 0 ? 32 : gpu.shared_per_sm / (kernel.shared_bytes + kSystemBytes);
  limits.warps = kWarps / warps;
  return limits;
}

PlantedRun plan_run(const LimitsOptions& options) {
  PlantedRun run;
  Planner planner(options, run);
  planner.plan();
  planner.schedule(options.iterations);
  return run;
}

}  // namespace dlview::generate::limits
