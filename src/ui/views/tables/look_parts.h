// Parts of the looks of tables: columns by what they show, and what several looks share.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/filter.h"
#include "profile/profile.h"
#include "report/columns.h"
#include "report/query.h"
#include "report/table.h"
#include "ui/table/table_data.h"
#include "ui/text.h"
#include "ui/theme.h"

namespace dlview::ui::looks {

using ToneOfRow = std::function<Tone(const report::Table&, std::size_t row)>;

// A row's time has the color of its Tensor Core use or of communication if it has kernels, else
// that of memory.
ToneOfRow tone_by_tensor_cores(report::ColumnId uses);
ToneOfRow always(Tone tone);

// nullopt if the value is not valid for a filter of that kind.
std::optional<aggregate::Filter> filter_to(aggregate::FilterKind kind, const report::Cell& cell);
bool is_set(const report::Table& table, std::size_t row, report::ColumnId column);

// Columns with a filter to their value, if any.
ColumnLook number(report::ColumnId id);
ColumnLook instant(report::ColumnId id);
ColumnLook name(report::ColumnId id, CutAt cut);
ColumnLook word(report::ColumnId id);
// The same column, changed.
ColumnLook sized(ColumnLook look, float width, float share = 0);  // for one table
ColumnLook with_bar(ColumnLook look, ToneOfRow tone);
ColumnLook hidden(ColumnLook look);

void append(std::vector<ColumnLook>& columns, std::vector<ColumnLook> more);
// Share, time per iteration and sparkline, where GPU activity was recorded.
void append_time_columns(std::vector<ColumnLook>& columns, const profile::Profile& profile);

report::TableQuery sorted_by(report::ColumnId column, report::SortDirection direction);
// Why a table of kernels is empty: no GPU activity was recorded, or `otherwise`.
std::string no_kernels(const profile::Profile& profile, std::string_view otherwise);
// Whether the first row is selected on opening: what it drives is made within a frame.
bool selects_first(const profile::Profile& profile);
// A sum over several GPUs may exceed the duration of the range.
std::string sum_note(const profile::Profile& profile);

}  // namespace dlview::ui::looks
