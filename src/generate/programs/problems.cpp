#include "generate/programs/problems.h"

#include <algorithm>
#include <array>

namespace dlview::generate::programs {
namespace {

constexpr int64_t kMega = 1'000'000, kUs = 1'000;
constexpr Copy kLossValue{4, 2, false}, kPinnedLossValue{4, 2, true};
constexpr int64_t kSeldom = 12;  // steps

JobRun job(uint64_t seed, const JobHooks& hooks, int64_t processes = 1, int64_t major = 8) {
  return play_job({.seed = seed, .processes = processes, .compute_capability_major = major}, hooks);
}

bool is_third(int64_t layer) {
  return layer % 3 == 2;
}

// --- The host waits.

JobRun item_in_every_third_layer(uint64_t seed, bool with) {
  return job(seed, {.layer = [with](JobProcess& p, int64_t, int64_t layer) {
               if (!is_third(layer)) return;
               if (with) {
                 p.main.copy(kLossValue, p.compute);
                 p.main.synchronize(p.compute);
               }
               p.main.run(60 * kUs);  // Python
             }});
}
JobRun item_at_the_end(uint64_t seed, bool with) {
  return job(seed, {.end = [with](JobProcess& p, int64_t) {
               if (with) p.main.copy_synchronously({8, 2, false}, p.compute);
               p.main.run(400 * kUs);
             }});
}
JobRun items_of_two_processes(uint64_t seed, bool with) {
  return job(seed,
             {.backward =
                  [with](JobProcess& p, int64_t) {
                    if (with) {
                      p.main.copy(kPinnedLossValue, p.compute);
                      p.main.synchronize(p.compute);
                    }
                    p.main.run(250 * kUs);
                  }},
             2);
}
JobRun seldom_item(uint64_t seed, bool with) {
  return job(seed, {.end = [with](JobProcess& p, int64_t step) {
               if (with && step % kSeldom == 0) p.main.copy(kLossValue, p.compute);
               p.main.run(400 * kUs);
             }});
}
JobRun item_of_the_step_before(uint64_t seed, bool with) {
  return job(seed, {.end = [with](JobProcess& p, int64_t) {
               if (with) p.main.copy(kPinnedLossValue, p.compute);
               p.main.run(400 * kUs);
             }});
}
JobRun scalars_to_the_gpu(uint64_t seed, bool with) {
  return job(seed, {.layer = [with](JobProcess& p, int64_t, int64_t) {
               if (with) p.main.copy({16, 1, false}, p.compute);
               p.main.run(10 * kUs);
             }});
}

JobRun synchronize_in_every_third_layer(uint64_t seed, bool with) {
  return job(seed, {.layer = [with](JobProcess& p, int64_t, int64_t layer) {
               if (!is_third(layer)) return;
               if (with) p.main.synchronize(p.compute);
               p.main.run(60 * kUs);
             }});
}
JobRun synchronize_device(uint64_t seed, bool with) {
  return job(seed, {.end = [with](JobProcess& p, int64_t) {
               if (with) p.main.call_when_idle("cudaDeviceSynchronize_v3020", 2 * kUs, p.compute);
               p.main.run(400 * kUs);
             }});
}
JobRun synchronize_two_processes(uint64_t seed, bool with) {
  return job(seed,
             {.backward =
                  [with](JobProcess& p, int64_t) {
                    if (with) p.main.synchronize(p.compute);
                    p.main.run(250 * kUs);
                  }},
             2);
}
JobRun seldom_synchronize(uint64_t seed, bool with) {
  return job(seed, {.end = [with](JobProcess& p, int64_t step) {
               if (with && step % kSeldom == 0) p.main.synchronize(p.compute);
               p.main.run(400 * kUs);
             }});
}
JobRun loader_synchronizes(uint64_t seed, bool with) {
  return job(seed, {.begin = [with](JobProcess& p, int64_t) {
               if (with) p.loader.synchronize(p.copies);
             }});
}
JobRun synchronize_after_launching_ahead(uint64_t seed, bool with) {
  return job(seed, {.end = [with](JobProcess& p, int64_t step) {
               if (!with || step == 0) return;
               const int64_t before = p.finished_ns[static_cast<std::size_t>(step - 1)];
               p.main.wait_for_event(before);
             }});
}

// --- Copies for which the host waits.

JobRun pageable_batch(uint64_t seed, bool with) {
  return job(seed, {.begin =
                        [with](JobProcess& p, int64_t) {
                          if (with) p.main.copy({8 * kMega, 1, false}, p.compute);
                        },
                    .has_loader_copy = !with});
}
JobRun pageable_masks(uint64_t seed, bool with) {
  return job(seed, {.layer = [with](JobProcess& p, int64_t, int64_t layer) {
               if (with && is_third(layer)) p.main.copy({2 * kMega, 1, false}, p.compute);
             }});
}
JobRun pageable_batches_of_two_processes(uint64_t seed, bool with) {
  return job(seed,
             {.begin =
                  [with](JobProcess& p, int64_t) {
                    if (with) p.main.copy({5 * kMega, 1, false}, p.compute);
                  },
              .has_loader_copy = !with},
             2);
}
JobRun pageable_batch_of_the_loader(uint64_t seed, bool with) {
  return job(seed, {.begin =
                        [with](JobProcess& p, int64_t) {
                          if (!with) return;
                          p.loader.wait_until(p.main.now_ns());
                          p.loader.copy({8 * kMega, 1, false}, p.copies);
                        },
                    .has_loader_copy = !with});
}
JobRun small_pageable_copies(uint64_t seed, bool with) {
  return job(seed, {.layer = [with](JobProcess& p, int64_t, int64_t layer) {
               if (with && is_third(layer)) p.main.copy({32'000, 1, false}, p.compute);
             }});
}
JobRun pageable_copies_of_the_warm_up(uint64_t seed, bool with) {
  return job(seed, {.begin = [with](JobProcess& p, int64_t step) {
               if (with && step < 3) p.main.copy({8 * kMega, 1, false}, p.compute);
             }});
}

JobRun outputs_to_pageable_memory(uint64_t seed, bool with) {
  return job(seed, {.end = [with](JobProcess& p, int64_t) {
               if (with) p.main.copy({4 * kMega, 2, false}, p.compute);
               p.main.run(100 * kUs);
             }});
}
JobRun activations_to_pageable_memory(uint64_t seed, bool with) {
  return job(seed, {.layer = [with](JobProcess& p, int64_t, int64_t layer) {
               if (with && is_third(layer)) p.main.copy({1 * kMega, 2, false}, p.compute);
             }});
}
JobRun outputs_of_two_processes(uint64_t seed, bool with) {
  return job(seed,
             {.backward =
                  [with](JobProcess& p, int64_t) {
                    if (with) p.main.copy({6 * kMega, 2, false}, p.compute);
                  }},
             2);
}
JobRun outputs_to_pinned_memory_beside(uint64_t seed, bool with) {
  return job(seed, {.end = [with](JobProcess& p, int64_t) {
               if (with) p.main.copy({4 * kMega, 2, true}, p.copies);
             }});
}
JobRun seldom_outputs(uint64_t seed, bool with) {
  return job(seed, {.end = [with](JobProcess& p, int64_t step) {
               if (with && step % kSeldom == 0) p.main.copy({4 * kMega, 2, false}, p.compute);
             }});
}
JobRun outputs_of_the_loader(uint64_t seed, bool with) {
  return job(seed, {.begin = [with](JobProcess& p, int64_t) {
               if (with) p.loader.copy({2 * kMega, 2, false}, p.copies);
             }});
}

JobRun synchronous_batch(uint64_t seed, bool with) {
  return job(seed, {.begin =
                        [with](JobProcess& p, int64_t) {
                          if (with) p.main.copy_synchronously({8 * kMega, 1, true}, p.compute);
                        },
                    .has_loader_copy = !with});
}
JobRun synchronous_outputs(uint64_t seed, bool with) {
  return job(seed, {.end = [with](JobProcess& p, int64_t) {
               if (with) p.main.copy_synchronously({4 * kMega, 2, false}, p.compute);
               p.main.run(100 * kUs);
             }});
}
JobRun synchronous_copies_of_two_processes(uint64_t seed, bool with) {
  return job(seed,
             {.layer =
                  [with](JobProcess& p, int64_t, int64_t layer) {
                    if (with && is_third(layer)) {
                      p.main.copy_synchronously({1 * kMega, 1, false}, p.compute);
                    }
                  }},
             2);
}
JobRun synchronous_copies_on_the_gpu(uint64_t seed, bool with) {
  return job(seed, {.layer = [with](JobProcess& p, int64_t, int64_t layer) {
               if (with && is_third(layer)) p.main.copy_synchronously({2 * kMega, 8}, p.compute);
             }});
}
JobRun small_synchronous_copies(uint64_t seed, bool with) {
  return job(seed, {.layer = [with](JobProcess& p, int64_t, int64_t layer) {
               if (with && is_third(layer))
                 p.main.copy_synchronously({16'000, 1, false}, p.compute);
             }});
}
JobRun seldom_synchronous_copy(uint64_t seed, bool with) {
  return job(seed, {.begin = [with](JobProcess& p, int64_t step) {
               if (!with || step % kSeldom != 0) return;
               p.main.copy_synchronously({4 * kMega, 1, false}, p.compute);
             }});
}

JobRun memset_of_pinned_memory(uint64_t seed, bool with) {
  return job(seed, {.end = [with](JobProcess& p, int64_t) {
               if (with) p.main.set(12 * kMega, true, false, p.compute);
             }});
}
JobRun memsets_of_pinned_memory(uint64_t seed, bool with) {
  return job(seed, {.layer = [with](JobProcess& p, int64_t, int64_t layer) {
               if (with && is_third(layer)) p.main.set(3 * kMega, true, false, p.compute);
             }});
}
JobRun memsets_of_two_processes(uint64_t seed, bool with) {
  return job(seed,
             {.backward =
                  [with](JobProcess& p, int64_t) {
                    if (with) p.main.set(10 * kMega, true, false, p.compute);
                  }},
             2);
}
JobRun memset_of_the_gpu(uint64_t seed, bool with) {
  return job(seed, {.end = [with](JobProcess& p, int64_t) {
               if (with) p.main.set(12 * kMega, false, false, p.compute);
             }});
}
JobRun asynchronous_memset(uint64_t seed, bool with) {
  return job(seed, {.end = [with](JobProcess& p, int64_t) {
               if (with) p.main.set(500'000, true, true, p.compute);
             }});
}
JobRun seldom_memset(uint64_t seed, bool with) {
  return job(seed, {.end = [with](JobProcess& p, int64_t step) {
               if (with && step % kSeldom == 0) p.main.set(12 * kMega, true, false, p.compute);
             }});
}

JobRun frees_in_steps(uint64_t seed, bool with) {
  return job(seed, {.layer = [with](JobProcess& p, int64_t, int64_t layer) {
               if (!with || layer % 6 != 5) return;
               p.main.call_when_idle("cudaFree_v3020", 120 * kUs, p.compute);
               p.main.call("cudaMalloc_v3020", 150 * kUs);
             }});
}
JobRun many_allocations(uint64_t seed, bool with) {
  return job(seed, {.layer = [with](JobProcess& p, int64_t, int64_t) {
               if (!with) return;
               for (int i = 0; i < 4; ++i) p.main.call("cudaMalloc_v3020", 100 * kUs);
             }});
}
JobRun pinned_allocations_of_two_processes(uint64_t seed, bool with) {
  return job(seed,
             {.backward =
                  [with](JobProcess& p, int64_t) {
                    if (!with) return;
                    p.main.call_when_idle("cudaFreeHost_v3020", 300 * kUs, p.compute);
                    p.main.call("cudaHostAlloc_v3020", 500 * kUs);
                  }},
             2);
}
JobRun allocations_of_the_warm_up(uint64_t seed, bool with) {
  return job(seed, {.layer = [with](JobProcess& p, int64_t step, int64_t) {
               if (!with || step > 2) return;
               for (int i = 0; i < 8; ++i) p.main.call("cudaMalloc_v3020", 100 * kUs);
             }});
}
JobRun allocations_of_a_pool(uint64_t seed, bool with) {
  return job(seed, {.layer = [with](JobProcess& p, int64_t, int64_t) {
               if (with) p.main.call("cudaMallocAsync_v11020", 2 * kUs);
             }});
}
JobRun allocation_far_ahead(uint64_t seed, bool with) {
  return job(seed, {.backward = [with](JobProcess& p, int64_t) {
               if (with) p.main.call("cudaMalloc_v3020", 200 * kUs);
             }});
}

// --- Exposed copies.

JobRun batch_on_the_compute_stream(uint64_t seed, bool with) {
  return job(seed, {.begin =
                        [with](JobProcess& p, int64_t) {
                          if (with) p.main.copy({16 * kMega, 1, true}, p.compute);
                        },
                    .has_loader_copy = !with});
}
JobRun weights_between_layers(uint64_t seed, bool with) {
  return job(seed, {.layer = [with](JobProcess& p, int64_t, int64_t layer) {
               if (with && is_third(layer)) p.main.copy({4 * kMega, 1, true}, p.compute);
             }});
}
JobRun batch_that_comes_late(uint64_t seed, bool with) {
  return job(seed,
             {.begin =
                  [with](JobProcess& p, int64_t) {
                    if (!with) return;
                    // Into the buffer that the step before has used.
                    p.copies.free_ns = std::max(p.copies.free_ns, p.compute.free_ns);
                    p.main.copy({14 * kMega, 1, true}, p.copies);
                    p.compute.free_ns = p.copies.free_ns;
                  },
              .has_loader_copy = !with},
             2);
}
JobRun batch_beside_kernels(uint64_t seed, bool with) {
  return job(seed, {.begin = [with](JobProcess& p, int64_t) {
               if (with) p.main.copy({20 * kMega, 1, true}, p.copies);
             }});
}
JobRun small_copies(uint64_t seed, bool with) {
  return job(seed, {.layer = [with](JobProcess& p, int64_t, int64_t layer) {
               if (with && is_third(layer)) p.main.copy({100'000, 1, true}, p.compute);
             }});
}
JobRun seldom_batch(uint64_t seed, bool with) {
  return job(seed, {.begin = [with](JobProcess& p, int64_t step) {
               if (with && step % kSeldom == 0) p.main.copy({12 * kMega, 1, true}, p.compute);
             }});
}

JobRun outputs_on_the_compute_stream(uint64_t seed, bool with) {
  return job(seed, {.end = [with](JobProcess& p, int64_t) {
               if (with) p.main.copy({12 * kMega, 2, true}, p.compute);
             }});
}
JobRun activations_to_pinned_memory(uint64_t seed, bool with) {
  return job(seed, {.layer = [with](JobProcess& p, int64_t, int64_t layer) {
               if (with && is_third(layer)) p.main.copy({3 * kMega, 2, true}, p.compute);
             }});
}
JobRun outputs_before_the_next_step(uint64_t seed, bool with) {
  return job(seed,
             {.end =
                  [with](JobProcess& p, int64_t) {
                    if (!with) return;
                    p.copies.free_ns = std::max(p.copies.free_ns, p.compute.free_ns);
                    p.main.copy({10 * kMega, 2, true}, p.copies);
                    p.compute.free_ns = p.copies.free_ns;
                  }},
             2);
}
JobRun small_outputs(uint64_t seed, bool with) {
  return job(seed, {.end = [with](JobProcess& p, int64_t) {
               if (with) p.main.copy({1 * kMega, 2, true}, p.compute);
             }});
}
JobRun seldom_outputs_on_the_compute_stream(uint64_t seed, bool with) {
  return job(seed, {.end = [with](JobProcess& p, int64_t step) {
               if (with && step % kSeldom == 0) p.main.copy({12 * kMega, 2, true}, p.compute);
             }});
}

JobRun clones(uint64_t seed, bool with) {
  return job(seed, {.layer = [with](JobProcess& p, int64_t, int64_t layer) {
               if (with && is_third(layer)) p.main.copy({60 * kMega, 8}, p.compute);
             }});
}
JobRun cleared_gradients(uint64_t seed, bool with) {
  return job(seed, {.end = [with](JobProcess& p, int64_t) {
               for (int i = 0; with && i < 8; ++i) p.main.set(30 * kMega, false, true, p.compute);
             }});
}
JobRun clones_of_two_processes(uint64_t seed, bool with) {
  return job(seed,
             {.backward =
                  [with](JobProcess& p, int64_t) {
                    if (with) p.main.copy({240 * kMega, 8}, p.compute);
                  }},
             2);
}
JobRun small_clones(uint64_t seed, bool with) {
  return job(seed, {.layer = [with](JobProcess& p, int64_t, int64_t layer) {
               if (with && is_third(layer)) p.main.copy({1 * kMega, 8}, p.compute);
             }});
}
JobRun clones_beside_kernels(uint64_t seed, bool with) {
  return job(seed, {.begin = [with](JobProcess& p, int64_t) {
               if (with) p.main.copy({200 * kMega, 8}, p.copies);
             }});
}
JobRun seldom_clones(uint64_t seed, bool with) {
  return job(seed, {.end = [with](JobProcess& p, int64_t step) {
               if (with && step % kSeldom == 0) p.main.copy({200 * kMega, 8}, p.compute);
             }});
}

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

constexpr bool kNear = true;
constexpr auto kProblems = std::to_array<PlannedProblem>({
    {"scalar_reads", "item_in_every_third_layer", !kNear, item_in_every_third_layer},
    {"scalar_reads", "item_at_the_end", !kNear, item_at_the_end},
    {"scalar_reads", "items_of_two_processes", !kNear, items_of_two_processes},
    {"scalar_reads", "seldom_item", kNear, seldom_item},
    {"scalar_reads", "item_of_the_step_before", kNear, item_of_the_step_before},
    {"scalar_reads", "scalars_to_the_gpu", kNear, scalars_to_the_gpu},
    {"cuda_api_sync", "synchronize_in_every_third_layer", !kNear, synchronize_in_every_third_layer},
    {"cuda_api_sync", "synchronize_device", !kNear, synchronize_device},
    {"cuda_api_sync", "synchronize_two_processes", !kNear, synchronize_two_processes},
    {"cuda_api_sync", "seldom_synchronize", kNear, seldom_synchronize},
    {"cuda_api_sync", "loader_synchronizes", kNear, loader_synchronizes},
    {"cuda_api_sync", "synchronize_after_launching_ahead", kNear,
     synchronize_after_launching_ahead},
    {"cuda_memcpy_async", "pageable_batch", !kNear, pageable_batch},
    {"cuda_memcpy_async", "pageable_masks", !kNear, pageable_masks},
    {"cuda_memcpy_async", "pageable_batches_of_two_processes", !kNear,
     pageable_batches_of_two_processes},
    {"cuda_memcpy_async", "pageable_batch_of_the_loader", kNear, pageable_batch_of_the_loader},
    {"cuda_memcpy_async", "small_pageable_copies", kNear, small_pageable_copies},
    {"cuda_memcpy_async", "pageable_copies_of_the_warm_up", kNear, pageable_copies_of_the_warm_up},
    {"cuda_memcpy_async_to_host", "outputs_to_pageable_memory", !kNear, outputs_to_pageable_memory},
    {"cuda_memcpy_async_to_host", "activations_to_pageable_memory", !kNear,
     activations_to_pageable_memory},
    {"cuda_memcpy_async_to_host", "outputs_of_two_processes", !kNear, outputs_of_two_processes},
    {"cuda_memcpy_async_to_host", "outputs_to_pinned_memory_beside", kNear,
     outputs_to_pinned_memory_beside},
    {"cuda_memcpy_async_to_host", "seldom_outputs", kNear, seldom_outputs},
    {"cuda_memcpy_async_to_host", "outputs_of_the_loader", kNear, outputs_of_the_loader},
    {"cuda_memcpy_sync", "synchronous_batch", !kNear, synchronous_batch},
    {"cuda_memcpy_sync", "synchronous_outputs", !kNear, synchronous_outputs},
    {"cuda_memcpy_sync", "synchronous_copies_of_two_processes", !kNear,
     synchronous_copies_of_two_processes},
    {"cuda_memcpy_sync", "synchronous_copies_on_the_gpu", kNear, synchronous_copies_on_the_gpu},
    {"cuda_memcpy_sync", "small_synchronous_copies", kNear, small_synchronous_copies},
    {"cuda_memcpy_sync", "seldom_synchronous_copy", kNear, seldom_synchronous_copy},
    {"cuda_memset_sync", "memset_of_pinned_memory", !kNear, memset_of_pinned_memory},
    {"cuda_memset_sync", "memsets_of_pinned_memory", !kNear, memsets_of_pinned_memory},
    {"cuda_memset_sync", "memsets_of_two_processes", !kNear, memsets_of_two_processes},
    {"cuda_memset_sync", "memset_of_the_gpu", kNear, memset_of_the_gpu},
    {"cuda_memset_sync", "asynchronous_memset", kNear, asynchronous_memset},
    {"cuda_memset_sync", "seldom_memset", kNear, seldom_memset},
    {"blocking_allocations", "frees_in_steps", !kNear, frees_in_steps},
    {"blocking_allocations", "many_allocations", !kNear, many_allocations},
    {"blocking_allocations", "pinned_allocations_of_two_processes", !kNear,
     pinned_allocations_of_two_processes},
    {"blocking_allocations", "allocations_of_the_warm_up", kNear, allocations_of_the_warm_up},
    {"blocking_allocations", "allocations_of_a_pool", kNear, allocations_of_a_pool},
    {"blocking_allocations", "allocation_far_ahead", kNear, allocation_far_ahead},
    {"exposed_copies_to_gpu", "batch_on_the_compute_stream", !kNear, batch_on_the_compute_stream},
    {"exposed_copies_to_gpu", "weights_between_layers", !kNear, weights_between_layers},
    {"exposed_copies_to_gpu", "batch_that_comes_late", !kNear, batch_that_comes_late},
    {"exposed_copies_to_gpu", "batch_beside_kernels", kNear, batch_beside_kernels},
    {"exposed_copies_to_gpu", "small_copies", kNear, small_copies},
    {"exposed_copies_to_gpu", "seldom_batch", kNear, seldom_batch},
    {"exposed_copies_to_host", "outputs_on_the_compute_stream", !kNear,
     outputs_on_the_compute_stream},
    {"exposed_copies_to_host", "activations_to_pinned_memory", !kNear,
     activations_to_pinned_memory},
    {"exposed_copies_to_host", "outputs_before_the_next_step", !kNear,
     outputs_before_the_next_step},
    {"exposed_copies_to_host", "outputs_beside_kernels", kNear, outputs_to_pinned_memory_beside},
    {"exposed_copies_to_host", "small_outputs", kNear, small_outputs},
    {"exposed_copies_to_host", "seldom_outputs_on_the_compute_stream", kNear,
     seldom_outputs_on_the_compute_stream},
    {"memory_operations_detector", "clones", !kNear, clones},
    {"memory_operations_detector", "cleared_gradients", !kNear, cleared_gradients},
    {"memory_operations_detector", "clones_of_two_processes", !kNear, clones_of_two_processes},
    {"memory_operations_detector", "small_clones", kNear, small_clones},
    {"memory_operations_detector", "clones_beside_kernels", kNear, clones_beside_kernels},
    {"memory_operations_detector", "seldom_clones", kNear, seldom_clones},
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

std::span<const PlannedProblem> planned_problems() {
  return kProblems;
}

double usual_step_ns(const JobRun& run) {
  const auto& starts = run.starts_ns;
  const auto first = static_cast<std::size_t>(kFirstUsualStep);
  return static_cast<double>(starts.back() - starts[first]) /
         static_cast<double>(starts.size() - 1 - first);
}

}  // namespace dlview::generate::programs
