#include "aggregate/exclusive/exclusive_index.h"

#include <algorithm>
#include <utility>

namespace dlview::aggregate {

using profile::DeviceIndex;
using profile::Profile;
using profile::Row;

ExclusiveIndex::ExclusiveIndex(const Profile& profile, const RuleIndex& rules,
                               const Iterations& iterations, const Cut& cut)
    : profile_(profile),
      iterations_(iterations),
      data_(exclusive_data(profile, rules, iterations, cut)) {}

void ExclusiveIndex::add_before(const ExclusiveData::Gpu& gpu, std::size_t iteration, int64_t sign,
                                Sums& sums) const {
  const std::size_t cells = gpu.cells.size(), iterations = gpu.first.size() - 1;
  // The last sums are those of all iterations.
  const bool is_all = iteration == iterations;
  const std::size_t block =
      is_all ? gpu.before.size() / std::max<std::size_t>(2 * cells, 1) - 1 : iteration / gpu.block;
  if (cells == 0) return;
  const int64_t* const before = gpu.before.data() + block * 2 * cells;
  for (std::size_t c = 0; c < cells; ++c) {
    sums.exclusive[gpu.cells[c]] += sign * before[2 * c];
    sums.total[gpu.cells[c]] += sign * before[2 * c + 1];
  }
  if (is_all) return;
  for (std::size_t e = gpu.first[block * gpu.block]; e < gpu.first[iteration]; ++e) {
    const Row row = gpu.cells[gpu.cell[e]];
    sums.exclusive[row] += sign * int64_t{gpu.exclusive_ns[e]};
    sums.total[row] += sign * int64_t{gpu.total_ns[e]};
  }
}

void ExclusiveIndex::add_whole_before(const ExclusiveData::Gpu& gpu, std::size_t iteration,
                                      int64_t sign, Sums& sums) const {
  if (gpu.whole.empty()) return;
  const std::size_t end = data_.first_window[iteration], rows = data_.rows.size();
  for (const ExclusiveData::WholeWindows& whole : gpu.whole) {
    if (whole.window >= end) return;
    const std::size_t row = gpu.cells[whole.cell];
    const int64_t times = sign * whole.change;
    const int64_t ns =
        times * (data_.windows_before_ns[end] - data_.windows_before_ns[whole.window]);
    sums.total[row] += ns;
    sums.total[rows + row] += ns;
    sums.exclusive[rows + row] +=
        times * (gpu.alone_before_ns[end] - gpu.alone_before_ns[whole.window]);
  }
}

PartSums ExclusiveIndex::sums(const IterationRange& wanted) const {
  const IterationRange range = clamp_range(wanted, iteration_count());
  const auto first = static_cast<std::size_t>(range.first),
             end = static_cast<std::size_t>(range.last) + 1;
  PartSums result{.iterations = range.size(),
                  .devices = static_cast<int64_t>(profile_.devices.size()),
                  .range_ns = data_.durations_before_ns[end] - data_.durations_before_ns[first],
                  .host_ns = data_.host_before_ns[end] - data_.host_before_ns[first],
                  .host_loader_ns = data_.loader_before_ns[end] - data_.loader_before_ns[first]};
  const std::size_t rows = data_.rows.size();
  Sums sums{std::vector<int64_t>(2 * rows), std::vector<int64_t>(2 * rows)};
  for (const ExclusiveData::Gpu& gpu : data_.gpus) {
    add_before(gpu, end, +1, sums);
    add_before(gpu, first, -1, sums);
    add_whole_before(gpu, end, +1, sums);
    add_whole_before(gpu, first, -1, sums);
  }
  for (std::size_t r = 0; r < rows; ++r) {
    if (sums.exclusive[r] == 0 && sums.total[r] == 0) continue;
    result.rows.push_back({.key = data_.rows[r],
                           .exclusive_ns = sums.exclusive[r],
                           .overlapped_ns = std::max<int64_t>(sums.total[r] - sums.exclusive[r], 0),
                           .alone_ns = sums.total[r] - sums.total[rows + r],
                           .partly_alone_ns = sums.exclusive[rows + r],
                           .shared_ns = sums.total[rows + r]});
  }
  move_stored_io(range, result);
  result.gpu_busy_ns.resize(data_.gpus.size());
  for (const PartTime& row : result.rows) {
    result.ns[static_cast<std::size_t>(row.key.part)] += row.exclusive_ns;
    if (is_gpu_part(row.key.part)) result.gpu_busy_ns[row.key.device] += row.exclusive_ns;
  }
  return result;
}

std::vector<std::vector<int64_t>> ExclusiveIndex::by_iteration(
    const IterationRange& wanted, std::size_t rows,
    const std::function<std::optional<uint32_t>(const PartKey&)>& row_of) const {
  const IterationRange range = clamp_range(wanted, iteration_count());
  std::vector<std::optional<uint32_t>> row_numbers;
  for (const PartKey& key : data_.rows) row_numbers.push_back(row_of(key));
  std::vector<std::vector<int64_t>> values(
      rows, std::vector<int64_t>(static_cast<std::size_t>(range.size())));
  for (const ExclusiveData::Gpu& gpu : data_.gpus) {
    for (int64_t i = range.first; i <= range.last; ++i) {
      const auto iteration = static_cast<std::size_t>(i);
      for (std::size_t e = gpu.first[iteration]; e < gpu.first[iteration + 1]; ++e) {
        const std::size_t row = gpu.cells[gpu.cell[e]];
        // Events that run beside others have entries of their own, which add nothing.
        if (row >= row_numbers.size() || !row_numbers[row]) continue;
        values[*row_numbers[row]][static_cast<std::size_t>(i - range.first)] += gpu.exclusive_ns[e];
      }
    }
  }
  return values;
}

// spec.md 9: a DLProf database has I/O only of a whole range, as a mean over GPUs. It comes out of
// Other: first out of what is not in a gap, then out of gaps in which nothing was recorded.
void ExclusiveIndex::move_stored_io(const IterationRange& range, PartSums& result) const {
  const profile::StoredAggregation* const stored = find_stored_io(profile_, iterations_, range);
  if (stored == nullptr) return;
  int64_t io_ns = 0;
  for (const int64_t ns : stored->io_ns) io_ns += ns;
  if (io_ns == 0) return;
  std::vector<PartTime> rows;
  for (const PartTime& row : result.rows) {
    if (row.key.part < StackPart::io) rows.push_back(row);
  }
  const auto add_rows = [&](StackPart part) {
    for (const PartTime& row : result.rows) {
      if (row.key.part == part) rows.push_back(row);
    }
  };
  for (Row d = 0; d < data_.gpus.size(); ++d) {
    rows.push_back({{.part = StackPart::io, .device = DeviceIndex(d)}, io_ns, 0});
  }
  add_rows(StackPart::cpu);
  const auto others = static_cast<std::ptrdiff_t>(rows.size());
  add_rows(StackPart::other);
  for (Row d = 0; d < data_.gpus.size(); ++d) {
    int64_t left_ns = io_ns;
    std::vector<PartTime*> sources;
    for (auto row = rows.begin() + others; row != rows.end(); ++row) {
      if (row->key.device == d) sources.push_back(&*row);
    }
    const auto rank = [](const PartTime* row) {
      return !row->key.gap ? 0 : *row->key.gap == GapCause::nothing ? 1 : 2;
    };
    std::ranges::stable_sort(sources, {}, rank);
    for (PartTime* const row : sources) {
      const int64_t taken_ns = std::min(left_ns, row->exclusive_ns);
      row->exclusive_ns -= taken_ns;
      left_ns -= taken_ns;
    }
    if (left_ns == 0) continue;
    // More than Other has: it is negative, as in the breakdown.
    if (sources.empty()) {
      rows.push_back({{.part = StackPart::other, .device = DeviceIndex(d)}, -left_ns, 0});
    } else {
      sources.front()->exclusive_ns -= left_ns;
    }
  }
  std::erase_if(
      rows, [](const PartTime& row) { return row.exclusive_ns == 0 && row.overlapped_ns == 0; });
  result.rows = std::move(rows);
}

std::size_t ExclusiveIndex::memory_bytes() const {
  std::size_t bytes = 0;
  for (const ExclusiveData::Gpu& gpu : data_.gpus) {
    bytes += gpu.cell.size() * 3 * sizeof(uint32_t) + gpu.before.size() * sizeof(int64_t) +
             gpu.first.size() * sizeof(std::size_t) +
             gpu.whole.size() * sizeof(ExclusiveData::WholeWindows) +
             gpu.alone_before_ns.size() * sizeof(int64_t);
  }
  return bytes;
}

}  // namespace dlview::aggregate
