// Memory: what PyTorch's allocators have given out over the time of the range, what is alive at the
// peak, what ops allocate and free, and each event. Of PyTorch traces; one without memory events
// says how to record them. Of exports of Nsight Systems the curves and events of CUDA's own memory,
// where they were recorded.
#pragma once

#include <memory>
#include <vector>

#include "aggregate/memory_use.h"
#include "ui/background.h"
#include "ui/table/data_table.h"
#include "ui/views/tables/memory_chart.h"
#include "ui/views/tables/table_view.h"

namespace dlview::ui {

class MemoryView : public TableView {
 public:
  explicit MemoryView(const profile::Profile& profile);
  std::vector<DataTable*> tables() override;

 private:
  void draw_tables(Frame& frame, const Box& box, Tables& tables) override;
  void draw_chart(Frame& frame, const Box& box, Background& background);

  const bool has_events_, has_usage_;  // of PyTorch, of CUDA
  Late<std::shared_ptr<const profile::Profile>, MemoryCurves> curves_;
  MemoryChart chart_;
  LateViewData peak_data_{"memory_peak"}, groups_data_{"memory_peak_groups"},
      ops_data_{"memory_ops"}, events_data_{"memory_events"}, usage_data_{"memory_usage"};
  BoxStack stack_;
  DataTable peak_, groups_, ops_, events_, usage_;
};

}  // namespace dlview::ui
