#include "aggregate/cpu/row_sums.h"

#include <ranges>

namespace dlview::aggregate::cpu {
namespace {

using profile::Profile;
using profile::Row;

// Adds rows to cells; shared by all blocks.
class RowAdder {
 public:
  RowAdder(const Profile& profile, const ProfileIndex& index, const KeptRows* kept,
           const RowLayout& layout)
      : profile_(profile), index_(index), kept_(kept), layout_(layout) {}

  void operator()(std::size_t first_instance, std::size_t end_instance, Cells& cells) const {
    const auto first = static_cast<Row>(first_instance), end = static_cast<Row>(end_instance);
    if (first == end) return;
    const auto& instances = profile_.instances;
    const Row first_kernel = instances.first_kernel[first];
    const Row end_kernel = instances.first_kernel[end];
    const Row first_memory_op = instances.first_memory_op[first];
    const Row end_memory_op = instances.first_memory_op[end];
    if (kept_ == nullptr) {
      add_instances(std::views::iota(first, end), &index_.times[first], cells);
      add_kernels(std::views::iota(first_kernel, end_kernel), cells);
      add_memory_ops(std::views::iota(first_memory_op, end_memory_op), cells);
      return;
    }
    const auto rows = rows_between(kept_->instances, first, end);
    if (rows.empty()) return;
    add_instances(rows, &kept_->times[static_cast<std::size_t>(&rows[0] - &kept_->instances[0])],
                  cells);
    add_kernels(rows_between(kept_->kernels, first_kernel, end_kernel), cells);
    add_memory_ops(rows_between(kept_->memory_ops, first_memory_op, end_memory_op), cells);
  }

 private:
  // `Rows` is a range of rows, all of them or those that are kept; `times` are parallel.
  template <typename Rows>
  void add_instances(const Rows& rows, const InstanceTimes* times, Cells& cells) const {
    for (const Row i : rows) {
      layout_.ops.add(cells, profile_.instances.op[i], values_of(*times++));
    }
  }
  template <typename Rows>
  void add_kernels(const Rows& rows, Cells& cells) const {
    const auto& kernels = profile_.kernels;
    for (const Row k : rows) {
      layout_.kernels.add(cells, index_.kernels.of_event[k],
                          {kernels.gpu_stop_ns[k] - kernels.gpu_start_ns[k],
                           kernels.api_stop_ns[k] - kernels.api_start_ns[k]});
    }
  }
  template <typename Rows>
  void add_memory_ops(const Rows& rows, Cells& cells) const {
    const auto& memory_ops = profile_.memory_ops;
    for (const Row m : rows) {
      layout_.memory_ops.add(cells, index_.memory_ops.of_event[m],
                             {memory_ops.gpu_stop_ns[m] - memory_ops.gpu_start_ns[m],
                              memory_ops.api_stop_ns[m] - memory_ops.api_start_ns[m]});
    }
  }

  const Profile& profile_;
  const ProfileIndex& index_;
  const KeptRows* kept_;
  RowLayout layout_;
};

// An instance has five values to add where a kernel has two.
constexpr int64_t kInstanceWeight = 2;

std::vector<std::size_t> bounds_of(const Profile& profile, int64_t block_rows) {
  const auto& instances = profile.instances;
  return block_bounds(instances.size(), block_rows, [&](std::size_t i) {
    return kInstanceWeight + instances.first_kernel[i + 1] - instances.first_kernel[i] +
           instances.first_memory_op[i + 1] - instances.first_memory_op[i];
  });
}

}  // namespace

RowLayout::RowLayout(const Profile& profile, const ProfileIndex& index)
    : ops{0, 0, profile.ops.size()},
      kernels{ops.end_sum(), ops.end_low(), index.kernels.cells.size()},
      memory_ops{kernels.end_sum(), kernels.end_low(), index.memory_ops.cells.size()} {}

RowSums::RowSums(const Profile& profile, const ProfileIndex& index, const KeptRows* kept,
                 int64_t block_rows)
    : layout_(profile, index),
      blocks_(bounds_of(profile, block_rows),
              Cells(layout_.memory_ops.end_sum(), layout_.memory_ops.end_low()),
              RowAdder(profile, index, kept, layout_)) {}

}  // namespace dlview::aggregate::cpu
