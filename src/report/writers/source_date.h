// SOURCE_DATE_EPOCH, the convention of reproducible builds for dates inside files.
#pragma once

#include <ctime>
#include <optional>

namespace dlview::report {

// Seconds since 1970 that stand in a file instead of the time of writing, so that two runs write
// the same bytes; nothing where the variable is not set, or no number.
std::optional<std::time_t> source_date();

}  // namespace dlview::report
