#include "ui/views/tables/gaps_data.h"

#include "report/views/views.h"
#include "ui/views/few_events.h"

namespace dlview::ui {

std::shared_ptr<const TableData> GapsData::get(const Model& model, Background& background) {
  if (!model.rules) {
    data_.drop();
    return nullptr;
  }
  data_.want({model.aggregation, model.rules}, has_few_events(*model.profile), background,
             [profile = model.profile, aggregation = model.aggregation,
              rules = model.rules](const base::Progress&) {
               return std::make_shared<const TableData>(TableData{
                   profile, aggregation, report::make_idle_gaps(*profile, *aggregation, *rules)});
             });
  const std::shared_ptr<const TableData>& data = data_.get();
  return data && data->profile == model.profile ? data : nullptr;
}

}  // namespace dlview::ui
