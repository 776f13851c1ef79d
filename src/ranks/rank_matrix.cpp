#include "ranks/rank_matrix.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/parallel.h"
#include "ranks/stored_parts.h"

namespace dlview::ranks {

RankMatrix::RankMatrix(std::size_t ranks, std::size_t iterations, Load load)
    : state_(std::make_unique<State>()) {
  const std::size_t chunks = (ranks + kRanksOfChunk - 1) / kRanksOfChunk;
  state_->ranks = ranks;
  state_->iterations = iterations;
  state_->load = std::move(load);
  state_->chunks.resize(chunks);
  state_->there = std::vector<std::atomic<const Chunk*>>(chunks);
}

RankMatrix::RankMatrix(std::size_t iterations, const std::vector<int64_t>& values)
    : RankMatrix(iterations == 0 ? 0 : values.size() / iterations, iterations, Load()) {
  const std::size_t of_chunk = kRanksOfChunk * iterations;
  for (std::size_t chunk = 0; chunk < chunks(); ++chunk) {
    const std::size_t first = chunk * of_chunk;
    put(chunk, std::span(values).subspan(first, std::min(of_chunk, values.size() - first)));
  }
}

bool RankMatrix::has_chunk(std::size_t chunk) const {
  return state_->there[chunk].load(std::memory_order_acquire) != nullptr;
}

void RankMatrix::put(std::size_t chunk, std::span<const int64_t> values) const {
  State& state = *state_;
  auto made = std::make_unique<Chunk>();
  const auto [least, greatest] = std::ranges::minmax(values);
  const uint64_t span = static_cast<uint64_t>(greatest) - static_cast<uint64_t>(least);
  if (span > UINT32_MAX) made->wide.assign(values.begin(), values.end());
  const std::lock_guard lock(state.mutex);
  if (state.chunks[chunk]) return;
  if (span <= UINT32_MAX) {
    if (state.numbers.empty()) state.numbers.resize(state.ranks * state.iterations);
    uint32_t* const place = state.numbers.data() + chunk * kRanksOfChunk * state.iterations;
    const auto base = static_cast<uint64_t>(least);
    for (std::size_t i = 0; i < values.size(); ++i) {
      place[i] = static_cast<uint32_t>(static_cast<uint64_t>(values[i]) - base);
    }
    made->base = least;
    made->narrow = place;
  }
  state.chunks[chunk] = std::move(made);
  state.there[chunk].store(state.chunks[chunk].get(), std::memory_order_release);
}

const RankMatrix::Chunk& RankMatrix::load(std::size_t chunk, ColumnReader& reader) const {
  const std::size_t first = chunk * kRanksOfChunk;
  std::vector<std::size_t> ranks(std::min(kRanksOfChunk, state_->ranks - first));
  std::iota(ranks.begin(), ranks.end(), first);
  std::vector<int64_t> values(ranks.size() * state_->iterations);
  if (state_->load) state_->load(reader, ranks, values);
  put(chunk, values);
  return *state_->there[chunk].load(std::memory_order_acquire);
}

void RankMatrix::load_all() const {
  base::parallel_for(chunks(), 1, [this](std::size_t begin, std::size_t end) {
    ColumnReader reader;
    for (std::size_t chunk = begin; chunk < end; ++chunk) {
      if (!has_chunk(chunk)) load(chunk, reader);
    }
  });
}

void RankMatrix::read(ColumnReader& reader, std::span<const std::size_t> ranks,
                      std::vector<int64_t>& values) const {
  values.assign(ranks.size() * iterations(), 0);
  const bool are_there = std::ranges::all_of(
      ranks, [this](std::size_t rank) { return has_chunk(rank / kRanksOfChunk); });
  if (!are_there && state_->load) return state_->load(reader, ranks, values);
  auto value = values.begin();
  for (const std::size_t rank : ranks) {
    const RankRow its = row(rank);
    for (std::size_t i = 0; i < iterations(); ++i) *value++ = its[i];
  }
}

const RankMatrix::Chunk& RankMatrix::chunk_of(std::size_t rank) const {
  const std::size_t chunk = rank / kRanksOfChunk;
  const Chunk* const there = state_->there[chunk].load(std::memory_order_acquire);
  if (there != nullptr) return *there;
  ColumnReader reader;
  return load(chunk, reader);
}

RankRow RankMatrix::row(std::size_t rank) const {
  const Chunk& chunk = chunk_of(rank);
  const std::size_t first = rank % kRanksOfChunk * state_->iterations;
  return chunk.narrow != nullptr ? RankRow(chunk.narrow + first, nullptr, chunk.base)
                                 : RankRow(nullptr, chunk.wide.data() + first, 0);
}

int64_t& RankMatrix::at(std::size_t rank, std::size_t iteration) {
  chunk_of(rank);
  Chunk& chunk = *state_->chunks[rank / kRanksOfChunk];
  if (chunk.narrow != nullptr) {
    const std::size_t first = rank / kRanksOfChunk * kRanksOfChunk;
    const std::size_t count =
        (std::min(first + kRanksOfChunk, state_->ranks) - first) * state_->iterations;
    chunk.wide.resize(count);
    for (std::size_t i = 0; i < count; ++i) chunk.wide[i] = chunk.base + int64_t{chunk.narrow[i]};
    chunk.narrow = nullptr;
  }
  return chunk.wide[rank % kRanksOfChunk * state_->iterations + iteration];
}

}  // namespace dlview::ranks
