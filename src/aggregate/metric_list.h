// The numbers on screen, declared once: what each is called, how it is computed and from which
// rows, each family in its own header. Tooltips, `dlview definitions` and docs/definitions.md read
// these declarations.
#pragma once

#include "aggregate/metric.h"
#include "aggregate/metric_list/finding_metrics.h"
#include "aggregate/metric_list/op_metrics.h"
#include "aggregate/metric_list/run_metrics.h"
#include "aggregate/metric_list/usage_metrics.h"
#include "base/joined_arrays.h"

namespace dlview::aggregate {

// In the order of the sections of definitions.h.
inline constexpr auto kMetrics =
    base::joined_arrays(metric_list::kRunMetrics, metric_list::kUsageMetrics,
                        metric_list::kOpMetrics, metric_list::kFindingMetrics);

}  // namespace dlview::aggregate
