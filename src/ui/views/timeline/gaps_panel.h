// The panel of idle gaps below the lanes: the longest of one GPU or of all
// that the filters keep, with what the host did meanwhile. What is selected in
// it is shown above.
#pragma once

#include <optional>
#include <string>

#include "ui/table/data_table.h"
#include "ui/views/tables/gaps_data.h"

namespace dlview::ui {

class GapsPanel {
 public:
  // Returns the gap that has been selected, by a click or by keys.
  std::optional<timeline::Request> draw(Frame& frame, const Box& box, Tables& tables);
  // One of those that it lists is selected.
  bool has_selection() const { return table_ && table_->model().selected_row().has_value(); }
  // Gives it the keyboard, with the gaps of one GPU or of all.
  void begin(std::optional<int64_t> device_id);

 private:
  GapsData data_;
  std::optional<DataTable> table_;  // once it has been drawn
  std::string shown_;               // the key of its selected row
  // Of begin(): the filter of the GPU's column.
  std::optional<std::string> wanted_gpu_;
};

}  // namespace dlview::ui
