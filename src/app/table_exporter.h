// TableExporter: writes tables into files beside the frame, one after the other, each as
// dlview-NAME-YYYYMMDD-HHMMSS.EXT where pictures go too.
#pragma once

#include <functional>
#include <mutex>
#include <string>

#include "base/progress.h"
#include "ui/background.h"
#include "ui/table/table_export.h"

namespace dlview::app {

class TableExporter {
 public:
  // `wake` is called on another thread when take_notice() has something.
  explicit TableExporter(std::function<void()> wake);
  // What is not finished is left out.
  ~TableExporter();
  TableExporter(const TableExporter&) = delete;
  TableExporter& operator=(const TableExporter&) = delete;

  void write(const ui::TableExport& what);
  // What was written, or why it was not; cleared by the call.
  std::string take_notice();
  bool settled() const { return !background_.busy(); }
  void settle() { background_.wait_until_idle(); }

 private:
  std::mutex mutex_;
  std::string notice_;
  base::Progress progress_;
  ui::Background background_;
};

}  // namespace dlview::app
