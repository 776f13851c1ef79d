// The panel of idle gaps below the lanes: the longest of one GPU or of all
// that the filters keep, with what the host did meanwhile. What is selected in
// it is shown above.
#pragma once

#include <optional>
#include <string>

#include "ui/table/data_table.h"
#include "ui/views/tables/table_view.h"
#include "ui/views/timeline/gap_mark.h"

namespace dlview::ui {

class GapsPanel {
 public:
  // Returns the gap that has been selected, by a click or by keys.
  std::optional<timeline::Request> draw(Frame& frame, const Box& box, Tables& tables);
  // The one that was selected when it was drawn last, if it listed it.
  const std::optional<IdleGap>& selected() const { return selected_; }
  // Gives it the keyboard, with the gaps of one GPU or of all.
  void begin(std::optional<int64_t> device_id);

 private:
  GapsData data_;
  std::optional<DataTable> table_;  // once it has been drawn
  std::string shown_;               // the key of its selected row
  std::optional<IdleGap> selected_;
  // Of begin(): the filter of the GPU's column.
  std::optional<std::string> wanted_gpu_;
};

}  // namespace dlview::ui
