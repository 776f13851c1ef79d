// CUDA graphs that were traced as a whole: each launch is one kernel, with a name given by dlview.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace dlview::profile {

inline constexpr std::string_view kWholeGraph = "CUDA graph";

// "CUDA graph 7"; without its number if it is not recorded.
inline std::string whole_graph_name(std::optional<int64_t> graph) {
  return graph ? fmt::format("{} {}", kWholeGraph, *graph) : std::string(kWholeGraph);
}
// Takes the short name of a kernel.
inline bool is_whole_graph(std::string_view name) {
  return name == kWholeGraph ||
         (name.starts_with(kWholeGraph) && name.substr(kWholeGraph.size()).starts_with(' ') &&
          name.find_first_not_of("0123456789", kWholeGraph.size() + 1) == std::string_view::npos);
}

}  // namespace dlview::profile
