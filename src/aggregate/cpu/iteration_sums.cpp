#include "aggregate/cpu/iteration_sums.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace dlview::aggregate::cpu {
namespace {

using profile::Row;

// The sums of one iteration in every slot, and which of them have any: a short iteration pays for
// its own groups only.
class OpenSlots {
 public:
  explicit OpenSlots(std::size_t slots) : times_(slots), counts_(slots), open_((slots + 63) / 64) {}

  void add(Row slot, const InstanceTimes& times, int64_t instances) {
    times_[slot] += times;
    counts_[slot] += instances;
    open_[slot / 64] |= uint64_t{1} << slot % 64;
  }
  // From the innermost outwards, so that a slot is complete when its turn comes.
  void close(const GroupSlots& slots, const GroupLayout& layout, Cells& cells) {
    for (std::size_t word = open_.size(); word-- > 0;) {
      while (open_[word] != 0) {
        const auto slot = static_cast<Row>(word * 64 + 63 - std::countl_zero(open_[word]));
        open_[word] &= ~(uint64_t{1} << slot % 64);
        if (slot != 0) add(slots.parent[slot], times_[slot], counts_[slot]);
        layout.times.add(cells, slot, values_of(times_[slot]));
        cells.sums[layout.first_instance_count + slot] += counts_[slot];
        times_[slot] = {};
        counts_[slot] = 0;
      }
    }
  }

 private:
  std::vector<InstanceTimes> times_;
  std::vector<int64_t> counts_;
  std::vector<uint64_t> open_;  // one bit a slot
};

class IterationAdder {
 public:
  IterationAdder(const profile::Profile& profile, const ProfileIndex& index,
                 const Iterations& iterations, const Kept* kept, const GroupLayout& layout)
      : profile_(profile),
        index_(index),
        iterations_(iterations),
        kept_(kept),
        layout_(layout),
        slots_(*index.groups) {}

  void operator()(std::size_t first, std::size_t end, Cells& cells) const {
    OpenSlots open(slots_.parent.size());
    for (std::size_t i = first; i < end; ++i) {
      const Iteration& iteration = iterations_.rows[i];
      for (Row row = iteration.first_instance; row < iteration.last_instance; ++row) {
        const Row slot = slots_.of_op[profile_.instances.op[row]];
        if (kept_ == nullptr) {
          open.add(slot, index_.times[row], 1);
        } else if (kept_->counts_instance(row)) {
          open.add(slot, kept_->times_of(row), 1);
        }
      }
      open.close(slots_, layout_, cells);
    }
  }

 private:
  const profile::Profile& profile_;
  const ProfileIndex& index_;
  const Iterations& iterations_;
  const Kept* kept_;
  GroupLayout layout_;
  GroupSlots slots_;
};

// What an instance costs to add, and a slot to close, against a kernel in RowSums.
constexpr int64_t kWeight = 4;

std::vector<std::size_t> bounds_of(const Iterations& iterations, std::size_t slots,
                                   int64_t block_rows) {
  return block_bounds(iterations.rows.size(), block_rows, [&](std::size_t i) {
    const Iteration& iteration = iterations.rows[i];
    const int64_t instances = iteration.last_instance - iteration.first_instance;
    return 1 + kWeight * (instances + std::min(instances, static_cast<int64_t>(slots)));
  });
}

}  // namespace

IterationSums::IterationSums(const profile::Profile& profile, const ProfileIndex& index,
                             const Iterations& iterations, const Kept* kept, int64_t block_rows)
    : layout_(*index.groups),
      blocks_(bounds_of(iterations, layout_.times.size, block_rows), layout_.empty(),
              IterationAdder(profile, index, iterations, kept, layout_)) {}

}  // namespace dlview::aggregate::cpu
