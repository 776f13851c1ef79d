// Planted problems: kernels, idle GPUs and single slow steps.

#include <algorithm>
#include <array>

#include "generate/programs/problem_parts.h"

namespace dlview::generate::programs {
namespace {

// --- Kernels.

Kernel all_reduce(int64_t ns) {
  return {"ncclDevKernel_AllReduce_Sum_f16_RING_LL",
          "ncclDevKernel_AllReduce_Sum_f16_RING_LL(ncclDevKernelArgsStorage<4096>)", ns};
}

// Begins when all that was launched is done.
void reduce(JobProcess& p, int64_t ns) {
  p.communication.free_ns = std::max(p.communication.free_ns, p.compute.free_ns);
  p.main.launch(all_reduce(ns), p.communication);
}
void wait_for_communication(JobProcess& p) {
  p.compute.free_ns = std::max(p.compute.free_ns, p.communication.free_ns);
}

JobRun reduces_at_the_end(uint64_t seed, bool with) {
  return job(seed,
             {.end =
                  [with](JobProcess& p, int64_t) {
                    if (!with) return;
                    reduce(p, 500 * kUs);
                    wait_for_communication(p);
                  }},
             2);
}
JobRun reduces_partly_beside_kernels(uint64_t seed, bool with) {
  return job(seed,
             {.backward =
                  [with](JobProcess& p, int64_t) {
                    if (with) reduce(p, 2'900 * kUs);
                  },
              .end = [](JobProcess& p, int64_t) { wait_for_communication(p); }},
             2);
}
JobRun reduces_in_layers(uint64_t seed, bool with) {
  return job(seed,
             {.layer =
                  [with](JobProcess& p, int64_t, int64_t layer) {
                    if (!with || !is_third(layer)) return;
                    reduce(p, 150 * kUs);
                    wait_for_communication(p);
                  }},
             4);
}
JobRun reduces_beside_kernels(uint64_t seed, bool with) {
  return job(seed,
             {.backward =
                  [with](JobProcess& p, int64_t) {
                    if (with) reduce(p, 1'500 * kUs);
                  },
              .end = [](JobProcess& p, int64_t) { wait_for_communication(p); }},
             2);
}
JobRun short_reduces(uint64_t seed, bool with) {
  return job(seed,
             {.end =
                  [with](JobProcess& p, int64_t) {
                    if (!with) return;
                    reduce(p, 30 * kUs);
                    wait_for_communication(p);
                  }},
             2);
}
JobRun seldom_reduces(uint64_t seed, bool with) {
  return job(seed,
             {.end =
                  [with](JobProcess& p, int64_t step) {
                    if (!with || step % kSeldom != 0) return;
                    reduce(p, 400 * kUs);
                    wait_for_communication(p);
                  }},
             2);
}

JobRun transposes(uint64_t seed, bool with, const Kernel& kernel, int64_t processes = 1) {
  return job(seed,
             {.layer =
                  [=](JobProcess& p, int64_t, int64_t) {
                    if (with) p.main.launch(kernel, p.compute);
                  }},
             processes);
}
JobRun transposes_by_short_name(uint64_t seed, bool with) {
  return transposes(seed, with, {"nchwToNhwcKernel", "nchwToNhwcKernel", 35 * kUs});
}
JobRun transposes_by_demangled_name(uint64_t seed, bool with) {
  return transposes(
      seed, with,
      {"kernel", "void cudnn::ops::nhwcToNchwKernel<__half, __half, float, (bool)1, (bool)0>",
       30 * kUs},
      2);
}
JobRun folded_transposes(uint64_t seed, bool with) {
  return transposes(seed, with,
                    {"nhwcToFoldedNhwcKernel", "void nhwcToFoldedNhwcKernel<__half>", 40 * kUs});
}
JobRun other_transposes(uint64_t seed, bool with) {
  return transposes(seed, with,
                    {"transpose_readWrite_alignment_kernel",
                     "void transpose_readWrite_alignment_kernel<float2>", 30 * kUs});
}
JobRun short_transposes(uint64_t seed, bool with) {
  return transposes(seed, with, {"nchwToNhwcKernel", "nchwToNhwcKernel", 3 * kUs});
}
JobRun transposes_beside_kernels(uint64_t seed, bool with) {
  return job(seed, {.layer = [with](JobProcess& p, int64_t, int64_t layer) {
               if (!with || !is_third(layer)) return;
               p.main.launch({"nchwToNhwcKernel", "nchwToNhwcKernel", 40 * kUs}, p.copies);
             }});
}

// One GEMM of a step, eight times as long as with Tensor Cores, or more.
JobRun slow_product(uint64_t seed, bool with, const Kernel& kernel, int64_t major = 8) {
  return job(seed,
             {.backward =
                  [=](JobProcess& p, int64_t) {
                    const Kernel fast{"ampere_h16816gemm_128x64_nn", "ampere_h16816gemm_128x64_nn",
                                      kernel.ns / 16};
                    p.main.launch(with ? kernel : fast, p.compute);
                  }},
             1, major);
}
JobRun single_precision_gemm(uint64_t seed, bool with) {
  return slow_product(seed, with, {"ampere_sgemm_128x64_tn", "ampere_sgemm_128x64_tn", 700 * kUs});
}
JobRun convolution_by_demangled_name(uint64_t seed, bool with) {
  return slow_product(
      seed, with,
      {"kernel", "void cudnn::cnn::convolveNd_dgrad_float_engine<float, 5, 512, 6>", 600 * kUs});
}
JobRun simt_gemm(uint64_t seed, bool with) {
  return slow_product(
      seed, with,
      {"Kernel", "void cutlass::Kernel<cutlass_80_simt_sgemm_128x128_8x4_nt_align1>", 800 * kUs});
}
JobRun short_single_precision_gemm(uint64_t seed, bool with) {
  return slow_product(seed, with, {"ampere_sgemm_128x64_tn", "ampere_sgemm_128x64_tn", 30 * kUs});
}
JobRun gemm_on_a_gpu_without_tensor_cores(uint64_t seed, bool with) {
  return slow_product(seed, with, {"maxwell_sgemm_128x64_tn", "maxwell_sgemm_128x64_tn", 700 * kUs},
                      6);
}
JobRun matrix_times_vector(uint64_t seed, bool with) {
  return slow_product(
      seed, with, {"gemv2T_kernel_val", "void gemv2T_kernel_val<int, float, float>", 400 * kUs});
}

// `count` kernels of `kernel_ns`, which the host launches every `host_ns` at least; without the
// problem they are one.
JobRun tiny_kernels(uint64_t seed, bool with, int64_t count, int64_t kernel_ns, int64_t host_ns,
                    int64_t processes = 1) {
  return job(seed,
             {.end =
                  [=](JobProcess& p, int64_t) {
                    const Kernel tiny{"vectorized_elementwise_kernel",
                                      "void at::native::vectorized_elementwise_kernel<4, Add>",
                                      kernel_ns};
                    if (!with) {
                      p.main.launch({tiny.name, tiny.long_name, count * kernel_ns}, p.compute);
                      return;
                    }
                    for (int64_t i = 0; i < count; ++i) {
                      p.main.run(host_ns);
                      p.main.launch(tiny, p.compute);
                    }
                  }},
             processes);
}
JobRun unfused_optimizer(uint64_t seed, bool with) {
  return tiny_kernels(seed, with, 300, 4 * kUs, 18 * kUs);
}
JobRun unfused_losses(uint64_t seed, bool with) {
  return tiny_kernels(seed, with, 200, 3 * kUs, 35 * kUs);
}
JobRun unfused_optimizers_of_two_processes(uint64_t seed, bool with) {
  return tiny_kernels(seed, with, 250, 5 * kUs, 25 * kUs, 2);
}
JobRun few_tiny_kernels(uint64_t seed, bool with) {
  return tiny_kernels(seed, with, 20, 4 * kUs, 18 * kUs);
}
JobRun queued_tiny_kernels(uint64_t seed, bool with) {
  return tiny_kernels(seed, with, 120, 4 * kUs, 1 * kUs);
}
JobRun slow_host(uint64_t seed, bool with) {
  return job(seed, {.layer = [with](JobProcess& p, int64_t, int64_t) {
               if (with) p.main.run(60 * kUs);
             }});
}

// --- Idle GPUs.

// The batch of each step is there `ns` after the one before.
JobRun slow_loader(uint64_t seed, bool with, int64_t ns, int64_t processes = 1) {
  return job(seed,
             {.before_step =
                  [=](JobProcess& p, int64_t step) {
                    if (!with) return;
                    p.loader.run(ns, 5);
                    if (step > 0) p.main.wait_until(p.loader.now_ns());
                  }},
             processes);
}
JobRun input_pipeline(uint64_t seed, bool with) {
  return slow_loader(seed, with, 6'000 * kUs);
}
JobRun input_pipelines_of_two_processes(uint64_t seed, bool with) {
  return slow_loader(seed, with, 5'000 * kUs, 2);
}
JobRun loading_on_the_main_thread(uint64_t seed, bool with) {
  return job(seed, {.before_step = [with](JobProcess& p, int64_t) {
               if (!with) return;
               p.main.range("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
                            [&] { p.main.run(6'000 * kUs, 5); });
             }});
}
JobRun loader_beside_the_gpu(uint64_t seed, bool with) {
  return slow_loader(seed, with, 2'800 * kUs);
}
JobRun one_late_batch(uint64_t seed, bool with) {
  return job(seed, {.before_step = [with](JobProcess& p, int64_t step) {
               if (with && step == 15) p.main.run(3'500 * kUs);
             }});
}
JobRun python_beside_the_gpu(uint64_t seed, bool with) {
  return job(seed, {.end = [with](JobProcess& p, int64_t) {
               if (with) p.main.run(1'800 * kUs);
             }});
}

// --- Single steps that take longer.

constexpr int64_t kSlowStep = 13;

JobRun straggling_rank(uint64_t seed, bool with) {
  return job(seed,
             {.end =
                  [with](JobProcess& p, int64_t step) {
                    if (!with || step != kSlowStep) return;
                    reduce(p, 9'000 * kUs);
                    wait_for_communication(p);
                  }},
             2);
}
JobRun stalling_loader(uint64_t seed, bool with) {
  return job(seed, {.before_step = [with](JobProcess& p, int64_t step) {
               if (with && step == kSlowStep) p.main.run(14'000 * kUs, 5);
             }});
}
JobRun lower_clocks(uint64_t seed, bool with) {
  return job(seed, {.kernel_percent = [with](int64_t step) -> int64_t {
               return with && step >= kSlowStep && step < kSlowStep + 3 ? 170 : 100;
             }});
}
JobRun slightly_lower_clocks(uint64_t seed, bool with) {
  return job(seed, {.kernel_percent = [with](int64_t step) -> int64_t {
               return with && step == kSlowStep ? 112 : 100;
             }});
}
JobRun slow_warm_up(uint64_t seed, bool with) {
  return job(seed, {.kernel_percent = [with](int64_t step) -> int64_t {
               return with && step < 2 ? 300 : 100;
             }});
}
JobRun steps_that_take_turns(uint64_t seed, bool with) {
  return job(seed, {.kernel_percent = [with](int64_t step) -> int64_t {
               return with && step % 2 == 0 ? 140 : 100;
             }});
}

constexpr auto kGpuProblems = std::to_array<PlannedProblem>({
    {"exposed_communication_detector", "reduces_at_the_end", !kNear, reduces_at_the_end},
    {"exposed_communication_detector", "reduces_partly_beside_kernels", !kNear,
     reduces_partly_beside_kernels},
    {"exposed_communication_detector", "reduces_in_layers", !kNear, reduces_in_layers},
    {"exposed_communication_detector", "reduces_beside_kernels", kNear, reduces_beside_kernels},
    {"exposed_communication_detector", "short_reduces", kNear, short_reduces},
    {"exposed_communication_detector", "seldom_reduces", kNear, seldom_reduces},
    {"layout_transposes", "transposes_by_short_name", !kNear, transposes_by_short_name},
    {"layout_transposes", "transposes_by_demangled_name", !kNear, transposes_by_demangled_name},
    {"layout_transposes", "folded_transposes", !kNear, folded_transposes},
    {"layout_transposes", "other_transposes", kNear, other_transposes},
    {"layout_transposes", "short_transposes", kNear, short_transposes},
    {"layout_transposes", "transposes_beside_kernels", kNear, transposes_beside_kernels},
    {"cuda_core_products_detector", "single_precision_gemm", !kNear, single_precision_gemm},
    {"cuda_core_products_detector", "convolution_by_demangled_name", !kNear,
     convolution_by_demangled_name},
    {"cuda_core_products_detector", "simt_gemm", !kNear, simt_gemm},
    {"cuda_core_products_detector", "short_single_precision_gemm", kNear,
     short_single_precision_gemm},
    {"cuda_core_products_detector", "gemm_on_a_gpu_without_tensor_cores", kNear,
     gemm_on_a_gpu_without_tensor_cores},
    {"cuda_core_products_detector", "matrix_times_vector", kNear, matrix_times_vector},
    {"launch_bound", "unfused_optimizer", !kNear, unfused_optimizer},
    {"launch_bound", "unfused_losses", !kNear, unfused_losses},
    {"launch_bound", "unfused_optimizers_of_two_processes", !kNear,
     unfused_optimizers_of_two_processes},
    {"launch_bound", "few_tiny_kernels", kNear, few_tiny_kernels},
    {"launch_bound", "queued_tiny_kernels", kNear, queued_tiny_kernels},
    {"launch_bound", "slow_host", kNear, slow_host},
    {"gpu_idle", "input_pipeline", !kNear, input_pipeline},
    {"gpu_idle", "input_pipelines_of_two_processes", !kNear, input_pipelines_of_two_processes},
    {"gpu_idle", "loading_on_the_main_thread", !kNear, loading_on_the_main_thread},
    {"gpu_idle", "loader_beside_the_gpu", kNear, loader_beside_the_gpu},
    {"gpu_idle", "one_late_batch", kNear, one_late_batch},
    {"gpu_idle", "python_beside_the_gpu", kNear, python_beside_the_gpu},
    {"slow_iterations", "straggling_rank", !kNear, straggling_rank},
    {"slow_iterations", "stalling_loader", !kNear, stalling_loader},
    {"slow_iterations", "lower_clocks", !kNear, lower_clocks},
    {"slow_iterations", "slightly_lower_clocks", kNear, slightly_lower_clocks},
    {"slow_iterations", "slow_warm_up", kNear, slow_warm_up},
    {"slow_iterations", "steps_that_take_turns", kNear, steps_that_take_turns},
});

}  // namespace

std::span<const PlannedProblem> gpu_problems() {
  return kGpuProblems;
}

}  // namespace dlview::generate::programs
