// The texts that one range of a table's rows uses, under numbers of its own in order of first use:
// threads that read ranges side by side share none.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "import/id_map.h"
#include "profile/string_table.h"

namespace dlview::import::nsys {

// A cell of the range: its row, from 1, and its column. Cells are read in this order.
struct Place {
  int64_t row = 0;
  int column = 0;
  auto operator<=>(const Place&) const = default;
};

class RangeTexts {
 public:
  // A row of StringIds, where it was first used and after how many written texts.
  struct Reference {
    int64_t id = 0;
    Place place;
    std::size_t texts_before = 0;
  };

  // The number of a row of StringIds, an index of references().
  uint32_t reference(int64_t id, Place place);
  // The number of a text that is written out, its id in written().
  profile::StringId write(std::string_view text);
  bool is_utf8(profile::StringId written) const { return !not_utf8_.contains(written); }

  const std::vector<Reference>& references() const { return references_; }
  const profile::StringTableBuilder& written() const { return written_; }

 private:
  IdMap<uint32_t> numbers_;
  std::vector<Reference> references_;
  profile::StringTableBuilder written_;
  std::unordered_set<profile::StringId> not_utf8_;
};

}  // namespace dlview::import::nsys
