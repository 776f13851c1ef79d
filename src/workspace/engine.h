// Chooses the engine that aggregates: by --engine and by what this machine has.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "aggregate/aggregator.h"
#include "aggregate/cpu/cpu_engine.h"
#include "aggregate/cuda/cuda_engine.h"
#include "base/result.h"
#include "profile/profile.h"

namespace dlview::workspace {

// Makes the engine of a profile.
using EngineFactory =
    std::function<std::unique_ptr<aggregate::Aggregator>(std::shared_ptr<const profile::Profile>)>;

enum class EngineChoice { automatic, cpu, cuda };

// "auto", "cpu" or "cuda".
base::Result<EngineChoice> parse_engine(std::string_view text);

// The engines to choose from.
struct Engines {
  aggregate::MakeEngine cpu = aggregate::cpu_engine();
  aggregate::MakeEngine cuda = aggregate::make_cuda_engine;
  std::function<base::Result<aggregate::CudaDevice>()> find_device = aggregate::cuda_device;
  // Automatic: up to so many op instances, kernels and memory operations together the CPU is not
  // measured against a GPU.
  std::size_t small_run = 0;
};
Engines engines_of_this_machine();

// Automatic: the CPU for a small run or where there is no device, else whichever answers faster.
// Whatever is chosen, the CPU engine takes over from one that fails.
EngineFactory engine_factory(EngineChoice choice,
                             const Engines& engines = engines_of_this_machine());

// Returns the notice if the chosen engine is not available; the other engine is used then.
std::optional<std::string> engine_notice(EngineChoice choice);

}  // namespace dlview::workspace
