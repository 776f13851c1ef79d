// The details of a table's row that is no op, kernel or group: an operator, a module, a Python
// function, a collective.
#pragma once

#include <cstddef>

#include "ui/table/table_data.h"
#include "ui/views/details/details.h"

namespace dlview::ui {

// The row's name whole, the cells of all columns of the look, also those that are not shown, and
// long texts such as call stacks below. The look has a `row_kind`.
DetailsContent prepare_row_details(const TableData& data, std::size_t row, const TableLook& look);

}  // namespace dlview::ui
