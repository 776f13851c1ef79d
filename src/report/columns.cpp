#include "report/columns.h"

#include <utility>

namespace dlview::report {

Column column(ColumnId id, std::function<Cell(std::size_t)> cell) {
  const ColumnSpec& spec = id.spec();
  return {std::string(spec.id()), std::string(spec.title), spec.unit, spec.kind,
          spec.first_sort,        std::move(cell)};
}

}  // namespace dlview::report
