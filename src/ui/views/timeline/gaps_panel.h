// The panel of idle gaps below the lanes: the longest of all GPUs, or of those
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
  // Gives it the keyboard.
  void focus() { wants_focus_ = true; }

 private:
  GapsData data_;
  std::optional<DataTable> table_;  // once it has been drawn
  std::string shown_;               // the key of its selected row
  bool wants_focus_ = false;
};

}  // namespace dlview::ui
