// Changes that are planted into a generated run, and its noise: comparing it with the run without
// them has a known answer.
//
//   slower-op=NAME:FACTOR        kernels of the op take FACTOR times as long
//   replaced-kernel[=NAME]       the longest kernel of the op has another name
//   exposed-communication        kernels wait for each all-reduce
//   other-gpu                    another model; durations stay
//   renamed-layers               other names of modules
//   renumbered-layers            the number of each block is 16 more
//   fewer-iterations=COUNT       the run ends after COUNT iterations, which are as they were
//   clocks=FACTOR                all kernels take 1 / FACTOR times as long
//
// NAME is the name of an op, or a type for all ops of that type. Changes add up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dlview::generate {

enum class PlantedKind : uint8_t {
  slower_op,
  replaced_kernel,
  exposed_communication,
  other_gpu,
  renamed_layers,
  renumbered_layers,
  fewer_iterations,
  clocks
};

inline constexpr int64_t kMillion = 1'000'000;

struct PlantedChange {
  PlantedKind kind = PlantedKind::clocks;
  std::string op = {};            // name or type; empty = the op whose kernel takes longest
  int64_t factor_ppm = kMillion;  // as given; ignored by kinds without a factor
  int64_t count = 0;              // of iterations
  bool operator==(const PlantedChange&) const = default;
};

// Standard deviations, as shares: of a factor of each iteration, and of a factor of the whole run.
// All kernels take these times as long. Two seeds are two captures of one state.
struct PlantedNoise {
  int64_t between_ppm = 0, within_ppm = 0;
  bool operator==(const PlantedNoise&) const = default;
};

// "slower-op=conv2d:1.1", "clocks=0.97".
base::Result<PlantedChange> parse_change(std::string_view text);
std::string_view to_text(PlantedKind kind);        // "slower-op"
std::string to_text(const PlantedChange& change);  // parse_change() reads it back
std::string known_changes();                       // "slower-op=NAME:FACTOR, ..."

// "between=0.7%,within=1.3%": either or both.
base::Result<PlantedNoise> parse_noise(std::string_view text);
std::string to_text(const PlantedNoise& noise);

// "1.1" for 1'100'000.
std::string share_text(int64_t ppm);

}  // namespace dlview::generate
