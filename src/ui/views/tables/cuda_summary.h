// CUDA summary: the reports of `nsys stats` for the range, one at a time, chosen from a list. A
// profile that is no export of Nsight Systems has none; then the view says why.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "report/nsys/reports.h"
#include "ui/background.h"
#include "ui/model.h"
#include "ui/table/data_table.h"
#include "ui/table/table_data.h"
#include "ui/table/tables.h"
#include "ui/views/tables/report_looks.h"
#include "ui/views/tables/table_view.h"

namespace dlview::ui {

// A report of nsys for the range that is selected. In small captures it follows the range within
// the frame; of large ones it is made in the background, and the last one stays meanwhile. So are
// the names of kernels, once for all reports.
class ReportData {
 public:
  explicit ReportData(
      const report::nsys::ReportInfo& report,
      std::shared_ptr<SharedReportNames> names = std::make_shared<SharedReportNames>())
      : report_(report), shared_names_(std::move(names)) {}

  // Call in every frame that shows it; the model's profile has a trace.
  void update(const Model& model, Background& background);

  // Null where there is nothing to print, where it failed, and before the first answer.
  const std::shared_ptr<const TableData>& data() const { return data_; }
  // Null before the first data.
  const std::shared_ptr<const ReportNames>& names() const { return names_; }
  // Whose range the answer is of; null before the first one.
  const aggregate::Aggregation* made_for() const { return made_for_.get(); }
  const base::Error* error() const { return error_ ? &*error_ : nullptr; }

 private:
  struct Made {
    std::shared_ptr<const TableData> data;
    std::shared_ptr<const ReportNames> names;
  };
  void take_over(base::Result<Made> made);

  const report::nsys::ReportInfo& report_;
  std::shared_ptr<SharedReportNames> shared_names_;
  base::Task<Made> task_;
  std::shared_ptr<const aggregate::Aggregation> asked_for_;  // null without a task
  std::shared_ptr<const aggregate::Aggregation> made_for_;
  std::shared_ptr<const TableData> data_;
  std::shared_ptr<const ReportNames> names_;
  std::optional<base::Error> error_;
};

// " · without CUDA graphs (7.81 s in the capture)": the reports of nsys on GPU activity leave out
// graphs that were not traced node by node. Empty if there are none.
std::string graphs_note(const profile::Trace& trace);

class CudaSummaryView : public TableView {
 public:
  explicit CudaSummaryView(const profile::Profile& profile);
  // That of the chosen report, once it is there.
  std::vector<DataTable*> tables() override;
  // Of kReportList and of the tables of the reports, which bear their names.
  void set_table(const workspace::TableState& state) override;
  std::vector<workspace::TableState> table_states() override;

 private:
  void draw_tables(Frame& frame, const Box& box, Tables& tables) override;
  struct Report {
    ReportPlace place;
    const report::nsys::ReportInfo& info;
    bool is_possible;  // the file has what it needs
    ReportData data;
    std::unique_ptr<DataTable> table = nullptr;  // from its first data on
    workspace::TableState wanted = {};           // for the table that is to come
  };

  static void draw_why_none(Frame& frame, const Box& box, const Report& report);
  Report& chosen() { return reports_[chosen_]; }
  void take_command(Tables& tables);
  float list_width(const Frame& frame) const;  // so that no label is cut
  void draw_list(Frame& frame, const Box& box);
  void draw_entry(Frame& frame, const Box& row, std::size_t report);
  void draw_report(Frame& frame, const Box& box, Tables& tables);

  std::vector<Report> reports_;  // in the order of the list; empty without a trace
  std::string graphs_note_;      // behind the scope of reports on GPU activity
  std::size_t first_ = 0;        // the first one that has something to tell
  std::size_t chosen_ = 0;
};

}  // namespace dlview::ui
