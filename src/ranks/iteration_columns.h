// Own work and durations of all ranks in some iterations, as rows of ranks: what stragglers are
// found in.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "ranks/rank_times.h"

namespace dlview::ranks {

inline constexpr std::size_t kIterationsAtOnce = 16;  // of a block

// Some iterations of all ranks, by iteration, then rank: the other way round than matrices, so that
// an iteration is in one place.
class IterationColumns {
 public:
  explicit IterationColumns(const RankTimes& times)
      : times_(times), ranks_(times.ranks.size()), row_(ranks_ + kPadding) {}

  void read(std::size_t begin, std::size_t end) {
    begin_ = begin;
    is_known_ = true;
    own_.resize(row_ * (end - begin));
    all_.resize(own_.size());
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      const RankRow durations = times_.duration_ns.row(rank);
      const RankRow waits = times_.least_exposed_wait_ns.row(rank);
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t at = (i - begin) * row_ + rank;
        const int64_t wait = waits[i];
        all_[at] = durations[i];
        own_[at] = durations[i] - std::max<int64_t>(wait, 0);
        is_known_ = is_known_ && wait >= 0;
      }
    }
  }

  std::span<const int64_t> own_ns(std::size_t iteration) const { return row(own_, iteration); }
  std::span<const int64_t> duration_ns(std::size_t iteration) const { return row(all_, iteration); }
  // Of those that were read last.
  bool all_waits_are_known() const { return is_known_; }

 private:
  std::span<const int64_t> row(const std::vector<int64_t>& values, std::size_t iteration) const {
    return std::span(values).subspan((iteration - begin_) * row_, ranks_);
  }

  // Rows that are a power of two apart share the lines of a cache.
  static constexpr std::size_t kPadding = 24;

  const RankTimes& times_;
  std::size_t ranks_, row_, begin_ = 0;
  std::vector<int64_t> own_, all_;
  bool is_known_ = true;
};

// Sorts ranks by own work, equal ones by rank. Costs a few passes over them: by 11 bits of the own
// work at once.
class RankSorter {
 public:
  void sort(std::span<const int64_t> own) {
    order_.resize(own.size());
    values_.resize(own.size());
    if (own.empty()) return;
    const auto [least, greatest] = std::ranges::minmax(own);
    const auto span = static_cast<uint64_t>(greatest) - static_cast<uint64_t>(least);
    const int rank_bits = std::bit_width(own.size()), own_bits = std::bit_width(span);
    if (own.size() < kFewRanks || rank_bits + own_bits > 64) return sort_few(own);
    keys_.resize(own.size());
    sorted_.resize(own.size());
    for (std::size_t rank = 0; rank < own.size(); ++rank) {
      const uint64_t above = static_cast<uint64_t>(own[rank]) - static_cast<uint64_t>(least);
      keys_[rank] = above << static_cast<unsigned>(rank_bits) | rank;
    }
    for (int bits = 0; bits < own_bits; bits += kBits) sort_by(rank_bits + bits);
    const uint64_t mask = (uint64_t{1} << static_cast<unsigned>(rank_bits)) - 1;
    for (std::size_t i = 0; i < own.size(); ++i) {
      order_[i] = static_cast<uint32_t>(keys_[i] & mask);
      values_[i] = static_cast<int64_t>((keys_[i] >> static_cast<unsigned>(rank_bits)) +
                                        static_cast<uint64_t>(least));
    }
  }

  // Of the last sort(): the ranks, and their own work.
  const std::vector<uint32_t>& ranks() const { return order_; }
  const std::vector<int64_t>& values() const { return values_; }

 private:
  static constexpr int kBits = 11;
  static constexpr std::size_t kDigits = std::size_t{1} << kBits;
  static constexpr std::size_t kFewRanks = 512;

  void sort_few(std::span<const int64_t> own) {
    std::iota(order_.begin(), order_.end(), uint32_t{0});
    std::ranges::sort(order_, [own](uint32_t a, uint32_t b) {
      return std::pair(own[a], a) < std::pair(own[b], b);
    });
    for (std::size_t i = 0; i < own.size(); ++i) values_[i] = own[order_[i]];
  }

  // Stable.
  void sort_by(int shift) {
    std::array<uint32_t, kDigits> places{};
    const auto digit = [shift](uint64_t key) {
      return (key >> static_cast<unsigned>(shift)) & (kDigits - 1);
    };
    for (const uint64_t key : keys_) ++places[digit(key)];
    uint32_t before = 0;
    for (uint32_t& place : places) {
      const uint32_t count = place;
      place = before;
      before += count;
    }
    for (const uint64_t key : keys_) sorted_[places[digit(key)]++] = key;
    keys_.swap(sorted_);
  }

  std::vector<uint64_t> keys_, sorted_;
  std::vector<uint32_t> order_;
  std::vector<int64_t> values_;
};

}  // namespace dlview::ranks
