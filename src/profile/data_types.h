// Data types of tensors, by the names that profilers write.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace dlview::profile {

// "float32" of `["long int","float",""]`, of the first tensor of floating-point numbers; else of
// the first tensor; empty = no tensor. A literal. The list is JSON as PyTorch traces have it.
std::string_view data_type_of(std::string_view input_types);

// Whether a data type ("int64") is one of indices, counts or masks rather than of what an op
// computes with.
bool is_of_integers(std::string_view data_type);

// Bytes of an element: "bfloat16" as Python names it, "BFloat16" as c10, "c10::BFloat16" or
// "long int" as C++. nullopt = unknown.
std::optional<int64_t> bytes_of_data_type(std::string_view name);

}  // namespace dlview::profile
