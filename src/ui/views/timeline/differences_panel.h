// The panel below two iterations that stand side by side: what makes them differ, op by op or
// kernel by kernel. What is selected in it is lit in both.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "ui/table/data_table.h"
#include "ui/views/timeline/pair_data.h"

namespace dlview::ui {

using DifferencesOf = timeline::Subject::Kind;

class DifferencesPanel {
 public:
  // Returns whether another row has been selected than before, by a click or by keys.
  bool draw(Frame& frame, const Box& box, const std::shared_ptr<const PairFacts>& facts,
            Tables& tables);

  DifferencesOf rows_are() const { return kind_; }
  void list(DifferencesOf kind);
  // What the selected row stands for; nothing where none is.
  std::optional<timeline::Subject> subject() const;
  // The selected row tells of time on the CPU.
  bool is_of_cpu() const;
  // Selects its row and shows it, if there is one.
  void select(const timeline::Subject& subject);
  void deselect();

 private:
  struct Listed {
    std::optional<DataTable> table;  // once it has been drawn
    std::shared_ptr<const TableData> data;
    std::string shown;  // the key of its selected row
  };
  Listed& listed() { return listed_[static_cast<std::size_t>(kind_)]; }
  // A row of the table, which is one of the comparison.
  std::optional<std::size_t> selected_row() const;

  DifferencesOf kind_ = DifferencesOf::op;
  std::array<Listed, 2> listed_;
  std::shared_ptr<const PairFacts> facts_;
};

}  // namespace dlview::ui
