// The performance summary as key figures, and the system configuration as a list.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/recorded.h"
#include "profile/profile.h"
#include "ui/views/dashboard/findings.h"
#include "ui/widgets/figures.h"

namespace dlview::ui {

// Wall time, average iteration with standard deviation and median, GPU utilization over all and
// over used GPUs, Tensor Core efficiency, kernel launches, iterations in the range with start and
// stop. `efficiency`: nullopt while it is not known.
std::vector<KeyFigure> prepare_summary(const profile::Profile& profile,
                                       const aggregate::Aggregation& aggregation,
                                       const std::optional<aggregate::KnownEfficiency>& efficiency);

// The Dashboard's selection of the summary, what costs most first: average iteration, GPU
// utilization, the largest potential savings, Tensor Core efficiency, launches, wall time. The
// strip shows the range. `findings`: null until they are known.
std::vector<KeyFigure> prepare_headline(const std::vector<KeyFigure>& summary,
                                        const FindingRows* findings);

// The machine, used by the run or not.
std::vector<KeyValue> prepare_system(const profile::Profile& profile,
                                     const std::string& viewer_version);

}  // namespace dlview::ui
