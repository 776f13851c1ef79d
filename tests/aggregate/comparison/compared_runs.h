// Runs to compare: any profile under a split, and a small training run with planted changes.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "aggregate/aggregator.h"
#include "aggregate/comparison/run_pair.h"
#include "aggregate/rules/rule_index.h"
#include "support/sketch.h"

namespace dlview::aggregate {

inline std::shared_ptr<const ComparedRun> compared_run(
    std::shared_ptr<const profile::Profile> profile, const Cut& cut) {
  const Aggregation aggregation = make_cpu_aggregator(profile)->aggregate({cut, {0, 0}});
  const RuleIndex rules(*profile);
  return std::make_shared<const ComparedRun>(std::move(profile), aggregation.iteration_table, cut,
                                             rules);
}

// A network of 6 layers, each an attention and a linear op with a kernel, an all-reduce and an
// optimizer.
struct TrainingOptions {
  uint64_t seed = 1;
  int iterations = 40;
  double linear = 1, clocks = 1;       // factors of durations
  double first_linear = 1;             // another one, of the linear op of the first layer
  double spread = 0.005;               // of all kernels of an iteration
  bool replaces_kernel = false;        // of linear ops
  bool exposes_communication = false;  // the all-reduce runs after the backward pass, not in it
  int first_layer = 0;                 // the number in the name of the first layer
  int attentions = 1;                  // calls in each layer
  bool has_dropout = false;            // one more op in each layer
  int devices = 1;                     // each of which runs everything
  std::string model = "model";         // in the names of layers
};

inline std::shared_ptr<const profile::Profile> training_run(const TrainingOptions& options) {
  testing::Sketch sketch(options.devices);
  std::mt19937_64 random(options.seed);
  std::normal_distribution<double> factor(1, options.spread);
  constexpr int kLayers = 6;
  const profile::Row step = sketch.op("step", "step");
  std::vector<profile::Row> attention, linear, dropout;
  for (int layer = 0; layer < kLayers; ++layer) {
    const std::string path =
        fmt::format("/{}/blocks.{}", options.model, layer + options.first_layer);
    attention.push_back(sketch.op(path + ".attn/attention", "attention"));
    linear.push_back(sketch.op(path + ".mlp/linear", "linear"));
    dropout.push_back(sketch.op(path + ".mlp/dropout", "dropout"));
  }
  const profile::Row reduce = sketch.op("/ddp/all_reduce", "all_reduce"),
                     optimizer = sketch.op("/optimizer/adam", "adam");
  int64_t now = 1'000'000;
  for (int i = 0; i < options.iterations; ++i) {
    const double noise = factor(random) * options.clocks;
    const auto ns = [noise](double length) { return std::llround(length * noise); };
    sketch.instance(step, now, now + 100);
    int64_t host = now + 1'000, gpu = now + 50'000;
    const auto run = [&](profile::Row op, double length, std::string_view kernel, bool is_tc) {
      for (int device = 0; device < options.devices; ++device) {
        const profile::Row instance = sketch.instance(op, host, host + 4'000);
        host += 5'000;
        sketch.kernel(instance, gpu, gpu + ns(length), static_cast<profile::Row>(device), kernel,
                      is_tc);
      }
      gpu += ns(length);
    };
    const int64_t reduce_start = gpu + 100'000;
    for (std::size_t layer = 0; layer < kLayers; ++layer) {
      for (int call = 0; call < options.attentions; ++call) {
        run(attention[layer], 200'000, "flash_fwd_kernel", true);
      }
      run(linear[layer], 300'000 * options.linear * (layer == 0 ? options.first_linear : 1),
          options.replaces_kernel ? "sm90_xmma_gemm_bf16" : "ampere_sgemm_128x64_tn", true);
      if (options.has_dropout) run(dropout[layer], 50'000, "dropout_kernel", false);
    }
    const int64_t reduced = options.exposes_communication ? gpu : reduce_start;
    for (int device = 0; device < options.devices; ++device) {
      const profile::Row reduction = sketch.instance(reduce, host, host + 4'000);
      host += 5'000;
      sketch.kernel(reduction, reduced, reduced + ns(400'000), static_cast<profile::Row>(device),
                    "ncclDevKernel_AllReduce_Sum_bf16_RING_LL");
    }
    if (options.exposes_communication) gpu += ns(400'000);
    run(optimizer, 250'000, "multi_tensor_apply_kernel", false);
    now = gpu + 10'000;
  }
  sketch.instance(step, now, now + 100);
  return sketch.finish();
}

inline std::shared_ptr<const ComparedRun> compared_training(const TrainingOptions& options) {
  return compared_run(training_run(options), {.key_op = "step"});
}

}  // namespace dlview::aggregate
