// What was planted into a demo run, counted from the events as they were made. The truths of the
// run with changes and of the run without them say how far the two lie apart.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "generate/changes.h"

namespace dlview::generate {

// Times are sums over all GPUs, in ns; overlapping kernels count once each.
struct DemoTruth {
  // Counts kernels and their time. `unchanged_ns`: their time without any planted change.
  struct Sum {
    int64_t kernels = 0, ns = 0, unchanged_ns = 0;
    bool operator==(const Sum&) const = default;
  };
  struct Change {
    PlantedChange change;
    // Names of the ops that changed, with the change; empty = all. Exports of Nsight Systems have
    // other names for ops that only the backward pass has.
    std::vector<std::string> ops = {};
    // Names without and with the change: of kernels, layers or the GPU.
    std::vector<std::pair<std::string, std::string>> names = {};
  };
  struct Step {
    std::string kind;  // "setup", "normal", "warm-up", "skipped", "slow loading", "checkpoint"
    Sum all;           // all kernels
    int64_t communication_ns = 0;
    int64_t exposed_communication_ns = 0;  // while no other kernel of the GPU runs
    std::vector<Sum> changes = {};         // in the order of DemoTruth::changes
  };

  std::string key_op;  // the iteration marker
  uint64_t seed = 0;
  int gpus = 0;  // that work
  std::optional<PlantedNoise> noise;
  int64_t run_level_ppm = kMillion;  // the factor of all kernels that `between` gave this run
  std::vector<Change> changes;
  std::vector<Step> steps;  // by the number of the iteration; 0 = before the first marker
};

std::string to_json(const DemoTruth& truth);

}  // namespace dlview::generate
