#include "ui/table/row_order.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "base/parallel.h"
#include "base/parse.h"
#include "base/progress.h"

namespace dlview::ui {
namespace {

constexpr uint32_t kTop = RowTree::kTop;

// The children of each row, and at last those of no row, in the order of `rows`.
std::vector<std::vector<uint32_t>> children_in_order(const RowTree& tree,
                                                     const std::vector<uint32_t>& rows) {
  std::vector<std::vector<uint32_t>> children(tree.parent.size() + 1);
  for (const uint32_t row : rows) {
    const uint32_t parent = tree.parent[row];
    children[parent == kTop ? tree.parent.size() : parent].push_back(row);
  }
  return children;
}

// The rows and all that contain them.
std::vector<bool> with_parents(const RowTree& tree, const std::vector<uint32_t>& rows) {
  std::vector<bool> kept(tree.parent.size());
  for (uint32_t row : rows) {
    for (; row != kTop && !kept[row]; row = tree.parent[row]) kept[row] = true;
  }
  return kept;
}

// So many rows are sorted and filtered within a frame's time.
constexpr std::size_t kAtOnce = 20'000;
constexpr std::size_t kGrain = 16'384;

double largest_in(const report::Column& column, const std::vector<uint32_t>& rows) {
  std::mutex mutex;
  double largest = 0;
  base::parallel_for(rows.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    double here = 0;
    for (std::size_t i = begin; i < end; ++i) {
      here = std::max(here, number_of(column.cell(rows[i])));
    }
    const std::lock_guard lock(mutex);
    largest = std::max(largest, here);
  });
  return largest;
}

// Whether the text of a cell is this one; most keys are names or numbers, which need not be
// written out to be compared.
class KeyText {
 public:
  explicit KeyText(std::string_view text) : text_(text), number_(base::parse_natural(text)) {}
  bool is_of(const report::Cell& cell) const {
    if (const auto* view = std::get_if<std::string_view>(&cell)) return *view == text_;
    if (const auto* number = std::get_if<int64_t>(&cell); number != nullptr && *number >= 0) {
      return number_ == *number;
    }
    return report::to_text(cell) == text_;
  }

 private:
  std::string_view text_;
  std::optional<int64_t> number_;
};

}  // namespace

uint32_t RowTree::level(uint32_t row) const {
  uint32_t level = 0;
  for (uint32_t above = parent[row]; above != kTop; above = parent[above]) ++level;
  return level;
}

base::Result<std::vector<uint32_t>> query_tree(const report::Table& table, const RowTree& tree,
                                               const report::TableQuery& query,
                                               base::Progress& progress) {
  const bool narrows = !query.filters.empty() || !query.search.empty();
  auto sorted = report::run_query(table, {"", {}, query.sort}, progress);
  if (!sorted) return sorted;
  std::vector<bool> kept;
  if (narrows) {
    auto passing = report::run_query(table, {query.search, query.filters, {}}, progress);
    if (!passing) return passing;
    kept = with_parents(tree, *passing);
  }
  const auto children = children_in_order(tree, *sorted);
  std::vector<uint32_t> rows;
  std::vector<std::pair<const std::vector<uint32_t>*, std::size_t>> walk{{&children.back(), 0}};
  while (!walk.empty()) {
    auto& [siblings, next] = walk.back();
    if (next == siblings->size()) {
      walk.pop_back();
      continue;
    }
    const uint32_t row = (*siblings)[next++];
    if (narrows && !kept[row]) continue;
    rows.push_back(row);
    if (narrows || tree.is_open[row]) walk.emplace_back(&children[row], 0);
  }
  return rows;
}

std::optional<std::size_t> find_key(const ShownRows& shown, report::ColumnName key_column,
                                    std::string_view key) {
  const report::Table& table = shown.data->table;
  const std::size_t column = find_column(table, key_column);
  if (key.empty() || column == kNoColumn) return std::nullopt;
  const KeyText wanted(key);
  std::atomic<std::size_t> first = shown.rows.size();
  base::parallel_for(shown.rows.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t place = begin; place < end && place < first; ++place) {
      if (!wanted.is_of(table.cell(shown.rows[place], column))) continue;
      std::size_t known = first;
      while (place < known && !first.compare_exchange_weak(known, place)) {
      }
      return;
    }
  });
  return first < shown.rows.size() ? std::optional(first.load()) : std::nullopt;
}

RowOrder::RowOrder(const TableLook& look) : key_column_(look.key) {
  for (const ColumnLook& column : look.columns) {
    if (column.bar && column.bar_of == 0) bar_columns_.push_back(column.id);
  }
}

bool RowOrder::is_current(const std::shared_ptr<const TableData>& data,
                          const report::TableQuery& query) const {
  if (asked_data_ == data && asked_query_ == query) return true;
  return shown_ && shown_->data == data && shown_->query == query;
}

RowOrder::Make RowOrder::make(const std::string& key) const {
  return [wanted = ShownRows{asked_data_, asked_query_, {}, {}, key, {}}, key_column = key_column_,
          bar_columns = bar_columns_](base::Progress& progress) -> Made {
    ShownRows shown = wanted;
    const report::Table& table = shown.data->table;
    auto rows = shown.data->tree ? query_tree(table, *shown.data->tree, shown.query, progress)
                                 : report::run_query(table, shown.query, progress);
    if (!rows) return {{}, rows.error()};
    shown.rows = std::move(*rows);
    shown.largest.resize(table.columns.size());
    for (const std::string& id : bar_columns) {
      const std::size_t column = find_column(table, report::ColumnName(id));
      if (column == kNoColumn) continue;
      shown.largest[column] = largest_in(table.columns[column], shown.rows);
    }
    shown.key_place = find_key(shown, key_column, shown.key);
    return {std::move(shown), std::nullopt};
  };
}

void RowOrder::take_over(base::Result<Made> made, Background& background) {
  if (!made) background.fail(made.error());
  if (!made || made->problem) {
    problem_ = (made ? *made->problem : made.error()).title;
  } else {
    shown_ = std::make_shared<const ShownRows>(std::move(made->rows));
    problem_.clear();
    asked_data_.reset();
  }
}

void RowOrder::update(std::shared_ptr<const TableData> data, const report::TableQuery& query,
                      const std::string& key, Background& background) {
  if (task_.ended()) take_over(task_.take(), background);
  if (task_) {
    // Newer numbers wait for the answer, lest a slider that moves keeps it from ever coming.
    if (asked_query_ == query) return;
    task_ = {};
    asked_data_.reset();
  }
  if (is_current(data, query)) return;
  asked_data_ = std::move(data);
  asked_query_ = query;
  if (asked_data_->table.row_count > kAtOnce) {
    task_ = background.start(make(key));
  } else {
    base::Progress progress;
    take_over(base::run_job(make(key), progress), background);
  }
}

}  // namespace dlview::ui
