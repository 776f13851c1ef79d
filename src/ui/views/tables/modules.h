// Modules: what each nn.Module of a PyTorch trace costs, as an icicle and as tables by path and by
// class. Operators: the ops of every nesting level, by name and by input shape.
#pragma once

#include <memory>

#include "ui/chart/tree_chart.h"
#include "ui/table/data_table.h"
#include "ui/views/tables/table_view.h"

namespace dlview::ui {

// Rows of the table "modules" as the chart wants them; values are those of the column.
std::shared_ptr<const TreeContent> module_content(const std::shared_ptr<const TableData>& modules,
                                                  report::ColumnId value);

class ModulesView : public TableView {
 public:
  explicit ModulesView(const profile::Profile& profile);
  std::vector<DataTable*> tables() override { return {&modules_, &classes_}; }

 private:
  void draw_tables(Frame& frame, const Box& box, Tables& tables) override;
  void draw_chart(Frame& frame, const Box& box, const std::shared_ptr<const TableData>& data);

  const bool has_modules_;
  bool by_gpu_;
  LateViewData modules_data_{"modules"}, classes_data_{"module_classes"};
  std::shared_ptr<const TableData> charted_;  // what content_ was made from
  bool charted_by_gpu_ = false;
  std::shared_ptr<const TreeContent> content_;
  TreeChart chart_{"modules/chart"};
  BoxStack stack_;
  DataTable modules_, classes_;
};

class OperatorsView : public TableView {
 public:
  explicit OperatorsView(const profile::Profile& profile);
  std::vector<DataTable*> tables() override { return {&operators_, &shapes_}; }

 private:
  void draw_tables(Frame& frame, const Box& box, Tables& tables) override;

  LateViewData operators_data_{"torch_ops"}, shapes_data_{"torch_op_shapes"};
  BoxStack stack_;
  DataTable operators_, shapes_;
};

}  // namespace dlview::ui
