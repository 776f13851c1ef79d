// The views that consist of tables, for one profile.
#pragma once

#include <vector>

#include "ui/table/tables.h"
#include "ui/views/tables/cuda_summary.h"
#include "ui/views/tables/drill_down.h"
#include "ui/views/tables/gpus.h"
#include "ui/views/tables/groups.h"
#include "ui/views/tables/ops.h"
#include "ui/views/tables/system.h"

namespace dlview::ui {

class TableViews {
 public:
  explicit TableViews(const profile::Profile& profile);

  // The view of the model, which is one of these.
  void draw(Frame& frame, const Box& box, Tables& tables);

  // An unknown table is passed over.
  void set(const TableState& state);
  // Of the view's tables those that are not as at first.
  std::vector<TableState> states(ViewId view);
  // In the table that has the keyboard.
  bool has_selected_row(ViewId view, const Tables& tables);
  // Likewise, one that lies somewhere in the Timeline.
  bool can_place_selected(ViewId view, const Tables& tables);

 private:
  std::vector<DataTable*> tables_of(ViewId view);
  // The keyboard belongs to a table of the view that is shown, its first one unless another was
  // used; TableCommand::next hands it on.
  void focus(const std::vector<DataTable*>& shown, Tables& tables) const;

  OpTypesView op_types_;
  GroupsView groups_;
  OpsView ops_;
  ByIterationView by_iteration_;
  ByOpView by_op_;
  GpusView gpus_;
  CudaSummaryView cuda_summary_;
  SystemView system_;
};

}  // namespace dlview::ui
