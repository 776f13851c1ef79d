// The slow, obvious twin of every engine: each number straight from its definition in
// dlprof-database.md and decisions.md, with sorted maps and no cleverness. Tests compare the
// engines with it, and `generate` fills DLProf's aggregated tables from it.
#pragma once

#include <memory>

#include "aggregate/aggregator.h"

namespace dlview::aggregate {

std::unique_ptr<Aggregator> make_reference_aggregator(
    std::shared_ptr<const profile::Profile> profile);

}  // namespace dlview::aggregate
