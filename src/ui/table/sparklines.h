// Sparklines: the GPU times of a table's rows over the iterations, computed in the background when
// the table is first drawn.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "aggregate/times_over_iterations.h"
#include "ui/background.h"

namespace dlview::ui {

// Larger tables have none: a row takes up to 160 bytes.
inline constexpr std::size_t kMostSparklineRows = 50'000;

// Belongs to one table with its rows. The main thread only; may be destroyed on any.
class Sparklines {
 public:
  using Make = std::function<aggregate::TimesOverIterations()>;
  // `make` runs on another thread unless `at_once`, and owns what it touches.
  Sparklines(bool at_once, Make make) : at_once_(at_once), make_(std::move(make)) {}

  // In every frame that shows them.
  void update(Background& background) {
    times_.want(0, at_once_, background, [make = make_](const base::Progress&) {
      return std::make_shared<const aggregate::TimesOverIterations>(make());
    });
  }
  bool is_late() const { return times_.is_late(); }
  // Null until they are computed, and after they could not be.
  const aggregate::TimesOverIterations* get() const { return times_.get().get(); }

 private:
  bool at_once_;
  Make make_;
  Late<int, aggregate::TimesOverIterations> times_;
};

}  // namespace dlview::ui
