#include "profile/string_table.h"

#include <utility>

namespace dlview::profile {

StringTable::StringTable() : offsets_(std::vector<uint64_t>{0, 0}) {}

StringTable::StringTable(Column<char> bytes, Column<uint64_t> offsets)
    : bytes_(std::move(bytes)), offsets_(std::move(offsets)) {}

std::optional<StringId> StringTable::find(std::string_view text) const {
  for (StringId id = 0; id < size(); ++id) {
    if ((*this)[id] == text) return id;
  }
  return std::nullopt;
}

StringId StringTableBuilder::intern(std::string_view text) {
  if (const auto known = ids_.find(text); known != ids_.end()) return known->second;
  const auto id = static_cast<StringId>(offsets_.size() - 1);
  bytes_.insert(bytes_.end(), text.begin(), text.end());
  offsets_.push_back(bytes_.size());
  ids_.emplace(text, id);
  return id;
}

StringTable StringTableBuilder::finish() && {
  return {Column<char>(std::move(bytes_)), Column<uint64_t>(std::move(offsets_))};
}

}  // namespace dlview::profile
