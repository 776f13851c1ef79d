// Names by which kernels are told apart (docs/dev/spec.md 102). The short name of a C++ function
// does not: "vectorized_elementwise_kernel" is a hundred of them, and "kernel" is whatever it
// wants.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dlview::profile {

struct KernelTexts {
  std::string_view short_name;  // "reduce_kernel"
  std::string_view demangled;   // empty = not recorded
};

// Equal for the same function in any capture: the demangled name without what tells no two
// functions apart (cpp_name.h), else the short name.
std::string kernel_identity(const KernelTexts& texts);

// A label for each; those of one identity share one, those of different identities have different
// ones. It is the short name where no other kernel bears it, else what tells them apart:
// "vectorized_elementwise<add>", "strided_dgrad_indexed 128x256x32 tf32".
std::vector<std::string> kernel_labels(std::span<const KernelTexts> kernels);

}  // namespace dlview::profile
