#include "ui/views/difference_data.h"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/units.h"

namespace dlview::ui {
namespace {

// The columns of each iteration bear its number.
void name_columns(report::Table& table, const aggregate::IterationComparison& comparison) {
  const std::string first = base::format_count(comparison.iteration);
  const std::string second = base::format_count(comparison.baseline);
  const auto rename = [&table](std::string_view id, std::string title) {
    const std::size_t at = find_column(table, id);
    if (at != kNoColumn) table.columns[at].title = std::move(title);
  };
  rename("ns", "Iteration " + first);
  rename("against_ns", "Iteration " + second);
  rename("calls", "Calls in " + first);
  rename("against_calls", "Calls in " + second);
  rename("launches", "Launches in " + first);
  rename("against_launches", "Launches in " + second);
  rename("only_in", "Only in");
}

TableData with_names(TableData data, std::string_view by,
                     const aggregate::IterationComparison& comparison) {
  name_columns(data.table, comparison);
  data.title = fmt::format("Differences by {}, iteration {} against {}", by,
                           base::format_count(comparison.iteration),
                           base::format_count(comparison.baseline));
  data.exported_under = TableData::ExportedUnder::unfiltered_selection;
  return data;
}

}  // namespace

TableData op_differences(const std::shared_ptr<const profile::Profile>& profile,
                         const std::shared_ptr<const aggregate::Aggregation>& aggregation,
                         const report::SharedComparison& comparison) {
  return with_names({profile, aggregation, report::make_op_differences(*profile, comparison)}, "op",
                    *comparison);
}

TableData kernel_differences(const std::shared_ptr<const profile::Profile>& profile,
                             const std::shared_ptr<const aggregate::Aggregation>& aggregation,
                             const report::SharedComparison& comparison) {
  return with_names({profile, aggregation, report::make_kernel_differences(*profile, comparison)},
                    "kernel", *comparison);
}

}  // namespace dlview::ui
