#include "app/table_exporter.h"

#include <ctime>
#include <utility>

#include <fmt/format.h>

#include "app/error_notice.h"
#include "app/output_file.h"
#include "base/units.h"

namespace dlview::app {

TableExporter::TableExporter(std::function<void()> wake) : background_(std::move(wake)) {}

TableExporter::~TableExporter() {
  progress_.cancel();
}

void TableExporter::write(const ui::TableExport& what) {
  background_.run([this, what] {
    const std::string_view extension = report::info(what.format).name;
    const std::filesystem::path path =
        free_output_path(output_folder(), "dlview-" + what.name, extension, std::time(nullptr));
    const base::Status written = ui::write_export(what, path, progress_);
    const std::size_t rows =
        what.all_rows ? what.rows->data->table.row_count : what.rows->rows.size();
    const std::lock_guard lock(mutex_);
    notice_ = written ? fmt::format("Saved {} ({} rows)", path.string(),
                                    base::format_count(static_cast<int64_t>(rows)))
                      : error_notice(written.error());
  });
}

std::string TableExporter::take_notice() {
  if (const auto failure = background_.take_failure()) return error_notice(*failure);
  const std::lock_guard lock(mutex_);
  return std::exchange(notice_, {});
}

}  // namespace dlview::app
