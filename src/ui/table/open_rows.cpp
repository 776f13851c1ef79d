#include "ui/table/open_rows.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

namespace dlview::ui {

RowTree tree_by_level(const report::Table& table, report::ColumnName level) {
  const auto levels = cells_of(table, level);
  RowTree tree;
  tree.parent.resize(table.row_count);
  tree.is_open.resize(table.row_count);
  tree.has_children.resize(table.row_count);
  std::vector<uint32_t> around;
  for (uint32_t row = 0; row < table.row_count; ++row) {
    const int64_t of_row = std::max<int64_t>(std::get<int64_t>(levels(row)), 0);
    around.resize(std::min(static_cast<std::size_t>(of_row), around.size()));
    tree.parent[row] = around.empty() ? RowTree::kTop : around.back();
    if (!around.empty()) tree.has_children[around.back()] = true;
    around.push_back(row);
  }
  return tree;
}

std::string OpenRows::key_of(uint32_t row) const {
  return report::to_text(cell_in(all_->table, row, key_));
}

// Reading the keys of 100,000 rows takes longer than a frame may: known states are kept.
bool OpenRows::is_open(uint32_t row) {
  State& state = states_[row];
  if (state == State::unknown) {
    const bool differs = !others_.empty() && others_.contains(key_of(row));
    state = are_most_open_ != differs ? State::open : State::closed;
  }
  return state == State::open;
}

std::shared_ptr<const TableData> OpenRows::apply(const std::shared_ptr<const TableData>& all) {
  if (all_ == all && shown_) return shown_;
  if (all_ != all) states_.assign(all->tree->parent.size(), State::unknown);
  all_ = all;
  auto tree = std::make_shared<RowTree>(*all->tree);
  // A row in a closed one need not be looked at: rows stand behind those that contain them.
  for (uint32_t row = 0; row < tree->parent.size(); ++row) {
    const uint32_t parent = tree->parent[row];
    tree->is_open[row] = tree->has_children[row] &&
                         (parent == RowTree::kTop || tree->is_open[parent]) && is_open(row);
  }
  auto shown = std::make_shared<TableData>(*all);
  shown->tree = std::move(tree);
  shown_ = std::move(shown);
  return shown_;
}

void OpenRows::turn(uint32_t row) {
  if (!all_) return;
  const std::string key = key_of(row);
  if (others_.erase(key) == 0) others_.insert(key);
  states_[row] = State::unknown;
  shown_.reset();
}

void OpenRows::open(std::string key) {
  if (are_most_open_) {
    others_.erase(key);
  } else {
    others_.insert(std::move(key));
  }
  std::ranges::fill(states_, State::unknown);
  shown_.reset();
}

void OpenRows::reveal(uint32_t row) {
  if (!all_) return;
  const std::vector<uint32_t>& parents = all_->tree->parent;
  for (uint32_t around = parents[row]; around != RowTree::kTop; around = parents[around]) {
    open(key_of(around));
  }
}

void OpenRows::open_first(const TableData& data) {
  const std::vector<uint32_t>& parents = data.tree->parent;
  uint32_t parent = RowTree::kTop;
  for (;;) {
    uint32_t last = RowTree::kTop;
    std::size_t count = 0;
    for (uint32_t row = 0; row < parents.size(); ++row) {
      if (parents[row] != parent || !data.tree->has_children[row]) continue;
      ++count;
      last = row;
    }
    if (count != 1) return;
    open(report::to_text(cell_in(data.table, last, key_)));
    parent = last;
  }
}

void OpenRows::set_all(bool open) {
  are_most_open_ = open;
  others_.clear();
  std::ranges::fill(states_, State::unknown);
  shown_.reset();
}

}  // namespace dlview::ui
