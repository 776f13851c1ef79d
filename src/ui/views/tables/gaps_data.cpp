#include "ui/views/tables/gaps_data.h"

#include "report/views/views.h"

namespace dlview::ui {

std::shared_ptr<const TableData> GapsData::get(const Model& model) {
  if (made_for_ == model.aggregation && data_) return data_;
  made_for_ = model.aggregation;
  data_.reset();
  if (!model.rules) return nullptr;
  data_ = std::make_shared<TableData>(
      TableData{model.profile, model.aggregation,
                report::make_idle_gaps(*model.profile, *model.aggregation, *model.rules)});
  return data_;
}

}  // namespace dlview::ui
