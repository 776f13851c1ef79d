#include "ui/table/row_tree.h"

#include <utility>

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

}  // namespace dlview::ui
