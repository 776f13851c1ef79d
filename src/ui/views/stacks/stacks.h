// Python stacks: the time of Python functions by call stack, as an icicle, a sunburst or a table.
// Frames are read from the file once the view is shown.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ui/background.h"
#include "ui/chart/tree_chart.h"
#include "ui/table/data_table.h"
#include "ui/table/open_rows.h"
#include "ui/views/stacks/stack_data.h"
#include "ui/views/tables/table_view.h"

namespace dlview::ui {

class StacksView : public TableView {
 public:
  StacksView();
  // That of functions below the chart, or that of stacks.
  std::vector<DataTable*> tables() override;
  bool wants_python_frames() const override { return true; }
  // Of both tables and of kStackChoice.
  void set_table(const workspace::TableState& state) override;
  std::vector<workspace::TableState> table_states() override;

  // The table that stands for what is chosen, in a state: its selected row is a StackChoice.
  static constexpr const char* kStackChoice = "stack_view";

 private:
  using Key = std::pair<std::shared_ptr<const aggregate::Aggregation>, bool>;

  void draw_tables(Frame& frame, const Box& box, Tables& tables) override;
  void draw_no_frames(Frame& frame, const Box& box) const;
  void take_command(Tables& tables);
  void choose(StackStyle style);
  void choose(StackMeasure measure);
  // Returns the bottom.
  float draw_toolbar(Frame& frame, const Area& area);
  void begin_at_split(const std::shared_ptr<const TreeContent>& content);
  void draw_chart(Frame& frame, const Box& box, const StackData* data);
  void draw_legend(Frame& frame, const Area& area, const StackData& data) const;
  void draw_tree(Frame& frame, const Box& box, Tables& tables);
  void link_selections(const StackData& data);
  void open_longest(const RowTree& tree, const ValueTree& values);
  const StackData* data() const { return data_.get().get(); }

  StackChoice choice_;
  Late<Key, StackData> data_{Late<Key, StackData>::WhenOutdated::finish};
  TreeChart chart_{"stacks/chart"};
  float around_chart_ = 0;  // pixels of its panel above and below
  std::shared_ptr<const TreeContent> charted_;
  std::optional<uint32_t> begins_at_ = ValueTree::kTop;  // until the user goes elsewhere
  BoxStack boxes_{"stacks/edge", {5, 3}};
  DataTable functions_, tree_;
  std::string linked_;             // the function that the chart shows as selected
  bool sorts_by_measure_ = false;  // with the next frame

  OpenRows open_;  // whose callees are shown
  bool opens_first_ = true;
  RowPaneSlot pane_;
};

}  // namespace dlview::ui
