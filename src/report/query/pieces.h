// Long loops over rows, in pieces that run on all cores and end soon after they are canceled.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/parallel.h"
#include "base/progress.h"

namespace dlview::report {

inline constexpr std::size_t kPieceRows = std::size_t{1} << 15;

inline std::size_t piece_count(std::size_t rows) {
  return (rows + kPieceRows - 1) / kPieceRows;
}

// body(piece, begin, end) for every piece of [0, rows), in any order; those that had not begun
// when `progress` was canceled are left out.
template <typename Body>
void for_each_piece(std::size_t rows, base::Progress& progress, const Body& body) {
  base::parallel_for(piece_count(rows), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t piece = first; piece < last && !progress.canceled(); ++piece) {
      const std::size_t begin = piece * kPieceRows;
      const std::size_t end = std::min(begin + kPieceRows, rows);
      body(piece, begin, end);
      progress.add_done(static_cast<int64_t>(end - begin));
    }
  });
}

}  // namespace dlview::report
