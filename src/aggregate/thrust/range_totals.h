// RangeTotals: totals per key of the rows in any range of places. Rows are sorted by key, then by
// place (op instance or iteration). Totals are precomputed for small chunks of rows and for large
// chunks of small ones. A query reads single rows only at its bounds and reduces the totals of the
// large chunks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <thrust/copy.h>
#include <thrust/functional.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>
#include <utility>
#include <vector>

#include "aggregate/thrust/row_functions.h"
#include "aggregate/thrust/space.h"

namespace dlview::aggregate {

namespace rowwise {

// Rows of one key, or chunks of them: [begin, end).
struct Chunk {
  uint32_t begin, end;
};

// `add` of what `of_row` gives for each row of a chunk.
template <typename Totals, typename Add, typename OfRow>
struct ChunkTotals {
  const Chunk* chunks;
  OfRow of_row;
  DLVIEW_DEVICE Totals operator()(uint32_t chunk) const {
    Totals totals = Totals::none();
    for (uint32_t row = chunks[chunk].begin; row < chunks[chunk].end; ++row) {
      totals = Add{}(totals, of_row(row));
    }
    return totals;
  }
};

// Sums the rows of a large chunk whose positions are in the range.
template <typename Totals, typename Add, typename OfRow, typename PlaceOf>
struct ChunkTotalsInRange {
  const Chunk *large, *small;
  const Totals *large_totals, *small_totals;
  OfRow of_row;
  PlaceOf place_of;
  RowRange range;

  DLVIEW_DEVICE Totals operator()(uint32_t chunk) const {
    const Chunk chunks = large[chunk];
    const Chunk all{small[chunks.begin].begin, small[chunks.end - 1].end};
    if (is_inside(all)) return large_totals[chunk];
    Totals totals = Totals::none();
    if (is_outside(all)) return totals;
    for (uint32_t c = chunks.begin; c < chunks.end; ++c) {
      const Chunk rows = small[c];
      if (is_outside(rows)) continue;
      if (is_inside(rows)) {
        totals = Add{}(totals, small_totals[c]);
        continue;
      }
      for (uint32_t row = rows.begin; row < rows.end; ++row) {
        if (range.contains(place_of(row))) totals = Add{}(totals, of_row(row));
      }
    }
    return totals;
  }

 private:
  DLVIEW_DEVICE bool is_inside(const Chunk& rows) const {
    return place_of(rows.begin) >= range.first && place_of(rows.end - 1) < range.end;
  }
  DLVIEW_DEVICE bool is_outside(const Chunk& rows) const {
    return place_of(rows.end - 1) < range.first || place_of(rows.begin) >= range.end;
  }
};

}  // namespace rowwise

// `Add` adds two Totals, which have a none().
template <typename Space, typename Totals, typename Add>
class RangeTotals {
 public:
  template <typename T>
  using Vector = typename Space::template Vector<T>;
  using Rows = thrust::counting_iterator<uint32_t>;

  // One set of totals of rows, for example of those that match the filters.
  struct Sums {
    Vector<Totals> small, large;
  };
  // By key; keys without a row have none.
  struct Answer {
    std::vector<uint32_t> keys;
    std::vector<Totals> totals;
  };

  // `chunk_rows` rows make a small chunk, as many of these a large one. `keys` begins an ascending
  // sequence of `row_count` numbers below `key_count`.
  template <typename Keys>
  RangeTotals(const Keys& keys, std::size_t row_count, std::size_t key_count, uint32_t chunk_rows)
      : key_count_(std::min(key_count, row_count)) {
    Vector<uint32_t> key(key_count_), rows(key_count_);
    const auto ends = thrust::reduce_by_key(
        Space::policy(), keys, keys + static_cast<std::ptrdiff_t>(row_count),
        thrust::make_constant_iterator(uint32_t{1}), key.begin(), rows.begin());
    key_count_ = static_cast<std::size_t>(ends.first - key.begin());
    std::vector<uint32_t> key_here(key_count_), rows_here(key_count_), large_key;
    thrust::copy(key.begin(), ends.first, key_here.begin());
    thrust::copy(rows.begin(), ends.second, rows_here.begin());
    std::vector<rowwise::Chunk> small, large;
    uint32_t row = 0;
    for (std::size_t k = 0; k < key_count_; ++k) {
      const auto first_small = static_cast<uint32_t>(small.size());
      add_chunks(row, row + rows_here[k], chunk_rows, small);
      add_chunks(first_small, static_cast<uint32_t>(small.size()), chunk_rows, large);
      large_key.resize(large.size(), key_here[k]);
      row += rows_here[k];
    }
    small_ = Vector<rowwise::Chunk>(small.begin(), small.end());
    large_ = Vector<rowwise::Chunk>(large.begin(), large.end());
    large_key_ = Vector<uint32_t>(large_key.begin(), large_key.end());
  }

  template <typename OfRow>
  Sums add_up(const OfRow& of_row) const {
    Sums sums{Vector<Totals>(small_.size()), Vector<Totals>(large_.size())};
    thrust::transform(Space::policy(), Rows(0), Rows(size(small_)), sums.small.begin(),
                      rowwise::ChunkTotals<Totals, Add, OfRow>{data(small_), of_row});
    const rowwise::ValueOf<Totals> of_small{data(sums.small)};
    thrust::transform(
        Space::policy(), Rows(0), Rows(size(large_)), sums.large.begin(),
        rowwise::ChunkTotals<Totals, Add, rowwise::ValueOf<Totals>>{data(large_), of_small});
    return sums;
  }

  // Sums the rows whose positions are in the range. `sums` is the result of add_up() for `of_row`.
  template <typename OfRow, typename PlaceOf>
  Answer in_range(const Sums& sums, const OfRow& of_row, const PlaceOf& place_of,
                  const rowwise::RowRange& range) const {
    Vector<Totals> parts(large_.size()), totals(key_count_);
    Vector<uint32_t> keys(key_count_);
    const rowwise::ChunkTotalsInRange<Totals, Add, OfRow, PlaceOf> in_range{
        data(large_), data(small_), data(sums.large), data(sums.small), of_row, place_of, range};
    thrust::transform(Space::policy(), Rows(0), Rows(size(large_)), parts.begin(), in_range);
    thrust::reduce_by_key(Space::policy(), large_key_.begin(), large_key_.end(), parts.begin(),
                          keys.begin(), totals.begin(), thrust::equal_to<uint32_t>(), Add());
    Answer answer{std::vector<uint32_t>(key_count_), std::vector<Totals>(key_count_)};
    thrust::copy(keys.begin(), keys.end(), answer.keys.begin());
    thrust::copy(totals.begin(), totals.end(), answer.totals.begin());
    return answer;
  }

 private:
  static void add_chunks(uint32_t begin, uint32_t end, uint32_t length,
                         std::vector<rowwise::Chunk>& chunks) {
    for (uint32_t next = begin; next < end;) {
      const uint32_t stop = end - next > length ? next + length : end;
      chunks.push_back({next, stop});
      next = stop;
    }
  }
  template <typename T>
  static const T* data(const Vector<T>& values) {
    return thrust::raw_pointer_cast(values.data());
  }
  template <typename T>
  static uint32_t size(const Vector<T>& values) {
    return static_cast<uint32_t>(values.size());
  }

  std::size_t key_count_;
  Vector<rowwise::Chunk> small_, large_;  // of rows, of small chunks
  Vector<uint32_t> large_key_;            // of each large chunk
};

}  // namespace dlview::aggregate
