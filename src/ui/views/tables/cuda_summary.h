// CUDA summary: the reports of `nsys stats` for the range, one at a time, chosen from a list. A
// profile that is no export of Nsight Systems has none; then the view says why.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "ui/table/data_table.h"
#include "ui/table/tables.h"
#include "ui/views/tables/report_data.h"
#include "ui/views/tables/report_looks.h"

namespace dlview::ui {

class CudaSummaryView {
 public:
  explicit CudaSummaryView(const profile::Profile& profile);
  void draw(Frame& frame, const Box& box, Tables& tables);

  // That of the chosen report, once it is there.
  std::vector<DataTable*> tables();
  // Of kReportList and of the tables of the reports, which bear their names.
  void set(const TableState& state);
  std::vector<TableState> states();

 private:
  struct Report {
    ReportPlace place;
    const report::nsys::ReportInfo& info;
    bool is_possible;  // the file has what it needs
    ReportData data;
    std::unique_ptr<DataTable> table = nullptr;  // from its first data on
    TableState wanted = {};                      // for the table that is to come
  };

  static std::string why_none(const Report& report);
  Report& chosen() { return reports_[chosen_]; }
  void take_command(Tables& tables);
  void draw_list(Frame& frame, const Box& box);
  void draw_entry(Frame& frame, const Box& row, std::size_t report);
  void draw_report(Frame& frame, const Box& box, Tables& tables);

  std::vector<Report> reports_;  // in the order of the list; empty without a trace
  std::size_t first_ = 0;        // the first one that has something to tell
  std::size_t chosen_ = 0;
};

}  // namespace dlview::ui
