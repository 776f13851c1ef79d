#include "ui/views/limits/badges.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "report/columns.h"

namespace dlview::ui {
namespace {

using aggregate::LimitsBy;

// By row of the table.
std::vector<LimitBadge> badges_of_rows(const TableData& data, LimitsBy by,
                                       const LimitBadges& badges) {
  std::vector<LimitBadge> of_rows(data.table.row_count);
  const auto key = cells_of(data.table, by == LimitsBy::kernel  ? report::ColumnName("kernel_name")
                                        : by == LimitsBy::group ? report::ColumnName("row_full_id")
                                                                : report::ColumnName("op_node_id"));
  // Groups stand in front of the ops.
  const std::size_t first = by == LimitsBy::group ? data.aggregation->groups.size() : 0;
  for (std::size_t row = first; row < of_rows.size(); ++row) {
    const auto found = badges.find(report::to_text(key(row)));
    if (found == badges.end()) continue;
    of_rows[row].add(found->second);
    if (by != LimitsBy::group || !data.tree) continue;
    for (uint32_t above = data.tree->parent[row]; above != RowTree::kTop;
         above = data.tree->parent[above]) {
      of_rows[above].add(found->second);
    }
  }
  return of_rows;
}

}  // namespace

LimitBadge badge_of(const aggregate::LimitRow& row) {
  LimitBadge badge;
  const aggregate::Limit limit = row.limit();
  const int64_t known =
      limit == aggregate::Limit::unknown
          ? 0
          : std::clamp<int64_t>(std::max(row.known_ns, row.measured_ns), 0, row.time_ns);
  badge.ns[static_cast<std::size_t>(limit)] += known;
  badge.ns[0] += row.time_ns - known;
  if (known > 0) badge.origin = row.origin();
  return badge;
}

LimitBadges limit_badges(const profile::Profile& profile,
                         std::span<const aggregate::LimitRow> rows) {
  LimitBadges badges;
  for (const aggregate::LimitRow& row : rows) {
    const std::string_view key =
        row.op == profile::kNoRow ? row.name : profile.text(profile.ops.id[row.op]);
    badges[std::string(key)].add(badge_of(row));
  }
  return badges;
}

ColumnLook badge_column() {
  ColumnLook look = column_look("limit");
  look.width = 72;
  look.badge = ColumnLook::Badge::letter;
  look.stays = true;
  look.applies = [](const TableData& data) { return data.badges != nullptr; };
  return look;
}

std::shared_ptr<const TableData> BadgedTable::of(const std::shared_ptr<const TableData>& data,
                                                 const Model& model, Background& background) {
  if (!data) return data;
  if (model.limits) {
    const bool is_quick = model.selection.filters.empty() || has_few_events(*model.profile);
    const LimitsBy by = by_ == LimitsBy::kernel ? LimitsBy::kernel : LimitsBy::op;
    badges_.want({model.aggregation, model.limits}, is_quick, background,
                 [profile = model.profile, aggregation = model.aggregation, limits = model.limits,
                  by](const base::Progress&) {
                   return std::make_shared<const LimitBadges>(
                       limit_badges(*profile, limits->rows(*aggregation, by)));
                 });
  }
  const std::shared_ptr<const LimitBadges>& badges = badges_.get();
  if (data_ == data && made_of_ == badges && marked_) return marked_;
  data_ = data;
  made_of_ = badges;
  auto marked = std::make_shared<TableData>(*data);
  if (badges) {
    std::vector<LimitBadge> of_rows = badges_of_rows(*data, by_, *badges);
    const bool any_is_known =
        std::ranges::any_of(of_rows, [](const LimitBadge& badge) { return badge.known_ns() > 0; });
    if (any_is_known) {
      marked->badges = std::make_shared<const std::vector<LimitBadge>>(std::move(of_rows));
    }
  }
  marked->table.columns.push_back(
      report::column("limit", [of_rows = marked->badges](std::size_t row) -> report::Cell {
        return of_rows && (*of_rows)[row].total_ns() > 0 ? report::Cell((*of_rows)[row].word())
                                                         : report::Cell();
      }));
  marked_ = std::move(marked);
  return marked_;
}

}  // namespace dlview::ui
