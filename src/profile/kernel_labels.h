// Unique display names of kernels (docs/dev/spec.md 102). The short name of a C++ function is not
// unique: a hundred kernels are called "vectorized_elementwise_kernel".
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

// Returns the identity of a kernel, equal for the same function in any capture: the demangled name
// without the parts that do not distinguish functions (cpp_name.h), else the short name.
std::string kernel_identity(const KernelTexts& texts);

// Returns a label for each kernel; kernels share a label only if they share the identity. It is the
// short name if no other kernel has it. Otherwise the parts that differ are added:
// "vectorized_elementwise<add>", "strided_dgrad_indexed 128x256x32 tf32".
std::vector<std::string> kernel_labels(std::span<const KernelTexts> kernels);

}  // namespace dlview::profile
