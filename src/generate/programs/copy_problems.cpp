// Planted problems: copies and memsets.

#include <algorithm>
#include <array>

#include "generate/programs/problem_parts.h"

namespace dlview::generate::programs {
namespace {

// --- Copies for which the host waits.

JobRun pageable_batch(uint64_t seed, bool with) {
  return job(seed, {.begin =
                        [with](JobProcess& p, int64_t) {
                          if (with) p.main.copy({8 * kMega, kToGpu, false}, p.compute);
                        },
                    .has_loader_copy = !with});
}
JobRun pageable_masks(uint64_t seed, bool with) {
  return job(seed, {.layer = [with](JobProcess& p, int64_t, int64_t layer) {
               if (with && is_third(layer)) p.main.copy({2 * kMega, kToGpu, false}, p.compute);
             }});
}
JobRun pageable_batches_of_two_processes(uint64_t seed, bool with) {
  return job(seed,
             {.begin =
                  [with](JobProcess& p, int64_t) {
                    if (with) p.main.copy({5 * kMega, kToGpu, false}, p.compute);
                  },
              .has_loader_copy = !with},
             2);
}
JobRun pageable_batch_of_the_loader(uint64_t seed, bool with) {
  return job(seed, {.begin =
                        [with](JobProcess& p, int64_t) {
                          if (!with) return;
                          p.loader.wait_until(p.main.now_ns());
                          p.loader.copy({8 * kMega, kToGpu, false}, p.copies);
                        },
                    .has_loader_copy = !with});
}
JobRun small_pageable_copies(uint64_t seed, bool with) {
  return job(seed, {.layer = [with](JobProcess& p, int64_t, int64_t layer) {
               if (with && is_third(layer)) p.main.copy({32'000, kToGpu, false}, p.compute);
             }});
}
JobRun pageable_copies_of_the_warm_up(uint64_t seed, bool with) {
  return job(seed, {.begin = [with](JobProcess& p, int64_t step) {
               if (with && step < 3) p.main.copy({8 * kMega, kToGpu, false}, p.compute);
             }});
}

JobRun outputs_to_pageable_memory(uint64_t seed, bool with) {
  return job(seed, {.end = [with](JobProcess& p, int64_t) {
               if (with) p.main.copy({4 * kMega, kToHost, false}, p.compute);
               p.main.run(100 * kUs);
             }});
}
JobRun activations_to_pageable_memory(uint64_t seed, bool with) {
  return job(seed, {.layer = [with](JobProcess& p, int64_t, int64_t layer) {
               if (with && is_third(layer)) p.main.copy({1 * kMega, kToHost, false}, p.compute);
             }});
}
JobRun outputs_of_two_processes(uint64_t seed, bool with) {
  return job(seed,
             {.backward =
                  [with](JobProcess& p, int64_t) {
                    if (with) p.main.copy({6 * kMega, kToHost, false}, p.compute);
                  }},
             2);
}
JobRun outputs_to_pinned_memory_beside(uint64_t seed, bool with) {
  return job(seed, {.end = [with](JobProcess& p, int64_t) {
               if (with) p.main.copy({4 * kMega, kToHost, true}, p.copies);
             }});
}
JobRun seldom_outputs(uint64_t seed, bool with) {
  return job(seed, {.end = [with](JobProcess& p, int64_t step) {
               if (with && step % kSeldom == 0) p.main.copy({4 * kMega, kToHost, false}, p.compute);
             }});
}
JobRun outputs_of_the_loader(uint64_t seed, bool with) {
  return job(seed, {.begin = [with](JobProcess& p, int64_t) {
               if (with) p.loader.copy({2 * kMega, kToHost, false}, p.copies);
             }});
}

JobRun synchronous_batch(uint64_t seed, bool with) {
  return job(seed, {.begin =
                        [with](JobProcess& p, int64_t) {
                          if (with) p.main.copy_synchronously({8 * kMega, kToGpu, true}, p.compute);
                        },
                    .has_loader_copy = !with});
}
JobRun synchronous_outputs(uint64_t seed, bool with) {
  return job(seed, {.end = [with](JobProcess& p, int64_t) {
               if (with) p.main.copy_synchronously({4 * kMega, kToHost, false}, p.compute);
               p.main.run(100 * kUs);
             }});
}
JobRun synchronous_copies_of_two_processes(uint64_t seed, bool with) {
  return job(seed,
             {.layer =
                  [with](JobProcess& p, int64_t, int64_t layer) {
                    if (with && is_third(layer)) {
                      p.main.copy_synchronously({1 * kMega, kToGpu, false}, p.compute);
                    }
                  }},
             2);
}
JobRun synchronous_copies_on_the_gpu(uint64_t seed, bool with) {
  return job(seed, {.layer = [with](JobProcess& p, int64_t, int64_t layer) {
               if (with && is_third(layer))
                 p.main.copy_synchronously({2 * kMega, kOnGpu}, p.compute);
             }});
}
JobRun small_synchronous_copies(uint64_t seed, bool with) {
  return job(seed, {.layer = [with](JobProcess& p, int64_t, int64_t layer) {
               if (with && is_third(layer))
                 p.main.copy_synchronously({16'000, kToGpu, false}, p.compute);
             }});
}
JobRun seldom_synchronous_copy(uint64_t seed, bool with) {
  return job(seed, {.begin = [with](JobProcess& p, int64_t step) {
               if (!with || step % kSeldom != 0) return;
               p.main.copy_synchronously({4 * kMega, kToGpu, false}, p.compute);
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

// --- Exposed copies.

JobRun batch_on_the_compute_stream(uint64_t seed, bool with) {
  return job(seed, {.begin =
                        [with](JobProcess& p, int64_t) {
                          if (with) p.main.copy({16 * kMega, kToGpu, true}, p.compute);
                        },
                    .has_loader_copy = !with});
}
JobRun weights_between_layers(uint64_t seed, bool with) {
  return job(seed, {.layer = [with](JobProcess& p, int64_t, int64_t layer) {
               if (with && is_third(layer)) p.main.copy({4 * kMega, kToGpu, true}, p.compute);
             }});
}
JobRun batch_that_comes_late(uint64_t seed, bool with) {
  return job(seed,
             {.begin =
                  [with](JobProcess& p, int64_t) {
                    if (!with) return;
                    // Into the buffer that the step before has used.
                    p.copies.free_ns = std::max(p.copies.free_ns, p.compute.free_ns);
                    p.main.copy({14 * kMega, kToGpu, true}, p.copies);
                    p.compute.free_ns = p.copies.free_ns;
                  },
              .has_loader_copy = !with},
             2);
}
JobRun batch_beside_kernels(uint64_t seed, bool with) {
  return job(seed, {.begin = [with](JobProcess& p, int64_t) {
               if (with) p.main.copy({20 * kMega, kToGpu, true}, p.copies);
             }});
}
JobRun small_copies(uint64_t seed, bool with) {
  return job(seed, {.layer = [with](JobProcess& p, int64_t, int64_t layer) {
               if (with && is_third(layer)) p.main.copy({100'000, kToGpu, true}, p.compute);
             }});
}
JobRun seldom_batch(uint64_t seed, bool with) {
  return job(seed, {.begin = [with](JobProcess& p, int64_t step) {
               if (with && step % kSeldom == 0) p.main.copy({12 * kMega, kToGpu, true}, p.compute);
             }});
}

JobRun outputs_on_the_compute_stream(uint64_t seed, bool with) {
  return job(seed, {.end = [with](JobProcess& p, int64_t) {
               if (with) p.main.copy({12 * kMega, kToHost, true}, p.compute);
             }});
}
JobRun activations_to_pinned_memory(uint64_t seed, bool with) {
  return job(seed, {.layer = [with](JobProcess& p, int64_t, int64_t layer) {
               if (with && is_third(layer)) p.main.copy({3 * kMega, kToHost, true}, p.compute);
             }});
}
JobRun outputs_before_the_next_step(uint64_t seed, bool with) {
  return job(seed,
             {.end =
                  [with](JobProcess& p, int64_t) {
                    if (!with) return;
                    p.copies.free_ns = std::max(p.copies.free_ns, p.compute.free_ns);
                    p.main.copy({10 * kMega, kToHost, true}, p.copies);
                    p.compute.free_ns = p.copies.free_ns;
                  }},
             2);
}
JobRun small_outputs(uint64_t seed, bool with) {
  return job(seed, {.end = [with](JobProcess& p, int64_t) {
               if (with) p.main.copy({1 * kMega, kToHost, true}, p.compute);
             }});
}
JobRun seldom_outputs_on_the_compute_stream(uint64_t seed, bool with) {
  return job(seed, {.end = [with](JobProcess& p, int64_t step) {
               if (with && step % kSeldom == 0) p.main.copy({12 * kMega, kToHost, true}, p.compute);
             }});
}

JobRun clones(uint64_t seed, bool with) {
  return job(seed, {.layer = [with](JobProcess& p, int64_t, int64_t layer) {
               if (with && is_third(layer)) p.main.copy({60 * kMega, kOnGpu}, p.compute);
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
                    if (with) p.main.copy({240 * kMega, kOnGpu}, p.compute);
                  }},
             2);
}
JobRun small_clones(uint64_t seed, bool with) {
  return job(seed, {.layer = [with](JobProcess& p, int64_t, int64_t layer) {
               if (with && is_third(layer)) p.main.copy({1 * kMega, kOnGpu}, p.compute);
             }});
}
JobRun clones_beside_kernels(uint64_t seed, bool with) {
  return job(seed, {.begin = [with](JobProcess& p, int64_t) {
               if (with) p.main.copy({200 * kMega, kOnGpu}, p.copies);
             }});
}
JobRun seldom_clones(uint64_t seed, bool with) {
  return job(seed, {.end = [with](JobProcess& p, int64_t step) {
               if (with && step % kSeldom == 0) p.main.copy({200 * kMega, kOnGpu}, p.compute);
             }});
}

constexpr auto kCopyProblems = std::to_array<PlannedProblem>({
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
});

}  // namespace

std::span<const PlannedProblem> copy_problems() {
  return kCopyProblems;
}

}  // namespace dlview::generate::programs
