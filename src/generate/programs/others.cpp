#include "generate/programs/others.h"

#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "generate/programs/machine.h"

namespace dlview::generate::programs {
namespace {

constexpr int64_t kOnlyProcess = 5170, kBeginNs = 25'000'000;
constexpr Kernel kProduct{"sm80_xmma_gemm_f16f16_f16f32_f32_tn_n",
                          "sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x32", 70'000};
constexpr Kernel kPointwise{"generatedNativePointwise", "generatedNativePointwise", 9'000};
constexpr Kernel kSoftmax{"softmax_warp_forward",
                          "void (anonymous namespace)::softmax_warp_forward<float>", 12'000};
constexpr Copy kResult{4'000, kToHost, false};

// A process with one thread and one stream.
struct Process {
  explicit Process(uint64_t seed)
      : machine(seed), main(machine, kOnlyProcess, kOnlyProcess, "python", kBeginNs) {
    stream.device = machine.add_device();
  }
  Program finish(Label label) && {
    main.synchronize(stream);
    return {std::move(machine.capture()), std::move(label)};
  }

  Machine machine;
  Host main;
  Stream stream;
};

void run_layers(Process& process, int64_t layers, bool has_ranges) {
  for (int64_t i = 0; i < layers; ++i) {
    process.main.range_if(has_ranges, fmt::format("layer {}", i), [&] {
      for (const Kernel& kernel : {kProduct, kPointwise, kSoftmax, kProduct, kPointwise}) {
        process.main.run(5'000, 50);
        process.main.launch(kernel, process.stream);
      }
    });
  }
}

}  // namespace

Program play_one_pass(uint64_t seed, int64_t layers) {
  Process process(seed);
  process.main.copy({2'000'000, kToGpu, false}, process.stream);
  run_layers(process, layers, true);
  process.main.copy(kResult, process.stream);
  return std::move(process).finish({});
}

Program play_loading(uint64_t seed, int64_t parameters) {
  Process process(seed);
  for (int64_t i = 0; i < parameters; ++i) {
    process.main.range("copy_parameter", [&] {
      process.main.run(300'000, 80);
      process.main.copy({process.machine.random().between(1'000, 30'000'000), kToGpu, false},
                        process.stream);
    });
  }
  run_layers(process, 12, false);
  process.main.copy(kResult, process.stream);
  return std::move(process).finish({});
}

Program play_tuning(uint64_t seed, int64_t tactics) {
  Process process(seed);
  std::vector<std::string> names;
  for (int64_t i = 0; i < tactics; ++i) {
    names.push_back(fmt::format("sm80_xmma_fprop_implicit_gemm_tilesize{}x{}_stage{}",
                                process.machine.random().between(1, 16) * 16,
                                process.machine.random().between(1, 16) * 16, i % 7));
  }
  for (int64_t i = 0; i < tactics; ++i) {
    process.main.range(fmt::format("tactic {}", i), [&] {
      process.main.run(200'000, 90);
      const Kernel kernel{names[static_cast<std::size_t>(i)], names[static_cast<std::size_t>(i)],
                          process.machine.random().between(20'000, 900'000)};
      const int64_t tries = process.machine.random().between(1, 12);
      for (int64_t k = 0; k < tries; ++k) process.main.launch(kernel, process.stream);
      process.main.synchronize(process.stream);
    });
  }
  return std::move(process).finish({});
}

Program play_mixture(uint64_t seed, int64_t kernels) {
  Process process(seed);
  std::vector<std::string> names;
  for (int64_t i = 0; i < 40; ++i) names.push_back(fmt::format("kernel_of_kind_{}", i));
  for (int64_t i = 0; i < kernels; ++i) {
    Random& random = process.machine.random();
    const std::string& name = names[static_cast<std::size_t>(random.below(random.below(40) + 1))];
    process.main.run(random.between(1'000, 400'000));
    process.main.launch({name, name, random.between(2'000, 500'000)}, process.stream);
    if (random.below(9) == 0) process.main.copy(kResult, process.stream);
  }
  return std::move(process).finish({});
}

Program play_server(uint64_t seed, int64_t requests) {
  Process process(seed);
  for (int64_t i = 0; i < requests; ++i) {
    process.main.run(process.machine.random().between(50'000, 20'000'000));
    process.main.range("request", [&] {
      process.main.copy({600'000, kToGpu, false}, process.stream);
      run_layers(process, 6, false);
      process.main.copy(kResult, process.stream);
    });
  }
  return std::move(process).finish({{"request"}, requests});
}

}  // namespace dlview::generate::programs
