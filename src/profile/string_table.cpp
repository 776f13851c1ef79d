#include "profile/string_table.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace dlview::profile {
namespace {

constexpr StringId kFree = UINT32_MAX;
constexpr std::size_t kTextsAhead = 16;
constexpr std::size_t kFewestSlots = 64;  // a power of two, as all numbers of slots

}  // namespace

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
  return intern(text, static_cast<uint32_t>(std::hash<std::string_view>()(text)));
}

StringId StringTableBuilder::intern(const StringTableBuilder& other, StringId id) {
  // Texts are mostly taken over one after the other: the slots of the next ones come from memory
  // meanwhile.
  if (id + kTextsAhead < other.hashes_.size() && !slots_.empty()) {
    __builtin_prefetch(&slots_[other.hashes_[id + kTextsAhead] & (slots_.size() - 1)]);
  }
  return intern(other[id], other.hashes_[id]);
}

StringId StringTableBuilder::intern(std::string_view text, uint32_t hash) {
  if (2 * hashes_.size() >= slots_.size()) grow();
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  for (; slots_[slot] != kFree; slot = (slot + 1) & mask) {
    const StringId known = slots_[slot];
    if (hashes_[known] == hash && (*this)[known] == text) return known;
  }
  const auto id = static_cast<StringId>(hashes_.size());
  slots_[slot] = id;
  bytes_.insert(bytes_.end(), text.begin(), text.end());
  offsets_.push_back(bytes_.size());
  hashes_.push_back(hash);
  return id;
}

void StringTableBuilder::grow() {
  slots_.assign(std::max(kFewestSlots, 2 * slots_.size()), kFree);
  const std::size_t mask = slots_.size() - 1;
  for (StringId id = 0; id < hashes_.size(); ++id) {
    std::size_t slot = hashes_[id] & mask;
    while (slots_[slot] != kFree) slot = (slot + 1) & mask;
    slots_[slot] = id;
  }
}

StringTable StringTableBuilder::finish() && {
  return {Column<char>(std::move(bytes_)), Column<uint64_t>(std::move(offsets_))};
}

}  // namespace dlview::profile
