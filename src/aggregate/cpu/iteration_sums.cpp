#include "aggregate/cpu/iteration_sums.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

namespace dlview::aggregate::cpu {
namespace {

using profile::InstanceIndex;
using profile::kNoRow;
using profile::OpIndex;
using profile::Profile;
using profile::Row;

// Sums over instances; that of the overhead follows from the others.
struct PlaceSums {
  int64_t cpu = 0, gpu = 0, api = 0, idle = 0;
  int64_t count = 0;

  PlaceSums& operator+=(const PlaceSums& more) {
    cpu += more.cpu;
    gpu += more.gpu;
    api += more.api;
    idle += more.idle;
    count += more.count;
    return *this;
  }
};

// The sums of one iteration in every place, and which of them have any: a short iteration pays for
// its own groups only.
class OpenPlaces {
 public:
  explicit OpenPlaces(std::size_t places) : places_(places), open_((places + 63) / 64) {}

  void add(Row place, PlaceSums sums) {
    if (sums.count == 0) return;
    places_[place] += sums;
    open_[place / 64] |= uint64_t{1} << place % 64;
  }
  // From the innermost outwards, so that a place is complete when its turn comes.
  void close(const std::vector<Row>& parent, const GroupLayout& layout, Cells& cells) {
    for (std::size_t word = open_.size(); word-- > 0;) {
      while (open_[word] != 0) {
        const auto place = static_cast<Row>(word * 64 + 63 - std::countl_zero(open_[word]));
        open_[word] &= ~(uint64_t{1} << place % 64);
        const PlaceSums sums = std::exchange(places_[place], {});
        if (place != 0) add(parent[place], sums);
        layout.times.add(cells, place,
                         {sums.cpu, sums.gpu, sums.api, sums.cpu - sums.api, sums.idle});
        cells.sums[layout.first_instance_count + place] += sums.count;
      }
    }
  }

 private:
  std::vector<PlaceSums> places_;
  std::vector<uint64_t> open_;  // one bit a place
};

// Neighbors mostly lie in the same place, and are added up before they go there.
class Neighbors {
 public:
  explicit Neighbors(OpenPlaces& open) : open_(open) {}
  template <typename Times>
  void add(Row place, const Times& times) {
    if (place != place_) {
      close();
      place_ = place;
    }
    cpu_ += times.cpu;
    gpu_ += times.gpu;
    api_ += times.api;
    idle_ += times.idle;
    ++count_;
  }
  void close() {
    open_.add(place_, {cpu_, gpu_, api_, idle_, count_});
    cpu_ = gpu_ = api_ = idle_ = count_ = 0;
  }

 private:
  OpenPlaces& open_;
  Row place_ = 0;
  int64_t cpu_ = 0, gpu_ = 0, api_ = 0, idle_ = 0, count_ = 0;
};

void add_row(const PackedInstances& packed, InstanceIndex row, Row place, Neighbors& neighbors) {
  const PackedTimes& times = packed.packed_times(row);
  if (times.is_long()) {
    neighbors.add(place, packed.times(row));
  } else {
    neighbors.add(place, times);
  }
}

// Adds up iterations.
BlockIndex::AddRows adder(const Profile& profile, const PackedInstances& packed,
                          const Iterations& iterations, const SlotPlaces& places,
                          const GroupLayout& layout) {
  return [&profile, &packed, &iterations, of_op = places.of_op, parent = places.parent, layout](
             std::size_t first, std::size_t end, Cells& cells) {
    const auto& op = profile.instances.op;
    OpenPlaces open(parent.size());
    for (std::size_t i = first; i < end; ++i) {
      const Iteration& iteration = iterations.rows[i];
      Neighbors neighbors(open);
      for (InstanceIndex row = iteration.first_instance; row < iteration.last_instance; ++row) {
        add_row(packed, row, of_op[op[row]], neighbors);
      }
      neighbors.close();
      open.close(parent, layout, cells);
    }
  };
}

// Adds up what is kept of the iterations that lie so.
BlockIndex::AddRows kept_adder(const Profile& profile, const PackedInstances& packed,
                               const Iterations& iterations, const std::vector<Timing>& timings,
                               Timing timing, const Kept& kept, const SlotPlaces& places,
                               const GroupLayout& layout) {
  std::vector<Row> of_op_that_keeps_all = places.of_op;
  for (OpIndex op{0}; op < of_op_that_keeps_all.size(); ++op) {
    if (kept.shares()[op] != Share::all) of_op_that_keeps_all[op] = kNoRow;
  }
  const bool any_keeps_all =
      std::ranges::any_of(of_op_that_keeps_all, [](Row place) { return place != kNoRow; });
  return [&, timings, timing, of_op = places.of_op, of_op_that_keeps_all, any_keeps_all,
          parent = places.parent, layout](std::size_t first, std::size_t end, Cells& cells) {
    OpenPlaces open(parent.size());
    const auto add_all = [&](const Segment& segment) {
      const Row* const op = profile.instances.op.span().data();
      const Row* const places_of_op = of_op_that_keeps_all.data();
      Neighbors neighbors(open);
      for (InstanceIndex row(segment.first); row < segment.end; ++row) {
        const Row place = places_of_op[op[row]];
        if (place != kNoRow) add_row(packed, row, place, neighbors);
      }
      neighbors.close();
    };
    const auto add = [&](const Segment& segment) {
      if (segment.timing == Timing::inside && any_keeps_all) add_all(segment);
      Neighbors neighbors(open);
      kept.for_each_of_some(segment, [&](InstanceIndex, OpIndex op, const auto& times) {
        if (of_op[op] != kNoRow) neighbors.add(of_op[op], times);
      });
      neighbors.close();
    };
    for (std::size_t i = first; i < end; ++i) {
      if (timings[i] != timing) continue;
      const Iteration& iteration = iterations.rows[i];
      kept.for_each_segment(iteration.first_instance, iteration.last_instance, add);
      open.close(parent, layout, cells);
    }
  };
}

// Partly where its instances lie differently. One without instances does not part its neighbors.
Timing timing_of(const Kept& kept, const Iteration& iteration, Timing of_previous) {
  std::optional<Timing> timing;
  kept.for_each_segment(iteration.first_instance, iteration.last_instance,
                        [&timing](const Segment& segment) {
                          if (timing.value_or(segment.timing) != segment.timing) {
                            timing = Timing::partly;
                          } else {
                            timing = segment.timing;
                          }
                        });
  return timing.value_or(of_previous);
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
                             const PackedInstances& packed, const Iterations& iterations,
                             const CpuOptions& options)
    : op_layout_(profile), layout_(*index.groups) {
  const GroupSlots slots(*index.groups);
  lone_ops_ = lone_ops(slots, profile, iterations);
  std::vector<bool> wanted;
  for (const OpIndex op : lone_ops_) {
    wanted.push_back(op == kNoRow);
    needs_ops_ = needs_ops_ || op != kNoRow;
  }
  SlotPlaces places = places_for(slots, wanted);
  const GroupLayout layout(places.parent.size());
  BlockIndex blocks(bounds_of(iterations, layout, options), layout.empty(),
                    adder(profile, packed, iterations, places, layout));
  added_.push_back({std::move(places), layout, std::move(blocks)});
}

IterationSums::IterationSums(const Profile& profile, const ProfileIndex& index,
                             const PackedInstances& packed, const Iterations& iterations,
                             const Kept& kept, IterationSums& all, const CpuOptions& options)
    : op_layout_(profile),
      layout_(*index.groups),
      lone_ops_(all.lone_ops_),
      needs_ops_(all.needs_ops_),
      all_(&all) {
  const GroupSlots slots(*index.groups);
  shares_ = shares_of_slots(slots, kept.shares());
  for (const Iteration& iteration : iterations.rows) {
    timings_.push_back(
        timing_of(kept, iteration, timings_.empty() ? Timing::outside : timings_.back()));
  }
  // Slots that keep some contain each other up to the whole model.
  const auto add_up = [&](Timing timing, const std::vector<bool>& wanted) {
    if (std::ranges::find(timings_, timing) == timings_.end() || !wanted[0]) return;
    SlotPlaces places = places_for(slots, wanted);
    const GroupLayout layout(places.parent.size());
    BlockIndex blocks(
        bounds_of(iterations, layout, options), layout.empty(),
        kept_adder(profile, packed, iterations, timings_, timing, kept, places, layout));
    added_.push_back({std::move(places), layout, std::move(blocks)});
  };
  const std::vector<Share> partly = shares_of_slots(slots, kept.shares(Timing::partly));
  std::vector<bool> some, any;
  for (std::size_t slot = 0; slot < shares_.size(); ++slot) {
    const bool is_lone = lone_ops_[slot] != kNoRow;
    if (is_lone) shares_[slot] = Share::none;
    some.push_back(shares_[slot] == Share::some);
    any.push_back(!is_lone && partly[slot] != Share::none);
  }
  add_up(Timing::inside, some);
  add_up(Timing::partly, any);
}

Cells IterationSums::over(const IterationRange& range, const Cells& ops) {
  Cells cells = sums_over(range);
  if (!needs_ops_) return cells;
  for (std::size_t slot = 0; slot < layout_.times.size; ++slot) {
    const OpIndex op = lone_ops_[slot];
    if (op == kNoRow) continue;
    layout_.times.merge(cells, slot, ops, op_layout_.ops, op);
    cells.sums[layout_.first_instance_count + slot] += op_layout_.ops.count(ops, op);
  }
  return cells;
}

Cells IterationSums::sums_over(const IterationRange& range) {
  Cells cells = layout_.empty();
  if (std::ranges::find(shares_, Share::all) != shares_.end()) {
    if (!first_asked_) first_asked_ = range;
    add_whole(range, first_asked_ == range, cells);
  }
  for (Added& added : added_) add(added, range, false, cells);
  return cells;
}

Cells IterationSums::once_over(const IterationRange& range) {
  Cells cells = layout_.empty();
  for (Added& added : added_) add(added, range, true, cells);
  return cells;
}

// Slots that lose nothing, of each run of iterations that lie inside.
void IterationSums::add_whole(const IterationRange& range, bool once, Cells& cells) {
  const auto is_inside = [this](int64_t i) {
    return timings_[static_cast<std::size_t>(i)] == Timing::inside;
  };
  for (int64_t first = range.first; first <= range.last; ++first) {
    if (!is_inside(first)) continue;
    int64_t last = first;
    while (last < range.last && is_inside(last + 1)) ++last;
    const Cells all = once ? all_->once_over({first, last}) : all_->sums_over({first, last});
    for (std::size_t slot = 0; slot < layout_.times.size; ++slot) {
      if (shares_[slot] == Share::all) layout_.merge(cells, slot, all, layout_, slot);
    }
    first = last;
  }
}

void IterationSums::add(Added& added, const IterationRange& range, bool once, Cells& cells) const {
  const auto first = static_cast<std::size_t>(range.first);
  const auto end = static_cast<std::size_t>(range.last) + 1;
  const Cells sums =
      once ? added.blocks.once_between(first, end) : added.blocks.between(first, end);
  for (std::size_t slot = 0; slot < layout_.times.size; ++slot) {
    const Row place = added.places.of_slot[slot];
    if (place != kNoRow) layout_.merge(cells, slot, sums, added.layout, place);
  }
}

}  // namespace dlview::aggregate::cpu
