#include "import/dlprof/launch_dims.h"

#include <string>

namespace dlview::import::dlprof {
namespace {

using profile::Dim3;

constexpr ColumnSpec kLaunchColumns[] = {{"id"}, {"x"}, {"y"}, {"z"}};
constexpr TableSpec kLaunchTable{"read_only_grid_block", kLaunchColumns,
                                 "Reading grid and block sizes", kLaunchSizes};

bool is_size(int64_t value) {
  return value >= 0 && value <= INT32_MAX;
}

}  // namespace

base::Status LaunchDims::read(Context& context) {
  is_recorded_ = context.database.has_table(kLaunchTable.name);
  return for_each_row(context, kLaunchTable, [&](const sqlite::Statement& row) {
    const int64_t x = row.integer(1), y = row.integer(2), z = row.integer(3);
    if (is_size(x) && is_size(y) && is_size(z)) {
      dims_.set(row.integer(0),
                Dim3{static_cast<int32_t>(x), static_cast<int32_t>(y), static_cast<int32_t>(z)});
      return;
    }
    context.quality.add(kLaunchTable.name, "a size is negative or too large", row.integer(0), [&] {
      return std::to_string(x) + " x " + std::to_string(y) + " x " + std::to_string(z);
    });
  });
}

Dim3 LaunchDims::find(const TableSpec& table, const sqlite::TableRows& row, int column,
                      QualityLog& notes) const {
  if (!is_recorded_ || row.is_null(column)) return kUnknownDims;
  const int64_t id = row.integer(column);
  if (const std::optional<Dim3> dims = dims_.find(id)) return *dims;
  notes.add(table.name, "grid or block size missing; row kept without it", row.integer(0), [&] {
    return std::string(table.columns[static_cast<std::size_t>(column)].name) + " is " +
           std::to_string(id);
  });
  return kUnknownDims;
}

}  // namespace dlview::import::dlprof
