#include "import/nsys/recognize.h"

#include <algorithm>
#include <string>
#include <vector>

namespace dlview::import::nsys {

bool recognize(const sqlite::Database& database) {
  const base::Result<std::vector<std::string>> tables = database.table_names();
  return tables && std::any_of(tables->begin(), tables->end(), [](const std::string& table) {
           return table.starts_with("CUPTI_ACTIVITY_KIND_") || table == "NVTX_EVENTS" ||
                  table == "StringIds";
         });
}

}  // namespace dlview::import::nsys
