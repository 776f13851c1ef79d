// Every text of a profile once, under a 32-bit id. Id 0 is the empty text. Ids follow the order of
// first use, not the alphabet; compare texts, not ids, where an order is wanted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profile/column.h"

namespace dlview::profile {

using StringId = uint32_t;

class StringTable {
 public:
  StringTable();
  StringTable(Column<char> bytes, Column<uint64_t> offsets);

  std::size_t size() const { return offsets_.size() - 1; }
  std::string_view operator[](StringId id) const {
    return {bytes_.span().data() + offsets_[id], offsets_[id + 1] - offsets_[id]};
  }
  // Linear in the number of texts; for look-ups by name from the command line, not for loops.
  std::optional<StringId> find(std::string_view text) const;

 private:
  Column<char> bytes_;        // all texts, one after the other
  Column<uint64_t> offsets_;  // text i = bytes [offsets[i], offsets[i + 1])
};

// Collects texts while a profile is built.
class StringTableBuilder {
 public:
  StringTableBuilder() { intern(""); }
  StringId intern(std::string_view text);
  // Valid until the next intern().
  std::string_view operator[](StringId id) const {
    return {bytes_.data() + offsets_[id], offsets_[id + 1] - offsets_[id]};
  }
  StringTable finish() &&;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  std::unordered_map<std::string, StringId, Hash, std::equal_to<>> ids_;
  std::vector<char> bytes_;
  std::vector<uint64_t> offsets_{0};
};

}  // namespace dlview::profile
