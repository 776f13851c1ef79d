// What the table views have in common: tables above each other, the details pane at the right.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/views/views.h"
#include "ui/background.h"
#include "ui/model.h"
#include "ui/table/open_rows.h"
#include "ui/table/table_data.h"
#include "ui/view.h"
#include "ui/views/details/details.h"
#include "ui/widgets/canvas.h"
#include "ui/widgets/panel.h"

namespace dlview::ui {

class DataTable;

// A view of tables. The keyboard belongs to one of them: the first unless another one was used.
class TableView : public View {
 public:
  void draw(Frame& frame, const Box& box, const ViewTools& tools) final;

 protected:
  BarLayer& bars() const { return *bars_; }  // within draw_tables()

 private:
  virtual void draw_tables(Frame& frame, const Box& box, Tables& tables) = 0;
  BarLayer* bars_ = nullptr;
};

// Boxes above each other in the box's margins, their heights in proportion to the weights.
std::vector<Box> stack_boxes(const Frame& frame, const Box& box, std::span<const float> weights);

// The same with edges that can be dragged; a double click on an edge brings back the first heights.
class BoxStack {
 public:
  // `name` is unique in the window.
  BoxStack(std::string name, std::vector<float> weights);
  // The last `waiting` boxes show a prompt only: they are as high as that, and the others have the
  // rest. Until an edge is dragged, the first boxes are no higher than `most`, and each has room
  // for a row if there is.
  std::vector<Box> draw(Frame& frame, const Box& box, std::size_t waiting = 0,
                        std::span<const float> most = {});

 private:
  void drag_edge(Frame& frame, std::size_t below, const std::vector<Box>& boxes);

  std::string name_;
  std::vector<float> weights_, first_weights_;
  EdgeGrip grip_;  // of the edge that is held
};

// The pane beside the tables; without a subject, or when it was closed, the tables have all.
class PaneSlot {
 public:
  // Draws the pane and returns what it leaves of the box.
  Box draw(Frame& frame, const Box& box, const std::optional<DetailsSubject>& subject);

 private:
  DetailsPane pane_;
  std::optional<DetailsSubject> closed_;  // stays closed until something else is selected
};

// The same for the row that the user selected in one of the tables: in that with the keyboard, if
// it has one.
class RowPaneSlot {
 public:
  Box draw(Frame& frame, const Box& box, std::span<DataTable* const> tables,
           std::string_view focused);

 private:
  std::string subject_, closed_;  // table and key
  std::shared_ptr<const TableData> prepared_for_;
  std::size_t row_ = 0;
  DetailsContent content_;
  bool shows_whole_texts_ = false;
};

// The op whose id this is, for ViewArguments; empty when there is none.
std::vector<profile::OpIndex> op_with_id(const profile::Profile& profile, const std::string& id);

// The kernel name within the op; nullopt where the name is empty or unknown.
std::optional<DetailsSubject> kernel_subject(const profile::Profile& profile, profile::OpIndex op,
                                             const std::string& kernel);

// A table of report/views for what is selected, rebuilt only when the numbers or the arguments
// change, so that its rows stay where they are.
class ViewData {
 public:
  // Adds what the screen shows beside the view's own columns.
  using Extend = std::function<void(TableData&, const report::ViewArguments&)>;
  explicit ViewData(std::string view, Extend extend = {})
      : view_(std::move(view)), extend_(std::move(extend)) {}

  // Null where the arguments do not belong to the range (an iteration outside of it).
  std::shared_ptr<const TableData> get(const Model& model,
                                       const report::ViewArguments& arguments = {});

 private:
  std::string view_;
  Extend extend_;
  std::shared_ptr<const aggregate::Aggregation> made_for_;
  report::ViewArguments arguments_;
  std::shared_ptr<const TableData> data_;
};

// The same for tables that look at each event of the range: of a large run they are made in the
// background, and the last one stays meanwhile.
class LateViewData {
 public:
  // `tree` has the columns of a table that is one; empty = it is none.
  explicit LateViewData(std::string view, const TreeColumns& tree = {},
                        ViewData::Extend extend = {});

  // Null before the first one. Of a view of Python frames with those of the model, if there are.
  std::shared_ptr<const TableData> get(const Model& model, Background& background);

 private:
  std::string view_;
  TreeColumns tree_;
  ViewData::Extend extend_;
  bool has_frames_;
  using Key = std::pair<std::shared_ptr<const aggregate::Aggregation>,
                        std::shared_ptr<const profile::PythonFrames>>;
  using Late = ui::Late<Key, TableData>;
  Late data_{Late::WhenOutdated::finish};
};

// The table of the longest idle gaps of what is selected. Where there is much to look at it is made
// in the background, and that of what was selected before stays until it is there. The column "gap"
// tells its rows apart.
class GapsData {
 public:
  // Null while the first ones of the file are looked for; of what was selected before while those
  // of what is selected are.
  std::shared_ptr<const TableData> get(const Model& model, Background& background);

 private:
  using Key = std::pair<std::shared_ptr<const aggregate::Aggregation>,
                        std::shared_ptr<const aggregate::RuleIndex>>;
  using Late = ui::Late<Key, TableData>;
  Late data_{Late::WhenOutdated::finish};
};

}  // namespace dlview::ui
