#include "ui/table/open_rows.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace dlview::ui {

RowTree tree_by_level(const report::Table& table, const TreeColumns& columns) {
  const auto levels = cells_of(table, columns.level), keys = cells_of(table, columns.key);
  RowTree tree;
  tree.parent.resize(table.row_count);
  tree.key.resize(table.row_count);
  tree.is_open.resize(table.row_count);
  tree.has_children.resize(table.row_count);
  std::vector<uint32_t> around;
  for (uint32_t row = 0; row < table.row_count; ++row) {
    const int64_t of_row = std::max<int64_t>(std::get<int64_t>(levels(row)), 0);
    around.resize(std::min(static_cast<std::size_t>(of_row), around.size()));
    tree.parent[row] = around.empty() ? RowTree::kTop : around.back();
    if (!around.empty()) tree.has_children[around.back()] = true;
    around.push_back(row);
    tree.key[row] = std::hash<std::string_view>()(report::to_text(keys(row)));
  }
  return tree;
}

bool OpenRows::is_open(uint64_t key) const {
  const bool differs = !others_.empty() && others_.contains(key);
  return are_most_open_ != differs;
}

std::shared_ptr<const TableData> OpenRows::apply(const std::shared_ptr<const TableData>& all) {
  if (all_ == all && shown_) return shown_;
  all_ = all;
  auto tree = std::make_shared<RowTree>(*all->tree);
  // A row in a closed one need not be looked at: rows stand behind those that contain them.
  for (uint32_t row = 0; row < tree->parent.size(); ++row) {
    const uint32_t parent = tree->parent[row];
    tree->is_open[row] = tree->has_children[row] &&
                         (parent == RowTree::kTop || tree->is_open[parent]) &&
                         is_open(tree->key[row]);
  }
  auto shown = std::make_shared<TableData>(*all);
  shown->tree = std::move(tree);
  shown_ = std::move(shown);
  return shown_;
}

void OpenRows::turn(uint32_t row) {
  if (!all_) return;
  const uint64_t key = all_->tree->key[row];
  if (others_.erase(key) == 0) others_.insert(key);
  shown_.reset();
}

void OpenRows::open(const RowTree& tree, uint32_t row) {
  if (are_most_open_) {
    others_.erase(tree.key[row]);
  } else {
    others_.insert(tree.key[row]);
  }
  shown_.reset();
}

void OpenRows::reveal(uint32_t row) {
  if (!all_) return;
  const std::vector<uint32_t>& parents = all_->tree->parent;
  for (uint32_t around = parents[row]; around != RowTree::kTop; around = parents[around]) {
    open(*all_->tree, around);
  }
}

void OpenRows::open_first(const RowTree& tree) {
  const std::vector<uint32_t>& parents = tree.parent;
  uint32_t parent = RowTree::kTop;
  for (;;) {
    uint32_t last = RowTree::kTop;
    std::size_t count = 0;
    for (uint32_t row = 0; row < parents.size(); ++row) {
      if (parents[row] != parent || !tree.has_children[row]) continue;
      ++count;
      last = row;
    }
    if (count != 1) return;
    open(tree, last);
    parent = last;
  }
}

void OpenRows::set_all(bool open) {
  are_most_open_ = open;
  others_.clear();
  shown_.reset();
}

}  // namespace dlview::ui
