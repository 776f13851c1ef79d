// The calls of a row of collectives in their order: on the transfer the skew, which is what the
// first of the ranks waited; where several share a pixel, the longest. Beside it the bandwidth of
// all rows over their bytes.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "ranks/run_figures.h"
#include "ui/background.h"
#include "ui/chart/bars.h"
#include "ui/view.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

// The longest matched call of each of at most `width` pixels, in order; a column is three pixels
// wide, or more where there are few calls.
struct CallColumns {
  struct Column {
    std::size_t first = 0, last = 0;     // calls [first, last)
    std::optional<std::size_t> longest;  // nullopt = none is matched
  };
  float width = 3;  // pixels of one
  std::vector<Column> columns;
  int64_t top_ns = 1;      // of the axis
  int64_t highest_ns = 0;  // of all calls, perhaps beyond it
};
CallColumns make_call_columns(const std::vector<ranks::CollectiveCall>& calls, float width);

class CollectiveChart {
 public:
  struct Chosen {
    std::optional<ranks::CollectiveCall> call;
    std::optional<std::size_t> row;  // of the collectives, by a click on its dot
  };
  // `row`: of the figures; nullopt = nothing is selected.
  Chosen draw(Frame& frame, const Box& box, const ranks::SharedRunFigures& run,
              std::optional<std::size_t> row, BarLayer& layer, Background& background);

 private:
  using Calls = std::vector<ranks::CollectiveCall>;
  std::optional<ranks::CollectiveCall> draw_calls(Frame& frame, const Box& box,
                                                  const ranks::RunFigures& run, std::size_t row,
                                                  BarLayer& layer) const;
  std::optional<std::size_t> draw_bandwidths(Frame& frame, const Box& box,
                                             const ranks::RunFigures& run,
                                             std::optional<std::size_t> row) const;

  Late<std::tuple<ranks::SharedRunFigures, std::size_t>, Calls> calls_{
      Late<std::tuple<ranks::SharedRunFigures, std::size_t>, Calls>::WhenOutdated::finish};
};

}  // namespace dlview::ui
