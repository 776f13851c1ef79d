// The present rules for Tensor Cores in tables of kernels: a third state beside yes and no, and the
// reason.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "aggregate/tensor_core_uses.h"
#include "report/views/views.h"
#include "ui/table/table_data.h"

namespace dlview::ui {

// To a table of kernels, by launch or by name, with the ids of their ops: uses_tc becomes not
// recorded where the rules do not know and the numbers do not count it; tc_by_rules and tc_rule
// tell what the rules say. A row of several kernels that they see differently is "unknown".
void add_tensor_core_rules(TableData& data, const report::ViewArguments& arguments);

// To a table of all ops: using_tc becomes not recorded for ops of whose kernels the rules know
// none, where they run kernels in it.
void add_unknown_use(TableData& data,
                     std::shared_ptr<const aggregate::UnknownTensorCoreUse> unknown);

// What they say of the kernel in this row, beside what it counts as; one sentence.
std::string reason_of_use(const report::Table& table, std::size_t row);

}  // namespace dlview::ui
