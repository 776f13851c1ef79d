// The forms of a kernel's name by which measured launches are compared with kernels
// (aggregate/limits/counter_join.h).
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace dlview::aggregate {

inline constexpr int kJoinLevels = 4;

// Level 3: without namespaces, casts and blanks.
std::string normalized_kernel_name(std::string_view name);
// Level 4: "vectorized_elementwise_kernel silu_kernel"; empty = no function was found.
std::string function_and_functor(std::string_view name);
// The form that a level compares, 1..4; empty = the name has none.
std::string form_of_name(std::string_view name, int level);

// The forms of measured names, each made once and only if a level needs it.
class MeasuredForms {
 public:
  const std::string& of(std::string_view name, int level) {
    std::optional<std::string>& form = forms_[name][static_cast<std::size_t>(level - 1)];
    if (!form) form = form_of_name(name, level);
    return *form;
  }

 private:
  std::unordered_map<std::string_view, std::array<std::optional<std::string>, kJoinLevels>> forms_;
};

}  // namespace dlview::aggregate
