#include "aggregate/limits/gemm_tiles.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "aggregate/limits/call_shapes.h"

namespace dlview::aggregate {
namespace {

constexpr int64_t kLeastTile = 16, kMostTile = 512;

int64_t whole_parts(int64_t count, int64_t size) {
  return count / size + (count % size != 0 ? 1 : 0);
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

// "128x256" as words between other characters, with what stands before the first number.
struct Pair {
  int64_t first = 0, second = 0;
  bool goes_on = false;  // "x32" follows: MT128x128x32
};
std::vector<Pair> pairs_of(std::string_view name) {
  std::vector<Pair> pairs;
  const auto number = [&](std::size_t& at) {
    int64_t value = 0;
    const std::size_t begin = at;
    while (at < name.size() && is_digit(name[at]) && at - begin < 6) {
      value = value * 10 + (name[at++] - '0');
    }
    return at == begin ? -1 : value;
  };
  for (std::size_t i = 0; i < name.size();) {
    if (!is_digit(name[i])) {
      ++i;
      continue;
    }
    std::size_t at = i;
    const int64_t first = number(at);
    if (at < name.size() && name[at] == 'x') {
      std::size_t after = at + 1;
      const int64_t second = number(after);
      if (second >= 0) {
        const bool goes_on =
            after + 1 < name.size() && name[after] == 'x' && is_digit(name[after + 1]);
        pairs.push_back({first, second, goes_on});
        // The rest of MT128x128x32 is no pair.
        while (after < name.size() && (is_digit(name[after]) || name[after] == 'x')) ++after;
        i = after;
        continue;
      }
    }
    while (at < name.size() && is_digit(name[at])) ++at;
    i = at;
  }
  return pairs;
}

bool is_tile(const Pair& pair) {
  const auto fits = [](int64_t size) {
    return size >= kLeastTile && size <= kMostTile && size % 8 == 0;
  };
  return fits(pair.first) && fits(pair.second);
}

// Several blocks add up one tile: the grid does not tell the tiles.
bool is_split(std::string_view name) {
  const std::string lower = lower_case(name);
  constexpr std::array<std::string_view, 6> kWords{"splitk",  "split_k",  "stream_k",
                                                   "streamk", "sliceduk", "_gsu"};
  return std::ranges::any_of(
      kWords, [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

int64_t tiles_of(const GemmShape& gemm, const Tile& tile) {
  return whole_parts(gemm.m, tile.m) * whole_parts(gemm.n, tile.n) * gemm.batch;
}

// Blocks of a grid (m · s, ⌈n / s⌉): s columns of tiles at a time, some of them empty. 0 = no such
// grid.
int64_t swizzle_of(const GemmShape& gemm, const Tile& tile, const profile::Dim3& grid) {
  const int64_t rows = whole_parts(gemm.m, tile.m), columns = whole_parts(gemm.n, tile.n);
  for (const int64_t swizzle : {2, 4, 8, 16}) {
    const bool by_rows = grid.x == rows * swizzle && grid.y == whole_parts(columns, swizzle);
    const bool by_columns = grid.x == columns * swizzle && grid.y == whole_parts(rows, swizzle);
    if (by_rows || by_columns) return swizzle;
  }
  return 0;
}

// What the grid says of the tiles; nullopt = nothing that fits.
std::optional<std::string> note_of(const GemmShape& gemm, const Tile& tile,
                                   const profile::Dim3& grid, int64_t sm_count) {
  const int64_t blocks = blocks_of(grid), tiles = tiles_of(gemm, tile);
  if (blocks == tiles) return "";
  const int64_t swizzle = swizzle_of(gemm, tile, grid);
  if (swizzle > 0) {
    return fmt::format("Swizzle {}: {} empty blocks", swizzle, blocks - tiles);
  }
  if (blocks == sm_count) return "Persistent kernel: as many blocks as SMs";
  return std::nullopt;
}

// How well the grid fits the tiles: by rows and columns, by their number, otherwise, not at all.
int fit_of(const GemmShape& gemm, const Tile& tile, const profile::Dim3& grid, int64_t sm_count) {
  const int64_t rows = whole_parts(gemm.m, tile.m), columns = whole_parts(gemm.n, tile.n);
  const auto note = note_of(gemm, tile, grid, sm_count);
  if (!note) return 0;
  if (!note->empty()) return 1;
  const bool is_by_sides =
      (grid.x == rows && grid.y == columns) || (grid.x == columns && grid.y == rows);
  return is_by_sides ? 3 : 2;
}

}  // namespace

int64_t blocks_of(const profile::Dim3& grid) {
  const Amount blocks = Amount(grid.x) * Amount(std::max(grid.y, 1)) * Amount(std::max(grid.z, 1));
  return blocks.value().value_or(INT64_MAX);
}

std::optional<Tile> tile_of(std::string_view kernel_name) {
  // The first pair that can be one: stages ("32x3", "64x4") and clusters ("1x2") follow it, warps
  // ("32x32_128x2") do not.
  for (const Pair& pair : pairs_of(kernel_name)) {
    if (is_tile(pair)) return Tile{pair.first, pair.second};
  }
  return std::nullopt;
}

std::optional<int64_t> alignment_of(std::string_view kernel_name) {
  constexpr std::string_view kWord = "align";
  const std::size_t at = kernel_name.rfind(kWord);
  if (at == std::string_view::npos) return std::nullopt;
  int64_t value = 0;
  std::size_t i = at + kWord.size();
  const std::size_t begin = i;
  for (; i < kernel_name.size() && is_digit(kernel_name[i]) && i - begin < 4; ++i) {
    value = value * 10 + (kernel_name[i] - '0');
  }
  return i == begin ? std::nullopt : std::optional(value);
}

std::optional<GemmTiling> tiling_of(std::string_view kernel_name, const GemmShape& gemm,
                                    const std::optional<profile::Dim3>& grid, int64_t sm_count,
                                    double blocks_per_sm) {
  const std::optional<Tile> named = tile_of(kernel_name);
  if (!named || is_split(kernel_name) || sm_count < 1 || blocks_per_sm <= 0 || gemm.m < 1 ||
      gemm.n < 1 || gemm.batch < 1) {
    return std::nullopt;
  }
  // With K = 0 the FLOP fit where the tiles would not.
  if (!(Amount(gemm.m) * Amount(gemm.n) * Amount(gemm.batch)).value()) return std::nullopt;
  GemmTiling tiling;
  tiling.tile = *named;
  if (grid) {
    // Libraries name tiles in column-major order, too: the one that fits the grid better.
    const Tile turned{named->n, named->m};
    if (fit_of(gemm, turned, *grid, sm_count) > fit_of(gemm, *named, *grid, sm_count)) {
      tiling.tile = turned;
    }
    const auto note = note_of(gemm, tiling.tile, *grid, sm_count);
    if (!note) return std::nullopt;
    tiling.note = *note;
  }
  tiling.tiles = tiles_of(gemm, tiling.tile);
  tiling.waves =
      static_cast<double>(tiling.tiles) / (static_cast<double>(sm_count) * blocks_per_sm);
  tiling.whole_waves = static_cast<int64_t>(std::ceil(tiling.waves));
  tiling.wave_efficiency_percent =
      100 * tiling.waves / static_cast<double>(std::max<int64_t>(tiling.whole_waves, 1));
  tiling.tile_efficiency_percent =
      100 * static_cast<double>(gemm.m) * static_cast<double>(gemm.n) *
      static_cast<double>(gemm.batch) /
      (static_cast<double>(tiling.tiles) * static_cast<double>(tiling.tile.m) *
       static_cast<double>(tiling.tile.n));
  return tiling;
}

std::optional<int64_t> needed_multiple(std::string_view data_type) {
  if (data_type == "float16" || data_type == "bfloat16") return 8;
  if (data_type.starts_with("float8") || data_type == "int8" || data_type == "uint8") return 16;
  if (data_type == "float32" || data_type == "tf32") return 4;
  return std::nullopt;
}

std::string unaligned_sizes(const GemmShape& gemm, std::string_view data_type) {
  const std::optional<int64_t> multiple = needed_multiple(data_type);
  std::string sizes;
  if (!multiple) return sizes;
  if (gemm.k % *multiple != 0) sizes = fmt::format("K = {}", gemm.k);
  if (gemm.n % *multiple != 0) {
    sizes += fmt::format("{}N = {}", sizes.empty() ? "" : ", ", gemm.n);
  }
  return sizes;
}

}  // namespace dlview::aggregate
