// The badge of what limits each row, in tables of ops, kernels and groups.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "aggregate/limits/limits.h"
#include "ui/background.h"
#include "ui/table/table_data.h"

namespace dlview::ui {

// The known part of the row's time by its limit, the rest unknown.
LimitBadge badge_of(const aggregate::LimitRow& row);

// By id of the op, or name of the kernel.
using LimitBadges = std::unordered_map<std::string, LimitBadge>;
LimitBadges limit_badges(const profile::Profile& profile,
                         std::span<const aggregate::LimitRow> rows);

// A column look for the column "limit" that BadgedTable adds.
ColumnLook badge_column();

// A table with that column: of ops (key "op_node_id"), of kernels by name ("kernel_name"), or of
// groups and ops, whose badges are the sums of the ops below ("row_full_id", and its tree). The
// column is always there; it shows once the limit of any row is known.
class BadgedTable {
 public:
  explicit BadgedTable(aggregate::LimitsBy by) : by_(by) {}
  // `data` may be null.
  std::shared_ptr<const TableData> of(const std::shared_ptr<const TableData>& data,
                                      const Model& model, Background& background);

 private:
  using Key = std::pair<std::shared_ptr<const aggregate::Aggregation>,
                        std::shared_ptr<const aggregate::LimitIndex>>;
  aggregate::LimitsBy by_;
  Late<Key, LimitBadges> badges_{Late<Key, LimitBadges>::WhenOutdated::finish};
  std::shared_ptr<const TableData> data_;
  std::shared_ptr<const LimitBadges> made_of_;
  std::shared_ptr<const TableData> marked_;  // of these two
};

}  // namespace dlview::ui
