#include "ui/views/tables/gaps_data.h"

#include <fmt/format.h>

#include "report/views/views.h"
#include "ui/background.h"

namespace dlview::ui {
namespace {

// Gaps of several GPUs may begin at the same time.
void add_gap_keys(report::Table& table) {
  const auto device = cells_of(table, "device_id");
  const auto start = cells_of(table, "start");
  table.columns.push_back(
      report::text_column("gap", "Gap", [device, start](std::size_t row) -> report::Cell {
        return fmt::format("{}@{}", report::to_text(device(row)), report::to_text(start(row)));
      }));
}

}  // namespace

std::shared_ptr<const TableData> GapsData::get(const Model& model, Background& background) {
  if (!model.rules) {
    data_.drop();
    return nullptr;
  }
  data_.want({model.aggregation, model.rules}, has_few_events(*model.profile), background,
             [profile = model.profile, aggregation = model.aggregation,
              rules = model.rules](const base::Progress&) {
               TableData data{profile, aggregation,
                              report::make_idle_gaps(*profile, *aggregation, *rules)};
               add_gap_keys(data.table);
               return std::make_shared<const TableData>(std::move(data));
             });
  const std::shared_ptr<const TableData>& data = data_.get();
  return data && data->profile == model.profile ? data : nullptr;
}

}  // namespace dlview::ui
