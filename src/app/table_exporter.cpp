#include "app/table_exporter.h"

#include <ctime>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "app/output_files.h"
#include "base/units.h"
#include "report/writers/file.h"

namespace dlview::app {

void TableExporter::write(const ui::TableExport& what) {
  files_.push_back(strand_.start([what](base::Progress& progress) -> News {
    const std::string_view extension = report::info(what.format).name;
    const std::filesystem::path path =
        free_output_path(output_folder(), "dlview-" + what.name, extension, std::time(nullptr));
    const base::Status written = ui::write_export(what, path, progress);
    const std::size_t rows =
        what.all_rows ? what.rows->data->table.row_count : what.rows->rows.size();
    if (!written) return {.saved = {}, .problems = base::one_line(written.error())};
    return {.saved = fmt::format("Saved {} ({} rows)", path.string(),
                                 base::format_count(static_cast<int64_t>(rows))),
            .problems = {}};
  }));
}

void TableExporter::write_file(const std::string& name, std::string_view extension, Write write) {
  files_.push_back(strand_.start([name, extension = std::string(extension),
                                  write = std::move(write)](base::Progress&) -> News {
    const std::filesystem::path path =
        free_output_path(output_folder(), "dlview-" + name, extension, std::time(nullptr));
    const base::Status written = write(path);
    if (!written) return {.saved = {}, .problems = base::one_line(written.error())};
    return {.saved = fmt::format("Saved {}", path.string()), .problems = {}};
  }));
}

void TableExporter::write_text(const std::string& name, std::string_view extension,
                               std::string text) {
  write_file(name, extension, [text = std::move(text)](const std::filesystem::path& path) {
    return report::write_file(path, [&text](std::ostream& out) { out << text; });
  });
}

TableExporter::News TableExporter::take_news() {
  News news;
  const auto add = [](std::string& all, const std::string& one) {
    if (!all.empty() && !one.empty()) all += " · ";
    all += one;
  };
  while (!files_.empty() && files_.front().ended()) {
    const base::Result<News> file = files_.front().take();
    files_.erase(files_.begin());
    add(news.saved, file ? file->saved : "");
    add(news.problems, file ? file->problems : base::one_line(file.error()));
  }
  return news;
}

bool TableExporter::settled() const {
  return files_.empty() || files_.back().ended();
}

void TableExporter::settle() const {
  for (const auto& file : files_) file.wait();
}

}  // namespace dlview::app
