// Planted problems: the host waits for the GPU or allocates.

#include <algorithm>
#include <array>

#include "generate/programs/problem_parts.h"

namespace dlview::generate::programs {
namespace {

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
               if (with) p.main.copy_synchronously({8, kToHost, false}, p.compute);
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
               if (with) p.main.copy({16, kToGpu, false}, p.compute);
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

constexpr auto kHostProblems = std::to_array<PlannedProblem>({
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
    {"blocking_allocations", "frees_in_steps", !kNear, frees_in_steps},
    {"blocking_allocations", "many_allocations", !kNear, many_allocations},
    {"blocking_allocations", "pinned_allocations_of_two_processes", !kNear,
     pinned_allocations_of_two_processes},
    {"blocking_allocations", "allocations_of_the_warm_up", kNear, allocations_of_the_warm_up},
    {"blocking_allocations", "allocations_of_a_pool", kNear, allocations_of_a_pool},
    {"blocking_allocations", "allocation_far_ahead", kNear, allocation_far_ahead},
});

}  // namespace

std::span<const PlannedProblem> host_problems() {
  return kHostProblems;
}

}  // namespace dlview::generate::programs
