#include "ui/table/constant_columns.h"

#include <algorithm>
#include <utility>

namespace dlview::ui {
namespace {

// So many cells are read within a frame's time.
constexpr std::size_t kRowsAtOnce = 2000;
// Rows of a larger table that decide until all have been looked at.
constexpr std::size_t kFewRows = 64;
constexpr std::size_t kRowsBetweenStops = 4096;

// A text that is put together for each call is kept, one that the profile has is not copied.
report::Cell kept(report::Cell cell) {
  if (const auto* text = std::get_if<std::string_view>(&cell)) return std::string(*text);
  return cell;
}

bool is_equal(const report::Cell& kept, const report::Cell& cell) {
  const auto* text = std::get_if<std::string>(&kept);
  const auto* view = std::get_if<std::string_view>(&cell);
  return text != nullptr && view != nullptr ? *text == *view : kept == cell;
}

// The same of the rows 0, step, 2 * step, ...
std::optional<report::Cell> constant_cell(const report::Table& table, std::size_t column,
                                          std::size_t step, const base::Progress& progress) {
  const auto& cell_of = table.columns[column].cell;
  report::Cell first = kept(cell_of(0));
  std::size_t looked_at = 0;
  for (std::size_t row = step; row < table.row_count; row += step) {
    if (!is_equal(first, cell_of(row))) return std::nullopt;
    if (++looked_at % kRowsBetweenStops == 0 && progress.canceled()) return std::nullopt;
  }
  // The last row often is the one that differs.
  if (!is_equal(first, cell_of(table.row_count - 1))) return std::nullopt;
  return first;
}

std::vector<std::optional<report::Cell>> constant_cells_of_some(
    const report::Table& table, const std::vector<std::size_t>& columns, std::size_t step,
    const base::Progress& progress) {
  std::vector<std::optional<report::Cell>> cells;
  for (const std::size_t column : columns) {
    cells.push_back(constant_cell(table, column, step, progress));
  }
  return cells;
}

}  // namespace

std::vector<std::optional<report::Cell>> constant_cells(const report::Table& table,
                                                        const std::vector<std::size_t>& columns,
                                                        const base::Progress& progress) {
  return constant_cells_of_some(table, columns, 1, progress);
}

std::vector<std::size_t> ConstantColumns::undecided() const {
  std::vector<std::size_t> columns;
  for (const Known& known : known_) {
    if (!known.differs) columns.push_back(known.column);
  }
  return columns;
}

bool ConstantColumns::learn(const std::vector<std::size_t>& columns, const Cells& cells) {
  bool has_news = false;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto known = std::ranges::find(known_, columns[i], &Known::column);
    if (known == known_.end() || known->differs) continue;
    if (!cells[i] || (known->cell && *known->cell != *cells[i])) {
      known->differs = true;
      has_news = true;
    } else if (!known->cell) {
      known->cell = cells[i];
      has_news = true;
    }
  }
  return has_news;
}

bool ConstantColumns::update(const std::shared_ptr<const TableData>& data,
                             const std::vector<std::size_t>& columns, Background& background) {
  bool has_news = false;
  if (task_.ended()) {
    const base::Result<Cells> cells = task_.take();
    if (cells) has_news = learn(asked_, *cells);
  }
  if (task_ || seen_.lock() == data) return has_news;
  seen_ = data;
  if (known_.empty()) {
    for (const std::size_t column : columns) {
      if (column != kNoColumn) known_.push_back({column});
    }
  }
  const std::vector<std::size_t> open = undecided();
  const report::Table& table = data->table;
  if (table.row_count < 2 || open.empty()) return has_news;
  const bool is_small = table.row_count <= kRowsAtOnce;
  const std::size_t step = is_small ? 1 : table.row_count / kFewRows;
  base::Progress progress;
  auto cells = base::run_job(
      [&](const base::Progress& job) { return constant_cells_of_some(table, open, step, job); },
      progress);
  if (!cells) {
    background.fail(cells.error());
    return has_news;
  }
  has_news = learn(open, *cells) || has_news;
  asked_ = undecided();
  if (!is_small && !asked_.empty()) {
    task_ = background.start([data, wanted = asked_](const base::Progress& job) {
      return constant_cells(data->table, wanted, job);
    });
  }
  return has_news;
}

const report::Cell* ConstantColumns::cell(std::size_t column) const {
  const auto known = std::ranges::find(known_, column, &Known::column);
  return known == known_.end() || known->differs || !known->cell ? nullptr : &*known->cell;
}

}  // namespace dlview::ui
