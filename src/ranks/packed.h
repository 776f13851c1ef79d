// Packed integers: the bytes of a summary file. A number is a varint (seven bits a byte, the lowest
// first, the highest bit set where more follow), a signed one zigzag before (0, -1, 1, -2 ...), and
// a column is the differences of its values.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dlview::ranks {

// Sums over all ranks of a run need more than 64 bits: 16,384 ranks of 8 GPUs in a day.
__extension__ using Wide = __int128;

class Packer {
 public:
  void add(int64_t value);
  void add_count(uint64_t value);
  void add_wide(Wide value);
  void add(std::string_view text);  // with its length
  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Reads what a Packer wrote; after the first thing that does not fit all is 0 and empty.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}
  int64_t number();
  uint64_t count();
  // A count of things that take at least a byte each: more than there are bytes does not fit.
  std::size_t size();
  Wide wide();
  std::string_view text();
  // What was read last is not possible.
  void refuse();
  bool fits() const { return fits_; }
  bool is_done() const { return fits_ && bytes_.empty(); }

 private:
  std::string_view bytes_;
  bool fits_ = true;
};

std::string pack_column(std::span<const int64_t> values);
// nullopt: these are not `size` values.
std::optional<std::vector<int64_t>> unpack_column(std::string_view bytes, std::size_t size);
// Into all of `values`; false: these are not so many.
bool unpack_column(std::string_view bytes, std::span<int64_t> values);

}  // namespace dlview::ranks
