// Loops over index ranges on all cores, on top of oneTBB.
#pragma once

#include <cstddef>
#include <functional>

namespace dlview::base {

// Calls body(begin, end) for disjoint pieces that cover [0, count), each of at least `grain`
// indices, on several threads; returns when all are done. A count below `grain` runs in place.
void parallel_for(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t begin, std::size_t end)>& body);

}  // namespace dlview::base
