#include "aggregate/cpu/slot_places.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "base/parallel.h"

namespace dlview::aggregate::cpu {

using profile::InstanceIndex;
using profile::kNoRow;
using profile::OpIndex;
using profile::Profile;
using profile::Row;

std::vector<Share> shares_of_slots(const GroupSlots& slots, const std::vector<Share>& shares) {
  std::vector<uint8_t> any(slots.parent.size()), lost(slots.parent.size());
  for (OpIndex op{0}; op < slots.of_op.size(); ++op) {
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
    assert(around != kNoRow);
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

namespace {

// Each piece of the iterations remembers when it met each op.
constexpr std::size_t kPieces = 8;

// By op: whether an iteration runs it more than once.
std::vector<uint8_t> runs_again(const Profile& profile, const std::vector<Iteration>& iterations) {
  std::vector<uint8_t> again(profile.ops.size());
  const std::size_t grain = (iterations.size() + kPieces - 1) / kPieces;
  base::parallel_for(iterations.size(), grain, [&](std::size_t begin, std::size_t end) {
    const Row* const op = profile.instances.op.span().data();
    std::vector<Row> next_instance(again.size());  // behind the last one of each op
    for (std::size_t i = begin; i < end; ++i) {
      const Iteration& iteration = iterations[i];
      for (InstanceIndex row = iteration.first_instance; row < iteration.last_instance; ++row) {
        const std::atomic_ref runs_again(again[op[row]]);
        if (next_instance[op[row]] > iteration.first_instance &&
            runs_again.load(std::memory_order_relaxed) == 0) {
          runs_again.store(1, std::memory_order_relaxed);
        }
        next_instance[op[row]] = row + 1;
      }
    }
  });
  return again;
}

// Whether each begins with the instance behind the last one of that before.
bool join_up(const std::vector<Iteration>& iterations) {
  const auto parts = [](const Iteration& one, const Iteration& next) {
    return next.first_instance != one.last_instance;
  };
  return std::ranges::adjacent_find(iterations, parts) == iterations.end();
}

}  // namespace

std::vector<OpIndex> lone_ops(const GroupSlots& slots, const Profile& profile,
                              const Iterations& iterations) {
  std::vector<OpIndex> lone(slots.parent.size());
  if (!join_up(iterations.rows)) return lone;
  std::vector<Row> count(slots.parent.size());  // of ops
  for (OpIndex op{0}; op < slots.of_op.size(); ++op) {
    ++count[slots.of_op[op]];
    lone[slots.of_op[op]] = op;
  }
  for (std::size_t slot = count.size(); slot-- > 1;) {
    count[slots.parent[slot]] += count[slot];
    if (lone[slot] != kNoRow) lone[slots.parent[slot]] = lone[slot];
  }
  const std::vector<uint8_t> again = runs_again(profile, iterations.rows);
  for (std::size_t slot = 0; slot < lone.size(); ++slot) {
    if (slot == 0 || count[slot] != 1 || again[lone[slot]] != 0) lone[slot] = {};
  }
  return lone;
}

}  // namespace dlview::aggregate::cpu
