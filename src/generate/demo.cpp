#include "generate/demo.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "generate/canceled.h"
#include "generate/demo/networks.h"
#include "generate/demo/planted_changes.h"
#include "generate/demo/recorder.h"
#include "generate/demo/schedule.h"
#include "generate/demo/training_run.h"
#include "generate/dlprof/facts.h"
#include "generate/option_limits.h"

namespace dlview::generate {
namespace {

constexpr int64_t kMostKernelsPerOp = 1'000;
constexpr int kMostBlocks = 50;  // as many as ResNet-152

void repeat_kernels(std::vector<demo::OpSpec>& ops, std::size_t least) {
  for (demo::OpSpec& op : ops) {
    if (op.kernels.empty()) continue;
    op.kernels.reserve(std::max(op.kernels.size(), least));
    for (std::size_t i = 0; op.kernels.size() < least; ++i) op.kernels.push_back(op.kernels[i]);
  }
}

demo::Network make_network(const DemoOptions& options, int blocks, int gpus) {
  demo::Network network = options.framework == Framework::pytorch
                              ? demo::pytorch_network(blocks, gpus)
                              : demo::tensorflow_network(blocks, gpus);
  for (auto* ops : {&network.before_forward, &network.forward, &network.backward,
                    &network.after_backward, &network.update}) {
    repeat_kernels(*ops, static_cast<std::size_t>(options.kernels_per_op));
  }
  return network;
}

int64_t kernels_per_pass(const demo::Network& network) {
  return demo::kernel_count(network.forward) + demo::kernel_count(network.backward);
}

// The deepest network, run as often as fits, that needs no more kernels in a step than there are.
struct Plan {
  demo::Network network;
  int passes = 1;
};

Plan make_plan(const DemoOptions& options, int gpus, int64_t kernels_per_step) {
  const demo::Network deepest_network = make_network(options, kMostBlocks, gpus);
  const int64_t deepest = kernels_per_pass(deepest_network);
  kernels_per_step -= demo::kernel_count(deepest_network.update);
  Plan plan;
  plan.passes = static_cast<int>(std::max<int64_t>(1, (kernels_per_step + deepest - 1) / deepest));
  const int64_t affordable = kernels_per_step / plan.passes;
  int low = 0, high = kMostBlocks;  // the network of `low` blocks is affordable, or the smallest
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (kernels_per_pass(make_network(options, middle, gpus)) <= affordable) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  plan.network = make_network(options, low, gpus);
  return plan;
}

base::Status check(const DemoOptions& options) {
  for (const PlantedChange& change : options.changes) {
    if (change.kind != PlantedKind::fewer_iterations || change.count < options.iterations) continue;
    return base::Error{fmt::format("Invalid --change: \"{}\"", to_text(change)),
                       fmt::format("the run has {} iterations", options.iterations),
                       "Write fewer than --iterations"};
  }
  return check_options({{"--iterations", options.iterations, 0, kMostIterations},
                        {"--kernels", options.kernels, 0, kMostKernels},
                        {"--gpus", options.gpus, 1, kMostGpus},
                        {"--kernels-per-op", options.kernels_per_op, 0, kMostKernelsPerOp}});
}

int used_gpus(int gpus) {
  return gpus == 8 ? 4 : gpus;
}

profile::Device make_device(Framework framework, int number, bool is_used) {
  profile::Device device;
  device.source_id = number + 1;
  device.device_id = number;
  if (framework == Framework::pytorch) {
    device.name = "NVIDIA A100-SXM4-40GB";
    device.compute_capability_major = 8;
    device.sm_count = 108;
    device.memory_total_bytes = 42'505'273'344;
    device.memory_used_bytes = is_used ? 17'206'018'048 : 3'145'728;
  } else {
    device.name = "Tesla V100-SXM2-16GB";
    device.compute_capability_major = 7;
    device.sm_count = 80;
    device.memory_total_bytes = 16'945'512'448;
    device.memory_used_bytes = is_used ? 14'092'861'440 : 3'145'728;
  }
  return device;
}

bool has_other_gpu(const DemoOptions& options) {
  return std::ranges::find(options.changes, PlantedKind::other_gpu, &PlantedChange::kind) !=
         options.changes.end();
}

// The GPU of --change other-gpu: one generation on.
void replace_device(Framework framework, bool is_used, profile::Device& device) {
  if (framework == Framework::tensorflow) {
    const profile::Device newer = make_device(Framework::pytorch, 0, is_used);
    device.name = newer.name;
    device.compute_capability_major = newer.compute_capability_major;
    device.sm_count = newer.sm_count;
    device.memory_total_bytes = newer.memory_total_bytes;
    return;
  }
  device.name = "NVIDIA H100 80GB HBM3";
  device.compute_capability_major = 9;
  device.sm_count = 132;
  device.memory_total_bytes = 84'942'979'072;
}

profile::SystemFacts make_facts(const DemoOptions& options) {
  const bool pytorch = options.framework == Framework::pytorch;
  profile::SystemFacts facts = dlprof_facts();
  facts.gpu_count = fmt::format("{}", options.gpus);
  facts.profile_name = "synthetic ResNet";
  if (!pytorch) {
    facts.framework = "TensorFlow 1.15.5";
    facts.mode_enum = 1;
    facts.mode = "tensorflow1";
  }
  facts.original_command =
      fmt::format("dlview generate --framework {} --iterations {} --kernels {} --gpus {} --seed {}",
                  pytorch ? "pytorch" : "tensorflow", options.iterations, options.kernels,
                  options.gpus, options.seed);
  if (options.kernels_per_op > 0) {
    facts.original_command += fmt::format(" --kernels-per-op {}", options.kernels_per_op);
  }
  for (const PlantedChange& change : options.changes) {
    facts.original_command += fmt::format(" --change '{}'", to_text(change));
  }
  if (options.noise) facts.original_command += fmt::format(" --noise {}", to_text(*options.noise));
  if (pytorch) {
    profile::ModelConfig config;
    config.num_workers = 4;
    config.pin_memory = true;
    config.emit_nvtx = true;
    config.amp_enabled = true;
    facts.model_config = config;
  }
  return facts;
}

DemoTruth first_truth(const DemoOptions& options, int used) {
  DemoTruth truth;
  truth.key_op = demo_key_op(options.framework);
  truth.seed = options.seed;
  truth.gpus = used;
  truth.noise = options.noise;
  return truth;
}

void describe_gpu(const DemoOptions& options, DemoTruth& truth) {
  profile::Device device = make_device(options.framework, 0, true);
  const std::string usual = device.name;
  replace_device(options.framework, true, device);
  for (DemoTruth::Change& change : truth.changes) {
    if (change.change.kind == PlantedKind::other_gpu) change.names = {{usual, device.name}};
  }
}

}  // namespace

base::Result<profile::Profile> make_demo_profile(const DemoOptions& options,
                                                 base::Progress& progress, DemoTruth* truth) {
  if (base::Status status = check(options); !status) return std::move(status).error();
  demo::Recorder recorder;
  const int used = used_gpus(options.gpus);
  std::vector<profile::Row> devices;
  for (int i = 0; i < options.gpus; ++i) {
    profile::Device device = make_device(options.framework, i, i < used);
    if (has_other_gpu(options)) replace_device(options.framework, i < used, device);
    const profile::Row row = recorder.add_device(std::move(device));
    if (i < used) devices.push_back(row);
  }
  const bool setup_can_launch = demo::kernel_count(make_network(options, 0, used).setup) > 0;
  demo::Schedule schedule =
      demo::make_schedule(options.iterations, options.kernels, setup_can_launch);
  Plan plan = make_plan(options, used, demo::kernels_of_step(schedule) / used);
  DemoTruth planted = first_truth(options, used);
  if (const int64_t played = played_iterations(options); played < options.iterations) {
    schedule.steps.resize(static_cast<std::size_t>(played));
  }
  DLVIEW_TRY(demo::plant_changes(options.changes, plan.network, planted));
  describe_gpu(options, planted);
  demo::TruthCounter counter(truth == nullptr ? nullptr : &planted);
  progress.begin_stage("Generating a profile", std::ssize(schedule.steps));
  demo::TrainingRun(plan.network, plan.passes, devices, options.seed, options.noise, recorder,
                    counter)
      .play(schedule, progress);
  if (progress.canceled()) return canceled();
  if (truth != nullptr) *truth = std::move(planted);
  return std::move(recorder).finish(make_facts(options));
}

int64_t played_iterations(const DemoOptions& options) {
  int64_t iterations = options.iterations;
  for (const PlantedChange& change : options.changes) {
    if (change.kind == PlantedKind::fewer_iterations) {
      iterations = std::min(iterations, change.count);
    }
  }
  return iterations;
}

std::string demo_key_op(Framework framework) {
  return framework == Framework::pytorch ? "TRAIN_STEP_1" : "global_step";
}

}  // namespace dlview::generate
