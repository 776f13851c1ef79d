// Plays the steps of a schedule: host threads launch, GPUs follow, a recorder takes it down. The
// host runs ahead of the GPU until it waits for a result, as in a real run.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "generate/changes.h"
#include "generate/demo/op_spec.h"
#include "generate/demo/recorder.h"
#include "generate/demo/schedule.h"
#include "generate/demo/truth_counter.h"
#include "generate/random.h"

namespace dlview::generate::demo {

class TrainingRun {
 public:
  // `passes` runs of the network forward and backward make a step (gradient accumulation).
  // `devices` are the rows of the GPUs that work. With `noise` it alone makes iterations differ in
  // speed.
  TrainingRun(const Network& network, int passes, const std::vector<profile::Row>& devices,
              uint64_t seed, const std::optional<PlantedNoise>& noise, Recorder& recorder,
              TruthCounter& truth);

  // Counts the steps on `progress`, and ends early, somewhere in a step, once it is canceled.
  void play(const Schedule& schedule, base::Progress& progress);

 private:
  struct Gpu {
    profile::Row device = 0;
    profile::Row thread = 0, backward_thread = 0;
    int64_t compute_free_ns = 0, communication_free_ns = 0;
    int64_t slowness_percent = 100;
  };

  void set_up(int64_t kernels);
  void play_step(const Step& step, bool is_marked, const base::Progress& progress);
  void play_gpus(const Step& step, const base::Progress& progress);
  void draw_speed();
  // The time of a kernel without planted changes.
  int64_t usual_ns(const KernelSpec& kernel, const Gpu& gpu);
  int64_t tuning_ns(const Step& step) const;  // for each tuned op
  // Launches exactly `kernels` kernels.
  void play_gpu(Gpu& gpu, int64_t kernels, const base::Progress& progress);

  // Runs ops one after the other on a thread, with kernels as long as `kernels` is not used up.
  void run(const std::vector<OpSpec>& ops, Gpu& gpu, profile::Row thread, int64_t& kernels);
  // Runs an op with as many launches as given, its kernels again and again if need be.
  void run_op(const OpSpec& op, Gpu& gpu, profile::Row thread, int64_t launches,
              int64_t more_host_ns = 0);

  int64_t& now(profile::Row thread) { return now_[thread]; }
  void tune(Recorder::Instance instance, int64_t& now_ns);
  void launch(Recorder::Instance instance, const KernelSpec& kernel, Gpu& gpu, int64_t& now_ns);
  int64_t gpu_start(int64_t api_stop_ns, int64_t stream_free_ns);
  void copy(Recorder::Instance instance, const MemorySpec& memory, Gpu& gpu, int64_t& now_ns);
  void wait(Recorder::Instance instance, std::string_view call, Gpu& gpu, int64_t& now_ns);

  const Network& network_;
  int passes_;
  Random random_;
  std::optional<PlantedNoise> noise_;
  Random noise_random_;  // apart: noise moves no other time
  Recorder& recorder_;
  TruthCounter& truth_;
  std::vector<Gpu> gpus_;
  profile::Row main_thread_ = 0;
  std::vector<int64_t> now_;             // of each thread
  int64_t normal_step_ns_ = 0;           // about
  int place_ = 0;                        // of the pass, which distinguishes ops
  int64_t tuning_ns_ = 0;                // for each tuned op, now
  int64_t step_slowness_percent_ = 100;  // of all GPUs: clocks vary
  int64_t run_level_ppm_ = kMillion, step_level_ppm_ = kMillion;  // of noise
};

}  // namespace dlview::generate::demo
