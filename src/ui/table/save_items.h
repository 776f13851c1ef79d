// The entries of a menu that write a table into a file.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/writers/export.h"
#include "ui/widgets/menu.h"

namespace dlview::ui {

// One for each format that is written to files; `prefix` begins their ids.
std::vector<MenuItem> save_items(const std::string& prefix,
                                 const std::function<void(report::ExportFormat)>& save);

}  // namespace dlview::ui
