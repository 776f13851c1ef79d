#include "aggregate/cpu/block_index.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include "base/parallel.h"
#include "base/parallel_algorithms.h"

namespace dlview::aggregate::cpu {
namespace {

// Enough for the cores to share a single run evenly; each piece needs cells of its own.
constexpr std::size_t kRunPieces = 8;

void take_lower(const int64_t* from, std::size_t count, int64_t* into) {
  for (std::size_t i = 0; i < count; ++i) into[i] = from[i] < into[i] ? from[i] : into[i];
}

}  // namespace

BlockIndex::BlockIndex(std::vector<std::size_t> bounds, const Cells& empty, AddRows add)
    : add_(std::move(add)),
      bounds_(std::move(bounds)),
      sum_count_(empty.sums.size()),
      low_count_(empty.lows.size()) {}

void BlockIndex::build() {
  sums_before_.resize((block_count() + 1) * sum_count_);
  lows_.resize(block_count() * low_count_);
  base::parallel_for(block_count(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b) {
      Cells cells = empty();
      add_(bounds_[b], bounds_[b + 1], cells);
      std::ranges::copy(cells.sums, sums_before_.data() + (b + 1) * sum_count_);
      std::ranges::copy(cells.lows, lows_.data() + b * low_count_);
    }
  });
  for (std::size_t i = sum_count_; i < sums_before_.size(); ++i) {
    sums_before_[i] += sums_before_[i - sum_count_];
  }
  build_spans();
  built_ = true;
}

void BlockIndex::build_spans() {
  const std::size_t blocks = block_count();
  span_lows_.clear();  // what a failure left
  lows_to_here_ = lows_;
  lows_from_here_ = lows_;
  for (std::size_t b = 1; b < blocks; ++b) {
    if (b % kSpan == 0) continue;
    take_lower(lows_to_here_.data() + (b - 1) * low_count_, low_count_,
               lows_to_here_.data() + b * low_count_);
  }
  for (std::size_t b = blocks; b-- > 1;) {
    if (b % kSpan == 0) continue;
    take_lower(lows_from_here_.data() + b * low_count_, low_count_,
               lows_from_here_.data() + (b - 1) * low_count_);
  }
  const std::size_t spans = blocks / kSpan;  // whole ones
  if (spans == 0) return;
  auto& single = span_lows_.emplace_back(spans * low_count_);
  for (std::size_t s = 0; s < spans; ++s) {
    std::copy_n(lows_from_here_.data() + s * kSpan * low_count_, low_count_,
                single.data() + s * low_count_);
  }
  for (std::size_t run = 2; run <= spans; run *= 2) {
    const auto& half = span_lows_.back();
    std::vector<int64_t> whole(
        half.begin(), half.begin() + static_cast<std::ptrdiff_t>((spans - run + 1) * low_count_));
    take_lower(half.data() + run / 2 * low_count_, whole.size(), whole.data());
    span_lows_.push_back(std::move(whole));
  }
}

void BlockIndex::add_sums(std::size_t first_block, std::size_t end_block, Cells& cells) const {
  const int64_t* before = sums_before_.data() + first_block * sum_count_;
  const int64_t* after = sums_before_.data() + end_block * sum_count_;
  for (std::size_t i = 0; i < sum_count_; ++i) cells.sums[i] += after[i] - before[i];
}

void BlockIndex::add_lows(std::size_t first_block, std::size_t end_block, Cells& cells) const {
  const auto add = [&](const std::vector<int64_t>& lows, std::size_t row) {
    take_lower(lows.data() + row * low_count_, low_count_, cells.lows.data());
  };
  const std::size_t first_span = first_block / kSpan, last_span = (end_block - 1) / kSpan;
  if (first_span == last_span) {
    for (std::size_t b = first_block; b < end_block; ++b) add(lows_, b);
    return;
  }
  add(lows_from_here_, first_block);
  add(lows_to_here_, end_block - 1);
  const std::size_t between = last_span - first_span - 1;
  if (between == 0) return;
  const auto power = static_cast<std::size_t>(std::bit_width(between) - 1);
  add(span_lows_[power], first_span + 1);
  add(span_lows_[power], last_span - (std::size_t{1} << power));
}

// Row by row, in runs of whole blocks on all cores.
Cells BlockIndex::add_up(std::size_t first, std::size_t end) const {
  const auto inside = [&](std::size_t bound) { return bound > first && bound < end; };
  std::vector<std::size_t> bounds{first};
  std::ranges::copy_if(bounds_, std::back_inserter(bounds), inside);
  bounds.push_back(end);
  const std::size_t runs = bounds.size() - 1;
  return base::parallel_reduce(
      runs, (runs + kRunPieces - 1) / kRunPieces, empty(),
      [&](std::size_t first_run, std::size_t end_run, Cells cells) {
        add_(bounds[first_run], bounds[end_run], cells);
        return cells;
      },
      [](Cells a, const Cells& b) {
        for (std::size_t i = 0; i < a.sums.size(); ++i) a.sums[i] += b.sums[i];
        take_lower(b.lows.data(), b.lows.size(), a.lows.data());
        return a;
      });
}

Cells BlockIndex::between(std::size_t first, std::size_t end) {
  if (!built_) {
    if (!only_answer_) only_answer_ = {first, end, add_up(first, end)};
    if (only_answer_->first == first && only_answer_->end == end) return only_answer_->cells;
    only_answer_.reset();
    build();
  }
  Cells cells = empty();
  const auto first_block = static_cast<std::size_t>(
      std::lower_bound(bounds_.begin(), bounds_.end(), first) - bounds_.begin());
  const auto end_block = static_cast<std::size_t>(
      std::upper_bound(bounds_.begin(), bounds_.end(), end) - bounds_.begin() - 1);
  if (first_block >= end_block) {
    add_(first, end, cells);
    return cells;
  }
  add_sums(first_block, end_block, cells);
  add_lows(first_block, end_block, cells);
  add_(first, bounds_[first_block], cells);
  add_(bounds_[end_block], end, cells);
  return cells;
}

Cells BlockIndex::once_between(std::size_t first, std::size_t end) {
  if (built_) return between(first, end);
  if (only_answer_ && only_answer_->first == first && only_answer_->end == end) {
    return only_answer_->cells;
  }
  return add_up(first, end);
}

int64_t block_weight(const Cells& empty, const CpuOptions& options) {
  // The lows stand in lows_, lows_to_here_, lows_from_here_ and span_lows_.
  const std::size_t block_bytes = sizeof(int64_t) * (empty.sums.size() + 4 * empty.lows.size());
  return std::max(options.block_rows, static_cast<int64_t>(block_bytes) / options.bytes_per_row);
}

std::vector<std::size_t> block_bounds(std::size_t rows, int64_t target,
                                      const std::function<int64_t(std::size_t row)>& weight) {
  std::vector<std::size_t> bounds{0};
  int64_t gathered = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const int64_t weighs = weight(row);
    if (gathered > 0 && weighs >= target) {
      bounds.push_back(row);
      gathered = 0;
    }
    gathered += weighs;
    if (gathered < target) continue;
    bounds.push_back(row + 1);
    gathered = 0;
  }
  if (bounds.back() != rows) bounds.push_back(rows);
  return bounds;
}

}  // namespace dlview::aggregate::cpu
