#include "aggregate/cpu/iteration_sums.h"

#include <algorithm>
#include <bit>

namespace dlview::aggregate::cpu {
namespace {

using profile::kNoRow;
using profile::Profile;
using profile::Row;

// The sums of one iteration in every place, and which of them have any: a short iteration pays for
// its own groups only.
class OpenPlaces {
 public:
  explicit OpenPlaces(std::size_t places)
      : times_(places), counts_(places), open_((places + 63) / 64) {}

  void add(Row place, const InstanceTimes& times, int64_t instances) {
    times_[place] += times;
    counts_[place] += instances;
    open_[place / 64] |= uint64_t{1} << place % 64;
  }
  // From the innermost outwards, so that a place is complete when its turn comes.
  void close(const std::vector<Row>& parent, const GroupLayout& layout, Cells& cells) {
    for (std::size_t word = open_.size(); word-- > 0;) {
      while (open_[word] != 0) {
        const auto place = static_cast<Row>(word * 64 + 63 - std::countl_zero(open_[word]));
        open_[word] &= ~(uint64_t{1} << place % 64);
        if (place != 0) add(parent[place], times_[place], counts_[place]);
        layout.times.add(cells, place, values_of(times_[place]));
        cells.sums[layout.first_instance_count + place] += counts_[place];
        times_[place] = {};
        counts_[place] = 0;
      }
    }
  }

 private:
  std::vector<InstanceTimes> times_;
  std::vector<int64_t> counts_;
  std::vector<uint64_t> open_;  // one bit a place
};

// What the ops below each slot keep together.
std::vector<Share> shares_of_slots(const GroupSlots& slots, const Kept& kept) {
  std::vector<uint8_t> any(slots.parent.size()), lost(slots.parent.size());
  for (Row op = 0; op < slots.of_op.size(); ++op) {
    const Share share = kept.share_of(op);
    if (share != Share::none) any[slots.of_op[op]] = 1;
    if (share != Share::all) lost[slots.of_op[op]] = 1;
  }
  for (std::size_t slot = any.size(); slot-- > 1;) {
    any[slots.parent[slot]] |= any[slot];
    lost[slots.parent[slot]] |= lost[slot];
  }
  std::vector<Share> shares;
  for (std::size_t slot = 0; slot < any.size(); ++slot) {
    shares.push_back(any[slot] == 0 ? Share::none : lost[slot] == 0 ? Share::all : Share::some);
  }
  return shares;
}

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

// Places for the slots of this share.
SlotPlaces places_for(const GroupSlots& slots, std::vector<Share> shares, Share wanted) {
  const std::vector<bool> repeated = repeats(slots);
  SlotPlaces places;
  places.shares = std::move(shares);
  for (std::size_t slot = 0; slot < slots.parent.size(); ++slot) {
    if (places.shares[slot] != wanted) {
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

SlotPlaces places_of_all(const GroupTree& tree) {
  const GroupSlots slots(tree);
  return places_for(slots, std::vector(slots.parent.size(), Share::all), Share::all);
}

// Only slots that keep some: they contain each other up to the whole model.
SlotPlaces places_of_kept(const GroupTree& tree, const Kept& kept) {
  const GroupSlots slots(tree);
  return places_for(slots, shares_of_slots(slots, kept), Share::some);
}

// Adds up iterations. `kept` null = all rows.
BlockIndex::AddRows adder(const Profile& profile, const ProfileIndex& index,
                          const Iterations& iterations, const Kept* kept, const SlotPlaces& places,
                          const GroupLayout& layout) {
  return [&profile, &index, &iterations, kept, of_op = places.of_op, parent = places.parent,
          layout](std::size_t first, std::size_t end, Cells& cells) {
    const auto& op = profile.instances.op;
    OpenPlaces open(parent.size());
    for (std::size_t i = first; i < end; ++i) {
      const Iteration& iteration = iterations.rows[i];
      for (Row row = iteration.first_instance; row < iteration.last_instance; ++row) {
        const Row place = of_op[op[row]];
        if (kept == nullptr) {
          open.add(place, index.times[row], 1);
        } else if (place != kNoRow && kept->counts_instance(row)) {
          open.add(place, kept->times_of(row), 1);
        }
      }
      open.close(parent, layout, cells);
    }
  };
}

// What an instance costs to add, and a place to close, against a kernel in RowSums.
constexpr int64_t kWeight = 4;

std::vector<std::size_t> bounds_of(const Iterations& iterations, const GroupLayout& layout,
                                   const CpuOptions& options) {
  const auto places = static_cast<int64_t>(layout.times.size);
  const auto weight = [&](std::size_t i) {
    const Iteration& iteration = iterations.rows[i];
    const int64_t instances = iteration.last_instance - iteration.first_instance;
    return 1 + kWeight * (instances + std::min(instances, places));
  };
  return block_bounds(iterations.rows.size(), block_weight(layout.empty(), options), weight);
}

}  // namespace

IterationSums::IterationSums(const Profile& profile, const ProfileIndex& index,
                             const Iterations& iterations, const CpuOptions& options)
    : layout_(*index.groups),
      places_(places_of_all(*index.groups)),
      place_layout_(places_.parent.size()),
      blocks_(bounds_of(iterations, place_layout_, options), place_layout_.empty(),
              adder(profile, index, iterations, nullptr, places_, place_layout_)) {}

IterationSums::IterationSums(const Profile& profile, const ProfileIndex& index,
                             const Iterations& iterations, const Kept& kept, IterationSums& all,
                             const CpuOptions& options)
    : layout_(*index.groups),
      places_(places_of_kept(*index.groups, kept)),
      place_layout_(places_.parent.size()),
      all_(&all),
      blocks_(bounds_of(iterations, place_layout_, options), place_layout_.empty(),
              adder(profile, index, iterations, &kept, places_, place_layout_)) {}

Cells IterationSums::over(const IterationRange& range) {
  Cells cells = layout_.empty();
  if (all_ != nullptr && std::ranges::find(places_.shares, Share::all) != places_.shares.end()) {
    const Cells all = all_->over(range);
    for (std::size_t slot = 0; slot < layout_.times.size; ++slot) {
      if (places_.shares[slot] == Share::all) layout_.copy(cells, slot, all, layout_, slot);
    }
  }
  if (place_layout_.times.size == 0) return cells;
  const Cells added = blocks_.between(static_cast<std::size_t>(range.first),
                                      static_cast<std::size_t>(range.last) + 1);
  for (std::size_t slot = 0; slot < layout_.times.size; ++slot) {
    const Row place = places_.of_slot[slot];
    if (place != kNoRow) layout_.copy(cells, slot, added, place_layout_, place);
  }
  return cells;
}

}  // namespace dlview::aggregate::cpu
