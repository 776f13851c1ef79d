// Modules: what each nn.Module of a PyTorch trace costs, as an icicle and as tables by path and by
// class.
#pragma once

#include <memory>

#include "ui/chart/tree_chart.h"
#include "ui/table/data_table.h"
#include "ui/table/open_rows.h"
#include "ui/views/tables/table_view.h"

namespace dlview::ui {

// Rows of the table "modules", which has its tree, as the chart wants them; values are those of the
// column.
std::shared_ptr<const TreeContent> module_content(const std::shared_ptr<const TableData>& modules,
                                                  report::ColumnId value);

class ModulesView : public TableView {
 public:
  explicit ModulesView(const profile::Profile& profile);
  std::vector<DataTable*> tables() override { return {&modules_, &classes_}; }

 private:
  void draw_tables(Frame& frame, const Box& box, Tables& tables) override;
  void draw_chart(Frame& frame, const Box& box, const std::shared_ptr<const TableData>& data);
  void draw_modules(Frame& frame, const Box& box, const std::shared_ptr<const TableData>& data,
                    Tables& tables);

  const bool has_modules_;
  bool by_gpu_;
  LateViewData modules_data_{"modules", {"depth", "module_path"}}, classes_data_{"module_classes"};
  std::shared_ptr<const TableData> charted_;  // what content_ was made from
  bool charted_by_gpu_ = false;
  std::shared_ptr<const TreeContent> content_;
  TreeChart chart_{"modules/chart"};
  float around_chart_ = 0;  // pixels of its panel above and below
  BoxStack stack_;
  DataTable modules_, classes_;
  OpenRows open_;
  bool opens_first_ = true;
  RowPaneSlot pane_;
};

}  // namespace dlview::ui
