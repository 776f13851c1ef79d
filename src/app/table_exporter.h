// TableExporter: writes tables and pages into files in the background, one after the other, each as
// dlview-NAME-YYYYMMDD-HHMMSS.EXT where pictures go too. The main thread only.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/scheduler.h"
#include "ui/table/table_export.h"

namespace dlview::app {

class TableExporter {
 public:
  // What is not finished at its end is left out.
  explicit TableExporter(base::Scheduler& scheduler)
      : strand_(scheduler, base::Arena::background) {}

  void write(const ui::TableExport& what);
  // A file with this extension. `write` runs on another thread and owns what it refers to.
  using Write = std::function<base::Status(const std::filesystem::path&)>;
  void write_file(const std::string& name, std::string_view extension, Write write);
  // A text, as a file with this extension.
  void write_text(const std::string& name, std::string_view extension, std::string text);
  // What was written since the last call, and why other files were not.
  struct News {
    std::string saved, problems;
  };
  News take_news();
  // Nothing is being written; settle() blocks until then.
  bool settled() const;
  void settle() const;

 private:
  base::Strand strand_;
  std::vector<base::Task<News>> files_;  // in order; each makes one of the two
};

}  // namespace dlview::app
