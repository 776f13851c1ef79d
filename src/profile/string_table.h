// Every text of a profile once, under a 32-bit id. Id 0 is the empty text. Ids follow the order of
// first use, not the alphabet; compare texts, not ids, where an order is wanted.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/large_memory.h"
#include "profile/column.h"

namespace dlview::profile {

using StringId = uint32_t;

class StringTable {
 public:
  StringTable();
  StringTable(Column<char> bytes, Column<uint64_t> offsets);

  std::size_t size() const { return offsets_.size() - 1; }
  // Empty where the offsets do not fit the bytes: a cache file that shrinks reads as zeros.
  std::string_view operator[](StringId id) const {
    const uint64_t begin = offsets_[id], end = offsets_[id + 1];
    if (begin > end || end > bytes_.size()) return {};
    return {bytes_.span().data() + begin, end - begin};
  }
  // Linear in the number of texts; for look-ups by name from the command line, not for loops.
  std::optional<StringId> find(std::string_view text) const;

  // As it is stored: all texts, and size() + 1 places in them.
  const Column<char>& bytes() const { return bytes_; }
  const Column<uint64_t>& offsets() const { return offsets_; }

 private:
  Column<char> bytes_;        // all texts, one after the other
  Column<uint64_t> offsets_;  // text i = bytes [offsets[i], offsets[i + 1])
};

// Collects texts while a profile is built.
class StringTableBuilder {
 public:
  StringTableBuilder() { intern(""); }
  StringId intern(std::string_view text);
  // As above, for a text of another builder, whose hash is known.
  StringId intern(const StringTableBuilder& other, StringId id);

  std::size_t size() const { return hashes_.size(); }
  // Valid until the next intern().
  std::string_view operator[](StringId id) const {
    return {bytes_.data() + offsets_[id], offsets_[id + 1] - offsets_[id]};
  }
  StringTable finish() &&;

 private:
  StringId intern(std::string_view text, uint32_t hash);
  void grow();

  base::LargeVector<char> bytes_;
  base::LargeVector<uint64_t> offsets_{0};
  base::LargeVector<uint32_t> hashes_;  // by id
  // Open addressing by hash, at most half full: an id, or kFree.
  base::LargeVector<StringId> slots_;
};

}  // namespace dlview::profile
