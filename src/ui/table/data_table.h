// DataTable: a report::Table on screen. Sorts on a click, filters on demand, searches, hides, moves
// and resizes columns, copies and exports, and draws the visible rows only. Its look is fixed; its
// rows may change with every frame.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ui/table/constant_columns.h"
#include "ui/table/cut_names.h"
#include "ui/table/header.h"
#include "ui/table/rows.h"
#include "ui/table/table_model.h"
#include "ui/table/tables.h"

namespace dlview::ui {

class DataTable {
 public:
  explicit DataTable(TableLook look);

  // A panel that fills the box. Without data it shows the prompt of its look.
  void draw(Frame& frame, const Box& box, std::shared_ptr<const TableData> data, Tables& tables);

  // Of the panel, with all its rows.
  float wanted_height(const Frame& frame) const;

  // What a reader did to it, and whether that is anything. An empty query is that of the look.
  workspace::TableState state() const;
  bool is_changed() const;
  void set(const workspace::TableState& state);

  TableModel& model() { return model_; }
  const TableModel& model() const { return model_; }
  // Behind the title, in the code face.
  void set_subject(std::string subject) { subject_ = std::move(subject); }
  void reveal_selected() { rows_.reveal(); }
  bool can_place_selected() const { return model_.look().place && model_.selected_row(); }
  // Whether the last frame had rows to show, if only none of them.
  bool has_data() const { return has_data_; }

 private:
  // Which columns of the table those of the look are.
  void bind(const report::Table& table);
  void hide_constant_columns(Background& background);
  bool tells_rows_apart(std::size_t of_look) const;
  void learn_contents(const TableDraw& draw);
  void learn_cut_numbers(const TableDraw& draw);
  // Which of them the rows on screen have.
  void choose_columns(const TableData& shown);
  void draw_table(Frame& frame, const Box& box, Tables& tables);
  void draw_why_none(TableDraw& draw, float top) const;
  void draw_footer(TableDraw& draw, const Box& box);
  float draw_more_columns(TableDraw& draw, float right, const Box& box);
  std::string footer_text(const TableDraw& draw) const;
  void obey(TableDraw& draw);
  void show_in_timeline(TableDraw& draw);

  TableModel model_;
  ColumnLayout layout_;
  std::vector<std::size_t> in_table_;  // column of the table, by column of the look
  ConstantColumns constants_;
  CutNames names_;
  std::weak_ptr<const TableData> measured_;  // whose contents the layout knows
  float measured_scale_ = 0;
  Digits measured_digits_ = Digits::few;
  TableToolbar toolbar_;
  TableHeader header_;
  TableRows rows_;
  std::string subject_;
  std::string last_chosen_;  // that Tables::chosen knows
  bool has_data_ = false;
};

}  // namespace dlview::ui
