#include "ui/table/save_items.h"

#include <utility>

#include <fmt/format.h>

namespace dlview::ui {

std::vector<MenuItem> save_items(const std::string& prefix,
                                 const std::function<void(report::ExportFormat)>& save) {
  std::vector<MenuItem> items;
  for (const report::ExportFormatInfo& entry : report::kExportFormats) {
    if (entry.format == report::ExportFormat::tsv) continue;  // the clipboard's
    MenuItem item{prefix + std::string(entry.name), fmt::format("Save as {}", entry.title)};
    item.run = [save, format = entry.format] { save(format); };
    items.push_back(std::move(item));
  }
  return items;
}

}  // namespace dlview::ui
