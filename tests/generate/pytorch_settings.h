// Settings of synthetic PyTorch traces over all that the generator can write: all writers and
// years in turn, the rest drawn at random.
#pragma once

#include <algorithm>
#include <cstdint>

#include "generate/pytorch.h"
#include "generate/random.h"

namespace dlview::testing {

inline constexpr generate::PytorchWriter kTraceWriters[] = {
    generate::PytorchWriter::kineto, generate::PytorchWriter::python_exporter,
    generate::PytorchWriter::python_json, generate::PytorchWriter::autograd};
inline constexpr generate::PytorchSchema kTraceSchemas[] = {
    generate::PytorchSchema::v2021, generate::PytorchSchema::v2023, generate::PytorchSchema::v2024,
    generate::PytorchSchema::v2026};

// Settings of this many seeds in a row have everything (GeneratedTrace.VariesAllSettings), from the
// seeds with which tests compare the truth with another program, and dlview with the truth.
inline constexpr uint64_t kTraceSettings = 20, kTruthSeed = 1'040, kImportSeed = 2'180;

// Equal seeds give equal settings.
inline generate::PytorchOptions any_trace_options(uint64_t seed) {
  generate::Random random(seed);
  const auto coin = [&] { return random.below(2) == 1; };
  generate::PytorchOptions options;
  options.seed = seed;
  options.iterations = random.below(6);
  options.kernels = 120 * std::max<int64_t>(1, options.iterations) + random.below(400);
  options.gpus = coin() ? 1 : static_cast<int>(random.between(2, 16));
  options.rank = static_cast<int>(random.below(options.gpus));
  options.writer = kTraceWriters[seed % 4];
  options.schema = options.writer == generate::PytorchWriter::python_exporter
                       ? generate::PytorchSchema::v2026
                       : kTraceSchemas[seed / 4 % 4];
  options.indent = static_cast<int>(2 * random.below(3));
  options.record_shapes = coin();
  options.with_stack = coin();
  options.profile_memory = coin();
  options.cuda_graphs = coin();
  options.checkpointing = coin();
  options.compiled = coin();
  if (coin() && options.schema >= generate::PytorchSchema::v2024) {
    options.gpu = generate::PytorchGpu::amd;
  }
  options.sync_events = coin() && options.schema >= generate::PytorchSchema::v2023 &&
                        options.gpu == generate::PytorchGpu::nvidia;
  options.counters = coin();
  return options;
}

}  // namespace dlview::testing
