#include "ranks/packed.h"

#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>

namespace dlview::ranks {
namespace {

__extension__ using UnsignedWide = unsigned __int128;

constexpr int kBitsOfByte = 7;
constexpr uint8_t kMore = 0x80;
constexpr std::ptrdiff_t kBytesAtOnce = 8;
constexpr uint64_t kMoreOfAll = 0x8080808080808080U;  // of eight bytes

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

// The seven low bits of each byte, without gaps.
constexpr uint64_t joined(uint64_t word) {
  if (word <= UINT32_MAX) {
    return (word & 0x7fU) | ((word >> 1U) & 0x3f80U) | ((word >> 2U) & 0x1fc000U) |
           ((word >> 3U) & 0xfe00000U);
  }
  word &= ~kMoreOfAll;
  word = (word & 0x007f007f007f007fU) | ((word & 0x7f007f007f007f00U) >> 1U);
  word = (word & 0x00003fff00003fffU) | ((word & 0x3fff00003fff0000U) >> 2U);
  return (word & 0x000000000fffffffU) | ((word & 0x0fffffff00000000U) >> 4U);
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

bool unpack_column(std::string_view bytes, std::span<int64_t> values) {
  if (values.size() > bytes.size()) return false;
  uint64_t last = 0;
  const auto next = [&last](uint64_t difference) {
    last += static_cast<uint64_t>(from_zigzag<int64_t>(difference));
    return static_cast<int64_t>(last);
  };
  const char* byte = bytes.data();
  const char* const end = byte + bytes.size();
  auto value = values.begin();
  // Eight bytes at once where there are so many: of one number, or of eight that are one byte each.
  while (std::endian::native == std::endian::little && value != values.end() &&
         end - byte >= kBytesAtOnce) {
    uint64_t word = 0;
    std::memcpy(&word, byte, sizeof word);
    const uint64_t ends = ~word & kMoreOfAll;
    if (ends == kMoreOfAll && values.end() - value >= kBytesAtOnce) {
      for (int bit = 0; bit < 64; bit += 8) *value++ = next((word >> bit) & (kMore - 1U));
      byte += kBytesAtOnce;
    } else if (ends == 0) {
      std::string_view rest(byte, static_cast<std::size_t>(end - byte));
      const auto difference = take<uint64_t>(rest);
      if (!difference) return false;
      *value++ = next(*difference);
      byte = rest.data();
    } else {
      const int bits = std::countr_zero(ends) + 1;  // of the number, with those that say "more"
      *value++ = next(joined(word & (~uint64_t{0} >> (64 - bits))));
      byte += bits / 8;
    }
  }
  std::string_view rest(byte, static_cast<std::size_t>(end - byte));
  for (; value != values.end(); ++value) {
    const auto difference = take<uint64_t>(rest);
    if (!difference) return false;
    *value = next(*difference);
  }
  return rest.empty();
}

std::optional<std::vector<int64_t>> unpack_column(std::string_view bytes, std::size_t size) {
  if (size > bytes.size()) return std::nullopt;
  std::vector<int64_t> values(size);
  if (!unpack_column(bytes, values)) return std::nullopt;
  return values;
}

}  // namespace dlview::ranks
