// GPUs: the time of each GPU in the range as a bar, with a lane for overlapped communication below
// it, its properties and, in a window of enough height, the longest idle gaps. A click on a bar
// filters all views to its GPU.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ui/table/data_table.h"
#include "ui/views/tables/looks.h"
#include "ui/views/tables/table_view.h"
#include "ui/widgets/stacked_bar.h"

namespace dlview::ui {

struct DeviceBar {
  std::string label, name, utilization;
  aggregate::Filter filter;
  // Exclusive, in the order of the categories. If any kernel of the run communicates, exposed
  // communication follows the other kernels, which do not contain it.
  std::vector<BarPart> parts;
  std::optional<BarPart> overlapped;  // communication in the parts of kernels, if any communicates
};
std::vector<DeviceBar> prepare_device_bars(const profile::Profile& profile,
                                           const aggregate::Aggregation& aggregation);

class GpusView : public TableView {
 public:
  explicit GpusView(const profile::Profile& profile);
  std::vector<DataTable*> tables() override { return {&devices_, &gaps_}; }

 private:
  void draw_tables(Frame& frame, const Box& box, Tables& tables) override;
  void draw_bars(Frame& frame, const Box& box);

  ViewData devices_data_{"gpu_devices", add_device_columns};
  BoxStack stack_;
  DataTable devices_, gaps_;
  GapsData gaps_data_;
  std::shared_ptr<const aggregate::Aggregation> prepared_for_;
  std::vector<DeviceBar> bars_;
};

}  // namespace dlview::ui
