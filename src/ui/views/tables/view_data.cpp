#include "ui/views/tables/view_data.h"

namespace dlview::ui {

std::shared_ptr<const TableData> ViewData::get(const Model& model,
                                               const report::ViewArguments& arguments) {
  if (made_for_ == model.aggregation && arguments_ == arguments) return data_;
  const bool is_kept =
      data_ != nullptr && arguments_ == arguments && data_->profile == model.profile &&
      report::tells_the_same(*model.profile, *made_for_, *model.aggregation, arguments);
  made_for_ = model.aggregation;
  if (is_kept) return data_;
  arguments_ = arguments;
  data_.reset();
  auto table = report::make_view(view_, *model.profile, *model.aggregation, arguments);
  if (!table) return data_;
  const auto data =
      std::make_shared<TableData>(TableData{model.profile, model.aggregation, std::move(*table)});
  data->exported_under = TableData::ExportedUnder::selection;
  if (extend_) extend_(*data, arguments);
  data_ = data;
  return data_;
}

}  // namespace dlview::ui
