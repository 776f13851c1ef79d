// Layout of a cache file, in the byte order of the machine:
//
//   Header      4096 bytes; its checksum covers itself, the directory and the facts
//   columns     each at a multiple of 64 bytes, as in memory
//   directory   one Entry per column, in the order of fields.h
//   facts       all data that is not a column: identity, texts, counts, optional values, and the
//               bytes that the program caches with the columns
//
// A file that differs in any way is ignored.
#pragma once

#include <array>
#include <cstdint>

namespace dlview::import::column_cache {

// Raise it when the same bytes mean something else, for example after ops get other names.
inline constexpr uint32_t kFormatVersion = 4;

inline constexpr std::array<char, 8> kMagic{'d', 'l', 'v', 'c', 'o', 'l', 's', '\n'};
inline constexpr uint32_t kByteOrder = 0x01020304;
inline constexpr uint64_t kHeaderRoom = 4096;
inline constexpr uint64_t kAlignment = 64;

struct Header {
  std::array<char, 8> magic = kMagic;
  uint32_t byte_order = kByteOrder;
  uint32_t format_version = kFormatVersion;
  uint64_t source_stamp = 0;  // of the program that wrote it
  uint64_t columns = 0;
  uint64_t layout = 0;  // layout_hash()
  uint64_t file_bytes = 0;
  uint64_t directory_offset = 0, facts_offset = 0, facts_bytes = 0;
  uint64_t checksum = 0;  // with 0 in its own place
};

struct Entry {
  uint64_t offset = 0, values = 0;
  uint64_t bytes_of_value = 0;
  uint64_t checksum = 0;
};

}  // namespace dlview::import::column_cache
