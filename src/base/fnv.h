// FNV-1a: a hash that is the same on every machine, for data stored between runs of the program.
// http://www.isthe.com/chongo/tech/comp/fnv/
#pragma once

#include <cstdint>
#include <string_view>

namespace dlview::base {

class Fnv1a {
 public:
  void add_byte(uint8_t byte) { hash_ = (hash_ ^ byte) * 1099511628211u; }
  void add(std::string_view text) {
    for (const char letter : text) add_byte(static_cast<uint8_t>(letter));
  }
  void add(uint64_t value) {  // the lowest byte first
    for (int bit = 0; bit < 64; bit += 8) add_byte(static_cast<uint8_t>(value >> bit));
  }
  uint64_t value() const { return hash_; }

 private:
  uint64_t hash_ = 14695981039346656037u;
};

}  // namespace dlview::base
