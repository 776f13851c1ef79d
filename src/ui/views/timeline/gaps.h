// Idle gaps of GPUs: the one that has been chosen, on the lanes, and their list below them.
#pragma once

#include <optional>
#include <string>

#include "timeline/request.h"
#include "ui/table/data_table.h"
#include "ui/views/tables/table_view.h"
#include "ui/views/timeline/rows.h"

namespace dlview::ui {

// Nothing where something else is asked for.
std::optional<IdleGap> gap_of(const timeline::Request& request);

// A bracket with its length on the GPU's busy times, and a band down through its streams; nothing
// where the GPU is folded away.
void draw_gap(Frame& frame, const timeline::Lanes& lanes, const TimelineLayout& layout,
              const TimelinePlot& plot, const IdleGap& gap);

// The panel of idle gaps below the lanes: the longest of one GPU or of all
// that the filters keep, with what the host did meanwhile. What is selected in
// it is shown above.
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
