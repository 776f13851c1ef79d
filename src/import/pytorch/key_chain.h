// KeyChain: the text between the values of objects, which a program repeats: a comma, spaces, a key
// and a colon. A known piece is found again by comparing memory, without reading its tokens. A
// piece that differs in any byte is read as usual.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace dlview::import::pytorch {

class KeyChain {
 public:
  // One piece; it ends where the value begins, or after the brace that closes the object.
  struct Link {
    static constexpr std::size_t kMostBytes = 64, kMostNext = 4;
    std::array<char, kMostBytes> text;
    uint8_t size = 0, key_begin = 0, key_size = 0;
    uint8_t field = 0;  // the caller's number of the key
    bool is_end = false;
    std::array<uint8_t, kMostNext>
        next;  // pieces that followed it, mostly the latest first; 0 = none

    std::string_view key(const char* at) const { return {at + key_begin, key_size}; }
  };
  // Pieces that follow one of these begin an object.
  static constexpr uint8_t kNone = 0, kEvent = 1, kArguments = 2;

  KeyChain() {
    for (const uint8_t begin : {kNone, kEvent, kArguments}) links_[begin].next.fill(kNone);
  }

  // Returns the piece at `at` if it followed `last` before; kNone if not, or if it is cut.
  uint8_t find(uint8_t last, const char* at, const char* end) {
    std::array<uint8_t, Link::kMostNext>& next = links_[last].next;
    for (std::size_t i = 0; i < next.size() && next[i] != kNone; ++i) {
      const uint8_t link = next[i];
      if (!begins_with(at, end, links_[link])) continue;
      if (i > 0) std::swap(next[i], next[i - 1]);
      return link;
    }
    return kNone;
  }
  const Link& operator[](uint8_t link) const { return links_[link]; }

  // Keeps a piece that follows `last`, and returns it; kNone where it is too long, or where many
  // differ. `key` is inside; an empty view in front of the end of an object.
  uint8_t add(uint8_t last, std::string_view text, std::string_view key, uint8_t field,
              bool is_end);

 private:
  static bool begins_with(const char* at, const char* end, const Link& link);

  std::array<Link, 256> links_;  // NOLINT: [kArguments + 1, count_) are written when they are added
  std::size_t count_ = kArguments + 1;
};

inline bool KeyChain::begins_with(const char* at, const char* end, const Link& link) {
  const auto bytes = static_cast<std::size_t>(end - at);
#if defined(__SSE2__)
  if (bytes >= Link::kMostBytes) {
    for (std::size_t begin = 0;; begin += 16) {
      const auto load = [begin](const char* from) {
        return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + begin));
      };
      const auto differs = ~static_cast<unsigned>(
          _mm_movemask_epi8(_mm_cmpeq_epi8(load(at), load(link.text.data()))));
      const std::size_t rest = link.size - begin;
      if (rest <= 16) return (differs & ((1U << rest) - 1)) == 0;
      if ((differs & 0xffffU) != 0) return false;
    }
  }
#endif
  return bytes >= link.size && std::memcmp(at, link.text.data(), link.size) == 0;
}

}  // namespace dlview::import::pytorch
