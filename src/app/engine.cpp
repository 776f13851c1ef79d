#include "app/engine.h"

#include <fmt/format.h>

namespace dlview::app {

base::Result<EngineChoice> parse_engine(std::string_view text) {
  if (text == "auto") return EngineChoice::automatic;
  if (text == "cpu") return EngineChoice::cpu;
  if (text == "cuda") return EngineChoice::cuda;
  return base::Error{"There is no such engine", fmt::format("--engine {}", text),
                     "Use auto, cpu or cuda"};
}

EngineFactory engine_factory(EngineChoice) {
  return aggregate::make_cpu_aggregator;
}

std::optional<std::string> engine_notice(EngineChoice choice) {
  if (choice != EngineChoice::cuda) return std::nullopt;
  return "This dlview has no CUDA engine; the CPU engine computes the same numbers";
}

}  // namespace dlview::app
