// The slow, obvious twin of every engine: each number straight from its definition in
// formats.md and spec.md, with sorted maps and no cleverness. Tests compare the engines with it,
// and `generate` fills DLProf's aggregated tables from it.
#pragma once

#include <memory>

#include "aggregate/aggregator.h"
#include "base/progress.h"

namespace dlview::aggregate {

// Once `progress` is canceled, aggregations end early and are to be thrown away: parts of them are
// empty. It must outlive the aggregator.
std::unique_ptr<Aggregator> make_reference_aggregator(
    std::shared_ptr<const profile::Profile> profile, const base::Progress* progress = nullptr);

}  // namespace dlview::aggregate
