// The labeled set: synthetic captures, each with the iteration marker that a person would choose
// and why. It tests the rules that choose a marker (aggregate/key_ops.h).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "generate/programs/training.h"

namespace dlview::generate::programs {

struct LabeledProgram {
  std::string_view name;
  std::string_view reason;  // of the label
  Program (*make)(uint64_t seed);
};

// Names are unique.
std::span<const LabeledProgram> labeled_programs();

// Returns a program with random traits of those above. The same seed gives the same program.
Program random_program(uint64_t seed);

}  // namespace dlview::generate::programs
