// What the formulas of op_work.cpp share: a call with its texts read, and sums of bytes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/limits/call_shapes.h"
#include "aggregate/limits/op_work.h"
#include "profile/data_types.h"

namespace dlview::aggregate {

// A call with its texts read.
struct ReadCall {
  std::string name;  // "addmm": without namespace, underscore of in-place ops, in lower case
  bool is_in_place = false, is_backward = false, is_aten = false;
  std::vector<InputShape> inputs;
  std::optional<std::vector<InputShape>> outputs;  // nullopt = not recorded
  std::vector<std::string> types, parameters;
  std::optional<int64_t> data_bytes;  // of an element of the op's data type

  bool is(std::initializer_list<std::string_view> names) const {
    return std::ranges::find(names, std::string_view(name)) != names.end();
  }
  template <std::size_t count>
  bool is_one_of(const std::array<std::string_view, count>& names) const {
    return std::ranges::find(names, std::string_view(name)) != names.end();
  }
  bool has(std::size_t input) const { return input < inputs.size() && !inputs[input].dims.empty(); }
  const Dims& dims(std::size_t input) const { return inputs[input].dims; }
  // Bytes of an element of an input; 0 = unknown.
  int64_t bytes_of(std::size_t input) const {
    if (input < types.size()) {
      if (const auto bytes = profile::bytes_of_data_type(types[input])) return *bytes;
    }
    return data_bytes.value_or(0);
  }
  std::optional<Dims> numbers(std::size_t input) const {
    return input < parameters.size() ? read_numbers(parameters[input]) : std::nullopt;
  }
  std::optional<bool> flag(std::size_t input) const {
    return input < parameters.size() ? read_flag(parameters[input]) : std::nullopt;
  }
};

// Sums the bytes of tensors; nullopt = an element size is unknown.
class TensorBytes {
 public:
  TensorBytes& add(Amount elements, int64_t bytes_each) {
    is_known_ &= bytes_each > 0;
    sum_ = sum_ + elements * Amount(bytes_each);
    return *this;
  }
  std::optional<Amount> sum() const { return is_known_ ? std::optional(sum_) : std::nullopt; }

 private:
  Amount sum_{0};
  bool is_known_ = true;
};

// A work that is unknown for this reason.
OpWork unknown_work(std::string why);

// Sets what fits; a number beyond 2^63 is unknown.
void set_work(OpWork& work, Amount flops, std::optional<Amount> bytes);

// A parameter of each of `count` dimensions: one for all is repeated. nullopt = not recorded.
std::optional<Dims> of_dimensions(const ReadCall& call, std::size_t input, std::size_t count);

// A dimension, stride or padding that is larger is unknown: products of two fit.
inline constexpr int64_t kMostSize = 1 << 30;

// Sizes of the result without batch and channels; nullopt = the kernel is larger than the input, or
// a number too large.
std::optional<Dims> convolution_output(const Dims& in, const Dims& kernel, const Dims& stride,
                                       const Dims& padding, const Dims& dilation, bool transposed);

// nullopt = the op is not a convolution, or its shapes are not recorded.
std::optional<ConvolutionSizes> convolution_sizes(const ReadCall& call);

// GEMMs, convolutions and attention; nullopt = the op is none of them.
std::optional<OpWork> product_work(const ReadCall& call);

// Ops that pass over their tensors: elementwise, reductions, normalization, copies, lookups,
// optimizers. Unknown if none of them.
OpWork pass_over_work(const ReadCall& call);

}  // namespace dlview::aggregate
