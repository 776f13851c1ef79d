// How the reports of nsys look on screen: where they stand in the list, and their columns.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "report/nsys/reports.h"
#include "ui/table/table_data.h"
#include "ui/views/tables/report_names.h"

namespace dlview::ui {

struct ReportPlace {
  std::string_view report;  // "cuda_gpu_kern_sum"
  std::string_view group;   // "Work on the GPU"; the reports of a group stand together
  std::string_view label;   // "Kernels"
};
// In the order of the list.
std::span<const ReportPlace> report_places();

// The look of a report that was made as `table`. A kernel's name filters to it.
TableLook report_look(const report::nsys::ReportInfo& report, const report::Table& table,
                      const std::shared_ptr<const ReportNames>& names);

// Adds the column that tells the rows of the report apart, where no other does.
void add_row_key(report::Table& table);

}  // namespace dlview::ui
