// ReportData: a report of nsys for the range that is selected. In small captures it follows the
// range within the frame; of large ones it is made in the background, and the last one stays
// meanwhile. So are the names of kernels, once for all reports.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "base/result.h"
#include "report/nsys/reports.h"
#include "ui/background.h"
#include "ui/model.h"
#include "ui/table/table_data.h"
#include "ui/views/tables/report_names.h"

namespace dlview::ui {

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

}  // namespace dlview::ui
