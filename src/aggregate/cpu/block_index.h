// BlockIndex: returns the cells of any run of rows in a time that does not grow with the number of
// rows. It sums blocks of rows once; a run combines the blocks inside it and adds the rows at its
// two edges. It does so from the second run on; the first one is summed row by row and remembered.
// Sums of many blocks are the difference of two prefix sums. Minima come from runs of kSpan blocks,
// whose prefixes and suffixes are stored, and from powers of two of such spans.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "aggregate/cpu/cpu_engine.h"
#include "aggregate/engine/cells.h"

namespace dlview::aggregate::cpu {

class BlockIndex {
 public:
  // Adds rows [first, end) to the cells. Called on several threads at once.
  using AddRows = std::function<void(std::size_t first, std::size_t end, Cells& cells)>;

  // `bounds` begins with 0, ascends and ends with the number of rows: block b is
  // [bounds[b], bounds[b + 1]).
  BlockIndex(std::vector<std::size_t> bounds, const Cells& empty, AddRows add);

  // The cells of rows [first, end); first <= end <= rows. One thread at a time.
  Cells between(std::size_t first, std::size_t end);
  // As between(), without building sums of blocks.
  Cells once_between(std::size_t first, std::size_t end);

  const std::vector<std::size_t>& bounds() const { return bounds_; }

 private:
  static constexpr std::size_t kSpan = 8;
  struct Answer {
    std::size_t first, end;
    Cells cells;
  };

  std::size_t block_count() const { return bounds_.size() - 1; }
  Cells empty() const { return Cells(sum_count_, low_count_); }
  Cells add_up(std::size_t first, std::size_t end) const;
  void build();
  void build_spans();
  void add_sums(std::size_t first_block, std::size_t end_block, Cells& cells) const;
  void add_lows(std::size_t first_block, std::size_t end_block, Cells& cells) const;

  AddRows add_;
  std::vector<std::size_t> bounds_;
  std::size_t sum_count_, low_count_;
  std::optional<Answer> only_answer_;  // until a second run is requested
  bool built_ = false;
  // Row b of each is an array of that many integers.
  std::vector<int64_t> sums_before_;     // of all blocks before b; one more than there are blocks
  std::vector<int64_t> lows_;            // of block b
  std::vector<int64_t> lows_to_here_;    // from the beginning of its span to block b
  std::vector<int64_t> lows_from_here_;  // from block b to the end of its span
  std::vector<std::vector<int64_t>> span_lows_;  // [p]: of 2^p spans from span s on
};

// Returns the target weight of a block for answers like `empty`.
int64_t block_weight(const Cells& empty, const CpuOptions& options);

// Bounds of blocks of about `target` of weight each, where row r weighs weight(r). A row that
// weighs more is a block of its own.
std::vector<std::size_t> block_bounds(std::size_t rows, int64_t target,
                                      const std::function<int64_t(std::size_t row)>& weight);

}  // namespace dlview::aggregate::cpu
