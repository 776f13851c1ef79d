// The line above a table: title, search, which columns are shown, exports.
#pragma once

#include <string>

#include "ui/table/column_layout.h"
#include "ui/table/table_export.h"
#include "ui/table/table_model.h"
#include "ui/table/tables.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

class TableToolbar {
 public:
  struct Subject {
    TableModel& model;
    ColumnLayout& layout;
    const std::vector<std::size_t>& in_table;  // empty before the first data
    Tables& tables;
    const std::string& subject;  // behind the title
  };
  // Returns the bottom.
  float draw(Frame& frame, const Area& area, const Subject& subject);
  // With the next frame.
  void focus_search() { focus_ = true; }

 private:
  float draw_export_menu(Frame& frame, float right, float top, const Subject& subject);
  float draw_columns_menu(Frame& frame, float right, float top, const Subject& subject);
  float draw_search(Frame& frame, float right, float top, float room, const Subject& subject);

  bool focus_ = false;
  bool export_all_ = false;
};

}  // namespace dlview::ui
