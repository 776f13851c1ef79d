// Job: training processes without a problem, for programs with one planted. Each process has a main
// thread that launches up to a step ahead of its GPU, and a loader thread that copies the next
// batch in parallel with the kernels. The GPU is busy except for the usual 0.9 µs between kernels.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "generate/programs/machine.h"

namespace dlview::generate::programs {

struct JobProcess {
  JobProcess(Machine& machine, int64_t process);

  Host main, loader;
  Stream compute, copies, communication;
  std::vector<int64_t> starts_ns;    // of steps, on the host
  std::vector<int64_t> finished_ns;  // when the GPU has run all kernels of a step
};

// Additional activity of a program in each step. Empty functions do nothing.
struct JobHooks {
  using InStep = std::function<void(JobProcess&, int64_t step)>;
  using InLayer = std::function<void(JobProcess&, int64_t step, int64_t layer)>;
  InStep before_step = {};  // outside its range
  InStep begin = {};
  InLayer layer = {};    // after the forward kernels of a layer
  InStep backward = {};  // after the forward pass
  InStep end = {};
  bool has_loader_copy = true;
  std::function<int64_t(int64_t step)> kernel_percent = {};  // of the usual length, of all kernels
};

struct JobPlan {
  uint64_t seed = 1;
  int64_t steps = 24, processes = 1;
  int64_t compute_capability_major = 8;
};

inline constexpr int64_t kJobLayers = 12;
// A step lasts about so long.
inline constexpr int64_t kJobStepNs = 3'700'000;

struct JobRun {
  Capture capture;
  std::vector<int64_t> starts_ns;  // of steps of the first process
};
JobRun play_job(const JobPlan& plan, const JobHooks& hooks);

}  // namespace dlview::generate::programs
