// What a call records of its inputs, read from the JSON texts of PyTorch and DLProf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlview::aggregate {

using Dims = std::vector<int64_t>;

// One input: a tensor, a list of tensors, or neither (a scalar: no dims).
struct InputShape {
  Dims dims;
  std::vector<Dims> list;
  bool is_list = false;
};
// "[[32,3,224,224],[64,3,7,7],[]]"; nullopt = no such text, or a negative size.
std::optional<std::vector<InputShape>> read_shapes(std::string_view json);

// The texts of "[\"float\",\"\",\"[2, 2]\"]"; empty if it is no such list.
std::vector<std::string> read_texts(std::string_view json);

// "[2, 2]" or "2"; nullopt = neither.
std::optional<Dims> read_numbers(std::string_view text);
// "True", "true" or "1"; "False", "false" or "0".
std::optional<bool> read_flag(std::string_view text);

// An integer that remembers whether it became too large.
class Amount {
 public:
  Amount(int64_t value) : value_(value) {}  // NOLINT: implicit
  Amount operator*(Amount other) const;
  Amount operator+(Amount other) const;
  // nullopt = too large.
  std::optional<int64_t> value() const { return fits_ ? std::optional(value_) : std::nullopt; }

 private:
  int64_t value_;
  bool fits_ = true;
};
// 1 of a scalar.
Amount elements_of(const Dims& dims);

}  // namespace dlview::aggregate
