// Communication: collective operations of the range, summed by kind, group and size, and each call.
// Only PyTorch traces with collectives have this view.
#pragma once

#include "ui/table/data_table.h"
#include "ui/views/tables/table_view.h"

namespace dlview::ui {

class CommunicationView : public TableView {
 public:
  explicit CommunicationView(const profile::Profile& profile);
  std::vector<DataTable*> tables() override { return {&collectives_, &calls_}; }

 private:
  void draw_tables(Frame& frame, const Box& box, Tables& tables) override;

  LateViewData collectives_data_{"collectives"}, calls_data_{"collective_calls"};
  BoxStack stack_;
  DataTable collectives_, calls_;
  RowPaneSlot pane_;
};

}  // namespace dlview::ui
