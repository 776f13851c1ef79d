// The demo: a synthetic training run of a ResNet, as a profiler would have recorded it. Equal
// options give equal runs on every machine.
//
// It contains: long warm-up iterations (convolutions are tuned), one iteration that skips its
// batch, one that waits for the data loader, some that write a checkpoint, a convolution that
// misses the Tensor Cores because of its data type, copies that delay the first kernels,
// all-reduces that overlap the backward pass and one after it, and four unused GPUs on a machine
// with eight.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "generate/changes.h"
#include "generate/demo_truth.h"
#include "profile/profile.h"

namespace dlview::generate {

enum class Framework { pytorch, tensorflow };

struct DemoOptions {
  int64_t iterations = 256;   // instances of the key op; 0: the run cannot be split
  int64_t kernels = 100'000;  // exactly, unless fewer-iterations ends the run
  int gpus = 1;               // of 8 GPUs only the first 4 are used, of fewer all
  Framework framework = Framework::pytorch;
  uint64_t seed = 1;
  // An op of the steps that launches kernels launches at least so many, its own again and again; 0:
  // as many as its framework does, often one.
  int64_t kernels_per_op = 0;
  std::vector<PlantedChange> changes = {};
  std::optional<PlantedNoise> noise = std::nullopt;  // instead of the demo's own iteration noise
};

inline constexpr int kMostGpus = 16;

// An Error says which option is out of bounds. A canceled job returns an Error titled "Canceled".
// `truth`: filled in unless null.
base::Result<profile::Profile> make_demo_profile(const DemoOptions& options,
                                                 base::Progress& progress,
                                                 DemoTruth* truth = nullptr);

// Returns the number of iterations that the run has, with its changes.
int64_t played_iterations(const DemoOptions& options);

// Returns the iteration marker: an op id (PyTorch) or an op name (TensorFlow).
std::string demo_key_op(Framework framework);

}  // namespace dlview::generate
