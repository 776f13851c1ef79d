// Two iterations side by side in the Timeline.
#pragma once

#include "ui/views/timeline_fixture.h"

namespace dlview::ui {

class SideBySideTest : public testing::TimelineFixture {
 protected:
  // Iteration 10 holds the data loader and takes 300 ns, all others 100.
  void begin(int64_t iteration, int64_t baseline) {
    model.compared = {iteration, baseline};
    view_.request({.window = {}, .iteration = {}, .side_by_side = true});
    frames(4);
  }
  float width() const {
    const ItemRect plot = item("timeline/first/plot");
    return plot.right - plot.left;
  }
};

}  // namespace dlview::ui
