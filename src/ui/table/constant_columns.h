// Columns whose cells are all equal: they say nothing that tells rows apart.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ui/background.h"
#include "ui/table/table_data.h"

namespace dlview::ui {

// The cell that all rows have, for each of the columns; nullopt = they differ. Stops at the first
// difference, and where `progress` is canceled.
std::vector<std::optional<report::Cell>> constant_cells(const report::Table& table,
                                                        const std::vector<std::size_t>& columns,
                                                        const base::Progress& progress);

// Which columns of a table are constant in all the data that it has shown, so that a column that
// once told rows apart stays. Large tables are looked at in the background; until that is done
// a few of their rows decide.
class ConstantColumns {
 public:
  // Call in every frame; `columns` are those to look at, kNoColumn is none. Returns whether the
  // answer has changed.
  bool update(const std::shared_ptr<const TableData>& data, const std::vector<std::size_t>& columns,
              Background& background);

  // The cell that all rows of the column of the table have; null = they differ, or the table has
  // had less than two rows so far.
  const report::Cell* cell(std::size_t column) const;

 private:
  struct Known {
    std::size_t column = 0;
    std::optional<report::Cell> cell = {};  // not set = no rows yet
    bool differs = false;
  };
  using Cells = std::vector<std::optional<report::Cell>>;

  std::vector<std::size_t> undecided() const;
  bool learn(const std::vector<std::size_t>& columns, const Cells& cells);

  std::vector<Known> known_;
  std::weak_ptr<const TableData> seen_;
  std::vector<std::size_t> asked_;  // of the task
  base::Task<Cells> task_;
};

}  // namespace dlview::ui
