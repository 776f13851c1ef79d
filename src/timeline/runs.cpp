#include "timeline/runs.h"

namespace dlview::timeline {

void Runs::add_up() {
  int64_t busy_ns = 0;
  for (Run& run : levels_.front()) busy_ns += std::exchange(run.busy_before_ns, busy_ns);
}

void Runs::add_levels() {
  while (levels_.back().size() - 1 > kFan) {
    const Level& below = levels_.back();
    Level level((below.size() + kFan - 2) / kFan + 1);
    for (std::size_t run = 0; run + 1 < level.size(); ++run) {
      level[run] = below[kFan * run];
      level[run].longest.take(below[kFan * run + 1].longest);
    }
    level.back().busy_before_ns = below.back().busy_before_ns;
    levels_.push_back(std::move(level));
  }
}

}  // namespace dlview::timeline
