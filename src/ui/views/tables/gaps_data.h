// GapsData: the table of the longest idle gaps of what is selected, made anew with its numbers.
#pragma once

#include <memory>

#include "ui/model.h"
#include "ui/table/table_data.h"

namespace dlview::ui {

class GapsData {
 public:
  // Null until the gaps have been found, beside the frame.
  std::shared_ptr<const TableData> get(const Model& model);

 private:
  std::shared_ptr<const aggregate::Aggregation> made_for_;
  std::shared_ptr<const TableData> data_;
};

}  // namespace dlview::ui
