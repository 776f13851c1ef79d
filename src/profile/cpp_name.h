// CppName: the demangled name of a function, in parts, without those that do not distinguish
// functions of one program: return types, parameter lists of templates (demanglers write "T1" or
// the type), unnamed and versioned namespaces, casts of numbers, arrays of pointers and allocators
// among the template arguments.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlview::profile {

struct CppName {
  // The part between two "::".
  struct Part {
    std::string text;                // "lambda" of a lambda
    std::vector<CppName> arguments;  // of the template; parameter types of a lambda
    int number = 0;                  // of a lambda, from 1 on: which one of its function
    bool is_lambda() const { return number > 0; }
    bool operator==(const Part&) const = default;
  };
  std::vector<Part> parts;  // never empty
  std::string suffix;       // "*" of "char*"
  std::string parameters;   // "(float*, int)" of a function that is no template, else empty

  const Part& last() const { return parts.back(); }
  bool operator==(const CppName&) const = default;
};

// Returns nullopt if the text is not the name of a C++ function ("ampere_sgemm_128x64"), nests too
// deeply or is longer than 64 KiB. Takes time proportional to the length.
std::optional<CppName> read_cpp_name(std::string_view demangled);

// "at::native::elementwise_kernel<128, gpu_kernel_impl<exp_kernel_cuda::lambda(float)#1>>"
std::string to_text(const CppName& name);

}  // namespace dlview::profile
