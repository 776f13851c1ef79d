// Tells whether a cache file was written by a program that makes the same rows and numbers.
#pragma once

#include <cstdint>

namespace dlview::import::column_cache {

// A hash over all sources that affect a row or a number: base, profile, import, aggregate, and
// those of the answer that is cached with the columns. Computed by the build (src/CMakeLists.txt).
uint64_t source_stamp();

}  // namespace dlview::import::column_cache
