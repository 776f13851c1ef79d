// What made two iterations differ, as tables whose columns bear the numbers of the iterations: the
// Timeline side by side shows them, the Iterations copy and save them.
#pragma once

#include <memory>

#include "report/differences.h"
#include "ui/table/table_data.h"

namespace dlview::ui {

TableData op_differences(const std::shared_ptr<const profile::Profile>& profile,
                         const std::shared_ptr<const aggregate::Aggregation>& aggregation,
                         const report::SharedComparison& comparison);
TableData kernel_differences(const std::shared_ptr<const profile::Profile>& profile,
                             const std::shared_ptr<const aggregate::Aggregation>& aggregation,
                             const report::SharedComparison& comparison);

}  // namespace dlview::ui
