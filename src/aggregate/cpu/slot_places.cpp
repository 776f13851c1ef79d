#include "aggregate/cpu/slot_places.h"

#include <cstddef>
#include <cstdint>

namespace dlview::aggregate::cpu {

using profile::kNoRow;
using profile::Row;

std::vector<Share> shares_of_slots(const GroupSlots& slots, const std::vector<Share>& shares) {
  std::vector<uint8_t> any(slots.parent.size()), lost(slots.parent.size());
  for (Row op = 0; op < slots.of_op.size(); ++op) {
    if (shares[op] != Share::none) any[slots.of_op[op]] = 1;
    if (shares[op] != Share::all) lost[slots.of_op[op]] = 1;
  }
  for (std::size_t slot = any.size(); slot-- > 1;) {
    any[slots.parent[slot]] |= any[slot];
    lost[slots.parent[slot]] |= lost[slot];
  }
  std::vector<Share> result;
  for (std::size_t slot = 0; slot < any.size(); ++slot) {
    result.push_back(any[slot] == 0 ? Share::none : lost[slot] == 0 ? Share::all : Share::some);
  }
  return result;
}

namespace {

// Slots that hold what the slot around them holds.
std::vector<bool> repeats(const GroupSlots& slots) {
  std::vector<int> inside(slots.parent.size());  // ops and slots directly in a slot
  for (const Row slot : slots.of_op) ++inside[slot];
  for (std::size_t slot = 1; slot < slots.parent.size(); ++slot) ++inside[slots.parent[slot]];
  std::vector<bool> result(slots.parent.size());
  for (std::size_t slot = 1; slot < result.size(); ++slot) {
    result[slot] = inside[slots.parent[slot]] == 1;
  }
  return result;
}

}  // namespace

SlotPlaces places_for(const GroupSlots& slots, const std::vector<bool>& wanted) {
  const std::vector<bool> repeated = repeats(slots);
  SlotPlaces places;
  for (std::size_t slot = 0; slot < slots.parent.size(); ++slot) {
    if (!wanted[slot]) {
      places.of_slot.push_back(kNoRow);
      continue;
    }
    const Row around = slot == 0 ? Row{0} : places.of_slot[slots.parent[slot]];
    if (repeated[slot]) {
      places.of_slot.push_back(around);
    } else {
      places.of_slot.push_back(static_cast<Row>(places.parent.size()));
      places.parent.push_back(around);
    }
  }
  for (Row slot : slots.of_op) {
    while (slot != 0 && places.of_slot[slot] == kNoRow) slot = slots.parent[slot];
    places.of_op.push_back(places.of_slot[slot]);
  }
  return places;
}

}  // namespace dlview::aggregate::cpu
