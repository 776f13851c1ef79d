#include "generate/demo/training_run.h"

#include <algorithm>

namespace dlview::generate::demo {
namespace {

constexpr int64_t kProcess = 4021;
constexpr int64_t kStartNs = 30'000'000;

int64_t gpu_ns(const std::vector<OpSpec>& ops) {
  int64_t sum_ns = 0;
  for (const OpSpec& op : ops) {
    for (const KernelSpec& kernel : op.kernels) sum_ns += kernel.gpu_ns;
  }
  return sum_ns;
}

// Mean 0, standard deviation 1'000'000; never 6 of them or more.
int64_t normal_ppm(Random& random) {
  int64_t sum = 0;
  for (int i = 0; i < 12; ++i) sum += random.below(kMillion + 1);
  return sum - 6 * kMillion;
}

int64_t level_ppm(int64_t deviation_ppm, Random& random) {
  return kMillion + normal_ppm(random) * deviation_ppm / kMillion;
}

int64_t tuned_ops(const std::vector<OpSpec>& ops) {
  return std::count_if(ops.begin(), ops.end(), [](const OpSpec& op) { return op.is_tuned; });
}

int64_t copy_ns(const MemorySpec& memory) {
  const bool is_memset = memory.kind == profile::MemoryOpKind::memset;
  const int64_t bytes_per_us = is_memset ? 700'000 : 12'000;
  return 1'300 + memory.bytes * 1000 / bytes_per_us;
}

}  // namespace

TrainingRun::TrainingRun(const Network& network, int passes,
                         const std::vector<profile::Row>& devices, uint64_t seed,
                         const std::optional<PlantedNoise>& noise, Recorder& recorder,
                         TruthCounter& truth)
    : network_(network),
      passes_(passes),
      random_(seed),
      noise_(noise),
      noise_random_(~seed),
      recorder_(recorder),
      truth_(truth) {
  if (noise_) run_level_ppm_ = level_ppm(noise_->between_ppm, noise_random_);
  truth_.set_run_level(run_level_ppm_);
  const auto add_thread = [this](int64_t id) {
    const profile::Row thread = recorder_.add_thread({kProcess, id});
    now_.resize(std::max<std::size_t>(now_.size(), thread + 1), kStartNs);
    return thread;
  };
  main_thread_ = add_thread(kProcess);
  const bool has_replicas = devices.size() > 1;
  for (const profile::Row device : devices) {
    Gpu gpu;
    gpu.device = device;
    gpu.thread = has_replicas ? add_thread(kProcess + 40 + device) : main_thread_;
    gpu.backward_thread = add_thread(kProcess + 80 + device);
    gpu.slowness_percent = 100 + device % 4;  // the last GPU of a box is the hottest
    gpus_.push_back(gpu);
  }
  constexpr int64_t kShortestStepNs = 2'000'000;
  const int64_t pass_ns = gpu_ns(network_.forward) + gpu_ns(network_.backward);
  normal_step_ns_ = std::max(kShortestStepNs, pass_ns * passes_);
}

void TrainingRun::play(const Schedule& schedule, base::Progress& progress) {
  truth_.begin_step("setup");
  set_up(schedule.setup_kernels);
  for (const Step& step : schedule.steps) {
    if (progress.canceled()) return;
    truth_.begin_step(to_text(step.kind));
    play_step(step, schedule.steps_are_marked, progress);
    progress.add_done(1);
  }
  truth_.finish();
}

void TrainingRun::set_up(int64_t kernels) {
  for (Gpu& gpu : gpus_) {
    for (const OpSpec& op : network_.setup) {
      run_op(op, gpu, main_thread_, op.kernels.empty() ? 0 : kernels);
      if (!op.kernels.empty()) kernels = 0;
    }
  }
}

void TrainingRun::play_step(const Step& step, bool is_marked, const base::Progress& progress) {
  Gpu& first_gpu = gpus_.front();
  draw_speed();
  if (is_marked) run_op(network_.step_marker, first_gpu, main_thread_, 0);

  const bool late = step.kind == StepKind::slow_loading;
  const int64_t loading_ns = late ? normal_step_ns_ * 5 : normal_step_ns_ * 6 / 100;
  run_op(network_.load_batch, first_gpu, main_thread_, 0, random_.around(loading_ns, 40));
  if (step.kind != StepKind::skipped) play_gpus(step, progress);
  if (step.kind == StepKind::checkpoint) {
    run_op(network_.save_checkpoint, first_gpu, main_thread_, 0,
           random_.around(normal_step_ns_ * 4, 20));
  }
  now(main_thread_) += random_.around(normal_step_ns_ * 5 / 100, 60);  // logging, outside of any op
}

void TrainingRun::draw_speed() {
  step_slowness_percent_ = random_.between(98, 103);
  if (!noise_) return;
  step_slowness_percent_ = 100;
  step_level_ppm_ = level_ppm(noise_->within_ppm, noise_random_);
}

void TrainingRun::play_gpus(const Step& step, const base::Progress& progress) {
  int64_t left = step.kernels;
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    const auto gpus_left = static_cast<int64_t>(gpus_.size() - i);
    const int64_t share = (left + gpus_left - 1) / gpus_left;
    left -= share;
    tuning_ns_ = tuning_ns(step);
    play_gpu(gpus_[i], share, progress);
  }
  for (const Gpu& gpu : gpus_) now(main_thread_) = std::max(now(main_thread_), now(gpu.thread));
}

// The first warm-up step tries every algorithm, later ones only what is left.
int64_t TrainingRun::tuning_ns(const Step& step) const {
  const int64_t ops = tuned_ops(network_.forward);
  if (step.kind != StepKind::warm_up || ops == 0) return 0;
  return normal_step_ns_ * (step.warm_up == 0 ? 9 : 3) / ((1 + step.warm_up) * ops);
}

void TrainingRun::play_gpu(Gpu& gpu, int64_t kernels, const base::Progress& progress) {
  int64_t& host_ns = now(gpu.thread);
  host_ns = std::max(host_ns, now(main_thread_));
  run(network_.before_forward, gpu, gpu.thread, kernels);
  for (int pass = 0; pass < passes_ && !progress.canceled(); ++pass) {
    place_ = network_.tells_passes_apart ? pass : 0;
    run(network_.forward, gpu, gpu.thread, kernels);
    int64_t& backward_ns = now(gpu.backward_thread);
    backward_ns = std::max(backward_ns, host_ns);
    run(network_.backward, gpu, gpu.backward_thread, kernels);
    host_ns = std::max(host_ns, backward_ns);
    tuning_ns_ = 0;  // the next pass sees the same shapes
  }
  place_ = 0;
  gpu.compute_free_ns = std::max(gpu.compute_free_ns, gpu.communication_free_ns);
  run(network_.after_backward, gpu, gpu.thread, kernels);
  for (const OpSpec& op : network_.update) {
    const bool is_last = &op == &network_.update.back();
    const int64_t launches = is_last ? kernels : std::min(kernels, std::ssize(op.kernels));
    run_op(op, gpu, gpu.thread, launches);
    kernels -= launches;
  }
}

void TrainingRun::run(const std::vector<OpSpec>& ops, Gpu& gpu, profile::Row thread,
                      int64_t& kernels) {
  for (const OpSpec& op : ops) {
    const int64_t launches = std::min<int64_t>(kernels, std::ssize(op.kernels));
    run_op(op, gpu, thread, launches);
    kernels -= launches;
  }
}

void TrainingRun::run_op(const OpSpec& op, Gpu& gpu, profile::Row thread, int64_t launches,
                         int64_t more_host_ns) {
  int64_t& now_ns = now(thread);
  now_ns += random_.between(1'200, 6'500);
  const Recorder::Instance instance = recorder_.begin(op, place_, thread, now_ns);
  const int64_t host_ns = random_.around(op.host_ns + more_host_ns, 30);
  now_ns += host_ns / 3 + 1;
  for (const std::string& call : op.api_calls) {
    const int64_t start_ns = now_ns;
    now_ns += random_.between(400, 2'600);
    recorder_.api_call(instance, call, start_ns, now_ns);
    now_ns += random_.between(150, 900);
  }
  if (op.is_tuned && tuning_ns_ > 0) tune(instance, now_ns);
  for (const MemorySpec& memory : op.memory) copy(instance, memory, gpu, now_ns);
  const auto kinds = std::ssize(op.kernels);
  for (int64_t i = 0; i < launches; ++i) {
    launch(instance, op.kernels[static_cast<std::size_t>(i % kinds)], gpu, now_ns);
  }
  now_ns += host_ns - host_ns / 3 + 1;
  if (!op.wait.empty()) wait(instance, op.wait, gpu, now_ns);
  recorder_.end(instance, now_ns);
}

// Workspaces are allocated and candidates timed: what cudnn.benchmark does the first time it sees a
// shape.
void TrainingRun::tune(Recorder::Instance instance, int64_t& now_ns) {
  const int64_t total_ns = random_.around(tuning_ns_, 50);
  const auto call = [&](std::string_view name, int64_t duration_ns) {
    recorder_.api_call(instance, name, now_ns, now_ns + duration_ns);
    now_ns += duration_ns + 700;
  };
  call("cudaMalloc_v3020", total_ns / 6);
  call("cudaEventRecord_v3020", 1'900);
  now_ns += total_ns / 2;
  recorder_.sync(instance, "cudaEventSynchronize_v3020", 2, now_ns, now_ns + total_ns / 6);
  now_ns += total_ns / 6 + 900;
  call("cudaFree_v3020", total_ns / 6);
}

// What was launched begins soon, or when the stream comes to it.
int64_t TrainingRun::gpu_start(int64_t api_stop_ns, int64_t stream_free_ns) {
  const int64_t after_launch_ns = api_stop_ns + random_.between(-60, 2'400);
  const int64_t after_others_ns = stream_free_ns + random_.between(700, 1'500);
  return std::max(after_launch_ns, after_others_ns);
}

int64_t TrainingRun::usual_ns(const KernelSpec& kernel, const Gpu& gpu) {
  const int64_t percent_of_percent = gpu.slowness_percent * step_slowness_percent_;
  const int64_t ns = random_.around(kernel.gpu_ns, 8) * percent_of_percent / 10'000;
  return noise_ ? ns * step_level_ppm_ / kMillion * run_level_ppm_ / kMillion : ns;
}

void TrainingRun::launch(Recorder::Instance instance, const KernelSpec& kernel, Gpu& gpu,
                         int64_t& now_ns) {
  int64_t& stream_free_ns = kernel.communication ? gpu.communication_free_ns : gpu.compute_free_ns;
  const int64_t ready_ns =
      kernel.communication ? std::max(stream_free_ns, gpu.compute_free_ns) : stream_free_ns;
  Recorder::Times times{};
  times.api_start_ns = now_ns;
  times.api_stop_ns = now_ns + random_.between(3'800, 7'600);
  times.gpu_start_ns = gpu_start(times.api_stop_ns, ready_ns);
  const int64_t unchanged_ns = usual_ns(kernel, gpu);
  int64_t ns = unchanged_ns;
  for (const PlantedFactor& planted : kernel.planted) {
    ns = ns * planted.numerator / planted.denominator;
  }
  times.gpu_stop_ns = times.gpu_start_ns + ns;
  recorder_.kernel(instance, kernel, gpu.device, times);
  truth_.kernel(kernel, gpu.device, {times.gpu_start_ns, times.gpu_stop_ns}, unchanged_ns);
  stream_free_ns = times.gpu_stop_ns;
  if (kernel.is_exposed) gpu.compute_free_ns = std::max(gpu.compute_free_ns, times.gpu_stop_ns);
  now_ns = times.api_stop_ns + random_.between(1'500, 4'500);
}

void TrainingRun::copy(Recorder::Instance instance, const MemorySpec& memory, Gpu& gpu,
                       int64_t& now_ns) {
  Recorder::Times times{};
  times.api_start_ns = now_ns;
  times.api_stop_ns = now_ns + random_.between(5'200, 11'000);
  times.gpu_start_ns = gpu_start(times.api_stop_ns, gpu.compute_free_ns);
  times.gpu_stop_ns = times.gpu_start_ns + random_.around(copy_ns(memory), 6);
  recorder_.memory_op(instance, memory, gpu.device, times);
  gpu.compute_free_ns = times.gpu_stop_ns;
  now_ns = times.api_stop_ns + random_.between(1'500, 4'500);
}

void TrainingRun::wait(Recorder::Instance instance, std::string_view call, Gpu& gpu,
                       int64_t& now_ns) {
  const int64_t start_ns = now_ns;
  now_ns = std::max(now_ns, gpu.compute_free_ns) + random_.between(2'000, 6'000);
  recorder_.sync(instance, call, call == kDeviceWait ? 1 : 3, start_ns, now_ns);
  now_ns += 600;
}

}  // namespace dlview::generate::demo
