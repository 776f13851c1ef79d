#include "fuzz/summary_sections.h"

#include <cstring>
#include <vector>
#include <xxhash.h>
#include <zstd.h>

#include "fuzz/fuzz.h"
#include "ranks/stored_parts.h"

namespace dlview::fuzz {

using ranks::SectionEntry;
using ranks::SummaryHead;

std::string sections_of(std::string_view file) {
  SummaryHead head;
  std::memcpy(&head, file.data(), sizeof head);
  const ranks::SummaryBytes bytes(file);
  ranks::SectionUnpacker unpacker(bytes);
  std::string sections, unpacked;
  for (uint32_t i = 0; i < head.sections; ++i) {
    SectionEntry entry;
    std::memcpy(&entry, file.data() + sizeof head + i * sizeof entry, sizeof entry);
    require(unpacker.unpack(entry, unpacked) == ranks::SectionUnpacker::Fault::none,
            "a section of a seed cannot be unpacked");
    require(unpacked.size() <= UINT16_MAX, "a section of a seed is too long");
    for (const uint32_t byte : {entry.section, entry.column, entry.block}) {
      sections += static_cast<char>(byte);
    }
    sections += static_cast<char>(unpacked.size() & 0xffU);
    sections += static_cast<char>(unpacked.size() >> 8U);
    sections += unpacked;
  }
  return sections;
}

std::string file_of(std::string_view sections) {
  std::vector<SectionEntry> entries;
  std::vector<std::string> packed;
  std::string_view left = sections;
  while (left.size() >= 5) {
    const auto byte = [&left](std::size_t at) { return static_cast<uint8_t>(left[at]); };
    SectionEntry entry;
    entry.section = byte(0);
    entry.column = byte(1);
    entry.block = byte(2);
    const std::string_view bytes = left.substr(5, byte(3) + (std::size_t{byte(4)} << 8U));
    left.remove_prefix(5 + bytes.size());
    std::string& section = packed.emplace_back(ZSTD_compressBound(bytes.size()), '\0');
    section.resize(ZSTD_compress(section.data(), section.size(), bytes.data(), bytes.size(), 1));
    entry.bytes = bytes.size();
    entry.packed_bytes = section.size();
    entry.checksum = XXH3_64bits(section.data(), section.size());
    entries.push_back(entry);
  }
  SummaryHead head;
  head.sections = static_cast<uint32_t>(entries.size());
  uint64_t offset = sizeof head + entries.size() * sizeof(SectionEntry);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i].offset = offset;
    offset += packed[i].size();
  }
  head.checksum = XXH3_64bits(entries.data(), entries.size() * sizeof(SectionEntry));
  std::string file(reinterpret_cast<const char*>(&head), sizeof head);
  file.append(reinterpret_cast<const char*>(entries.data()), entries.size() * sizeof(SectionEntry));
  for (const std::string& section : packed) file += section;
  return file;
}

}  // namespace dlview::fuzz
