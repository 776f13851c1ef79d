// ViewData: a table of report/views for what is selected, made anew when the numbers or the
// arguments have changed and otherwise kept, so that its rows stay where they are.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "report/views/views.h"
#include "ui/model.h"
#include "ui/table/table_data.h"

namespace dlview::ui {

class ViewData {
 public:
  // Adds what the screen shows beside the view's own columns.
  using Extend = std::function<void(TableData&, const report::ViewArguments&)>;
  explicit ViewData(std::string view, Extend extend = {})
      : view_(std::move(view)), extend_(std::move(extend)) {}

  // Null where the arguments do not belong to the range (an iteration outside of it).
  std::shared_ptr<const TableData> get(const Model& model,
                                       const report::ViewArguments& arguments = {});

 private:
  std::string view_;
  Extend extend_;
  std::shared_ptr<const aggregate::Aggregation> made_for_;
  report::ViewArguments arguments_;
  std::shared_ptr<const TableData> data_;
};

}  // namespace dlview::ui
