#include "ranks/packed.h"

#include <type_traits>
#include <utility>

namespace dlview::ranks {
namespace {

__extension__ using UnsignedWide = unsigned __int128;

constexpr int kBitsOfByte = 7;
constexpr uint8_t kMore = 0x80;

template <typename Unsigned>
void append(Unsigned value, std::string& bytes) {
  while (value >= kMore) {
    bytes.push_back(static_cast<char>(static_cast<uint8_t>(value) | kMore));
    value >>= kBitsOfByte;
  }
  bytes.push_back(static_cast<char>(static_cast<uint8_t>(value)));
}

// nullopt: it does not end, or has more bits than the type.
template <typename Unsigned>
std::optional<Unsigned> take(std::string_view& bytes) {
  constexpr int kBits = static_cast<int>(sizeof(Unsigned)) * 8;
  Unsigned value = 0;
  std::size_t at = 0;
  for (int shift = 0; at < bytes.size() && shift < kBits; shift += kBitsOfByte) {
    const auto byte = static_cast<uint8_t>(bytes[at++]);
    const auto part = static_cast<Unsigned>(byte & (kMore - 1U));
    if (shift + kBitsOfByte > kBits && (part >> (kBits - shift)) != 0) return std::nullopt;
    value |= part << shift;
    if ((byte & kMore) == 0) {
      bytes.remove_prefix(at);
      return value;
    }
  }
  return std::nullopt;
}

template <typename Unsigned, typename Signed>
Unsigned zigzag(Signed value) {
  return (static_cast<Unsigned>(value) << 1U) ^ static_cast<Unsigned>(value < 0 ? -1 : 0);
}
template <typename Signed, typename Unsigned>
Signed from_zigzag(Unsigned value) {
  return static_cast<Signed>((value >> 1U) ^ (Unsigned{0} - (value & 1U)));
}

}  // namespace

void Packer::add(int64_t value) {
  append(zigzag<uint64_t>(value), bytes_);
}
void Packer::add_count(uint64_t value) {
  append(value, bytes_);
}
void Packer::add_wide(Wide value) {
  append(zigzag<UnsignedWide>(value), bytes_);
}
void Packer::add(std::string_view text) {
  add_count(text.size());
  bytes_ += text;
}

void Unpacker::refuse() {
  fits_ = false;
  bytes_ = {};
}

uint64_t Unpacker::count() {
  const auto value = take<uint64_t>(bytes_);
  if (!value) refuse();
  return value.value_or(0);
}
int64_t Unpacker::number() {
  return from_zigzag<int64_t>(count());
}
Wide Unpacker::wide() {
  const auto value = take<UnsignedWide>(bytes_);
  if (!value) refuse();
  return from_zigzag<Wide>(value.value_or(0));
}
std::size_t Unpacker::size() {
  const uint64_t value = count();
  if (value > bytes_.size()) refuse();
  return fits_ ? static_cast<std::size_t>(value) : 0;
}
std::string_view Unpacker::text() {
  const std::string_view text = bytes_.substr(0, size());
  if (fits_) bytes_.remove_prefix(text.size());
  return fits_ ? text : std::string_view();
}

std::string pack_column(std::span<const int64_t> values) {
  std::string bytes;
  uint64_t last = 0;
  for (const int64_t value : values) {
    // Differences wrap around.
    append(zigzag<uint64_t>(static_cast<int64_t>(static_cast<uint64_t>(value) - last)), bytes);
    last = static_cast<uint64_t>(value);
  }
  return bytes;
}

std::optional<std::vector<int64_t>> unpack_column(std::string_view bytes, std::size_t size) {
  if (size > bytes.size()) return std::nullopt;
  std::vector<int64_t> values(size);
  uint64_t last = 0;
  for (int64_t& value : values) {
    const auto difference = take<uint64_t>(bytes);
    if (!difference) return std::nullopt;
    last += static_cast<uint64_t>(from_zigzag<int64_t>(*difference));
    value = static_cast<int64_t>(last);
  }
  return bytes.empty() ? std::optional(std::move(values)) : std::nullopt;
}

}  // namespace dlview::ranks
