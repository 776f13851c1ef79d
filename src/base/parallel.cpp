#include "base/parallel.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

namespace dlview::base {

void parallel_for(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t, std::size_t)>& body) {
  // TBB halves ranges down to half of its own grain: it gets whole units instead, the last of which
  // takes the rest.
  const std::size_t units = count / grain;
  if (units <= 1) {
    if (count > 0) body(0, count);
    return;
  }
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, units), [&](const tbb::blocked_range<std::size_t>& range) {
        body(range.begin() * grain, range.end() == units ? count : range.end() * grain);
      });
}

}  // namespace dlview::base
