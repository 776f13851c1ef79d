// Numbers at the end of the names of ranges: those that count ("step 12") are taken off, those that
// name ("layer 3") stay (docs/decisions.md, 40).
#pragma once

#include <cstdint>
#include <unordered_map>

#include "import/capture/nvtx_ranges.h"
#include "import/capture/range_facts.h"

namespace dlview::import::capture {

// Texts with a number, by that of their facts.
using CountedTexts = std::unordered_map<uint32_t, RangeFactsReader::Counted>;

// Takes numbers off the names that count and away from those that do not.
void set_numbers(NvtxRanges& ranges, const CountedTexts& counted);

}  // namespace dlview::import::capture
