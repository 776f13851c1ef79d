// How a GEMM kernel divides its result into tiles, and the tiles into waves of blocks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "aggregate/limits/op_work.h"
#include "profile/rows.h"

namespace dlview::aggregate {

struct Tile {
  int64_t m = 0, n = 0;
  bool operator==(const Tile&) const = default;
};
// Tile in a kernel's name: 256 x 128 of "..._256x128_32x3_tn_align8"; nullopt = none, or ambiguous.
std::optional<Tile> tile_of(std::string_view kernel_name);
// 8 of "align8"; nullopt = none.
std::optional<int64_t> alignment_of(std::string_view kernel_name);

struct GemmTiling {
  Tile tile;  // turned so that it fits the grid, where the grid is recorded
  int64_t tiles = 0;
  double waves = 0;         // tiles / (SMs x blocks per SM)
  int64_t whole_waves = 0;  // rounded up
  double wave_efficiency_percent = 0, tile_efficiency_percent = 0;
  // What the grid says: "persistent kernel: as many blocks as SMs", "swizzle 8: 24 empty blocks".
  std::string note;
  bool operator==(const GemmTiling&) const = default;
};
// nullopt: no tile in the name, split-K or stream-K, or sm_count below 1.
std::optional<GemmTiling> tiling_of(std::string_view kernel_name, const GemmShape& gemm,
                                    const std::optional<profile::Dim3>& grid, int64_t sm_count,
                                    double blocks_per_sm);

// Blocks of a grid; INT64_MAX if they are more.
int64_t blocks_of(const profile::Dim3& grid);

// The multiple that K and N need for Tensor Cores: 8 (FP16, BF16), 16 (FP8, INT8), 4 (TF32).
// nullopt for other data types.
std::optional<int64_t> needed_multiple(std::string_view data_type);
// Sizes of K and N that are no such multiple: "K = 5185"; empty = all are, or the type has none.
std::string unaligned_sizes(const GemmShape& gemm, std::string_view data_type);

}  // namespace dlview::aggregate
