// RankMatrix: a number of each rank and iteration. It is read when it is needed, in chunks of 64
// ranks, and takes 4 bytes a number where those of a chunk span less than 2^32, else 8.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/untouched_vector.h"

namespace dlview::ranks {

class ColumnReader;

// The numbers of a rank, by iteration. Valid as long as the matrix, unless that is written to.
class RankRow {
 public:
  RankRow(const uint32_t* narrow, const int64_t* wide, int64_t base)
      : narrow_(narrow), wide_(wide), base_(base) {}
  int64_t operator[](std::size_t iteration) const {
    return narrow_ != nullptr ? base_ + int64_t{narrow_[iteration]} : wide_[iteration];
  }

 private:
  const uint32_t* narrow_;  // null = wide
  const int64_t* wide_;
  int64_t base_;
};

class RankMatrix {
 public:
  static constexpr std::size_t kRanksOfChunk = 64;
  // Writes the numbers of these ranks, which ascend, one after another; they are 0 before. On any
  // thread, several at once.
  using Load = std::function<void(ColumnReader& reader, std::span<const std::size_t> ranks,
                                  std::span<int64_t> values)>;

  RankMatrix() = default;
  RankMatrix(std::size_t iterations, const std::vector<int64_t>& values);
  RankMatrix(std::size_t ranks, std::size_t iterations, Load load);

  std::size_t ranks() const { return state_ ? state_->ranks : 0; }
  std::size_t iterations() const { return state_ ? state_->iterations : 0; }

  // These read the chunk of the rank the first time. On any thread.
  RankRow row(std::size_t rank) const;
  int64_t at(std::size_t rank, std::size_t iteration) const { return row(rank)[iteration]; }
  // To be written; from one thread, while no other one reads.
  int64_t& at(std::size_t rank, std::size_t iteration);

  // Reads all that has not been read, on all cores.
  void load_all() const;
  // The numbers of these ranks, which ascend, one after another; keeps none of them.
  void read(ColumnReader& reader, std::span<const std::size_t> ranks,
            std::vector<int64_t>& values) const;
  std::size_t chunks() const { return state_ ? state_->chunks.size() : 0; }
  // Whether the numbers of a chunk are there; else put() gives them.
  bool has_chunk(std::size_t chunk) const;
  void put(std::size_t chunk, std::span<const int64_t> values) const;

 private:
  struct Chunk {
    int64_t base = 0;
    const uint32_t* narrow = nullptr;
    std::vector<int64_t> wide;
  };
  struct State {
    std::size_t ranks = 0, iterations = 0;
    Load load;
    std::mutex mutex;                         // of writing chunks
    base::UntouchedVector<uint32_t> numbers;  // of all narrow chunks
    std::vector<std::unique_ptr<Chunk>> chunks;
    std::vector<std::atomic<const Chunk*>> there;  // null = not yet
  };

  const Chunk& chunk_of(std::size_t rank) const;
  const Chunk& load(std::size_t chunk, ColumnReader& reader) const;

  std::unique_ptr<State> state_;
};

}  // namespace dlview::ranks
