#include "generate/programs/problem_job.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace dlview::generate::programs {
namespace {

constexpr int64_t kFirstJob = 6100, kJobStartNs = 30'000'000;
constexpr Kernel kForwardGemm{"ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x4_nn",
                              "ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x4_nn", 85'000};
constexpr Kernel kBackwardGemm{"ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_nt",
                               "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_nt",
                               90'000};
constexpr Kernel kPointwiseKernel{
    "vectorized_elementwise_kernel",
    "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl(float)>",
    14'000};
constexpr Kernel kOptimizer{
    "multi_tensor_apply_kernel",
    "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<Adam>", 60'000};
constexpr Copy kBatch{6'000'000, kToGpu, true};

class JobPlayer {
 public:
  JobPlayer(const JobHooks& hooks, JobProcess& process) : hooks_(hooks), p_(process) {}

  void play(int64_t steps) {
    p_.main.run(5'000'000);
    for (int64_t n = 0; n < steps; ++n) {
      // At most a step ahead of the GPU.
      if (n >= 2) p_.main.wait_for_event(p_.finished_ns[static_cast<std::size_t>(n - 2)]);
      if (hooks_.before_step) hooks_.before_step(p_, n);
      p_.starts_ns.push_back(p_.main.now_ns());
      p_.main.range(fmt::format("step {}", n), [&] { step(n); });
      p_.finished_ns.push_back(std::max(p_.compute.free_ns, p_.communication.free_ns));
    }
    p_.main.synchronize(p_.compute);
  }

 private:
  void launch(int64_t n, Kernel kernel) {
    if (hooks_.kernel_percent) kernel.ns = kernel.ns * hooks_.kernel_percent(n) / 100;
    p_.main.run(4'000, 40);
    p_.main.launch(kernel, p_.compute);
  }

  void step(int64_t n) {
    if (hooks_.has_loader_copy) {
      p_.loader.wait_until(p_.main.now_ns());
      p_.loader.copy(kBatch, p_.copies);
    }
    if (hooks_.begin) hooks_.begin(p_, n);
    for (int64_t layer = 0; layer < kJobLayers; ++layer) {
      launch(n, kForwardGemm);
      launch(n, kPointwiseKernel);
      if (hooks_.layer) hooks_.layer(p_, n, layer);
    }
    if (hooks_.backward) hooks_.backward(p_, n);
    for (int64_t layer = 0; layer < kJobLayers; ++layer) {
      launch(n, kBackwardGemm);
      launch(n, kBackwardGemm);
    }
    for (int64_t i = 0; i < 4; ++i) launch(n, kOptimizer);
    if (hooks_.end) hooks_.end(p_, n);
  }

  const JobHooks& hooks_;
  JobProcess& p_;
};

}  // namespace

JobProcess::JobProcess(Machine& machine, int64_t process)
    : main(machine, process, process, "python", kJobStartNs),
      loader(machine, process, process + 33, "pt_pin_memory", kJobStartNs) {
  compute.device = copies.device = communication.device = machine.add_device();
  copies.id = 16;
  communication.id = 20;
}

JobRun play_job(const JobPlan& plan, const JobHooks& hooks) {
  Machine machine(plan.seed);
  std::vector<std::unique_ptr<JobProcess>> processes;
  for (int64_t i = 0; i < plan.processes; ++i) {
    processes.push_back(std::make_unique<JobProcess>(machine, kFirstJob + 300 * i));
    JobPlayer(hooks, *processes.back()).play(plan.steps);
  }
  for (profile::Device& device : machine.capture().devices) {
    device.compute_capability_major = static_cast<int32_t>(plan.compute_capability_major);
  }
  return {std::move(machine.capture()), std::move(processes.front()->starts_ns)};
}

}  // namespace dlview::generate::programs
