// NVTX ranges by name, with their own durations.

#include <memory>

#include "report/nsys/declarations.h"
#include "report/nsys/ranges.h"
#include "report/nsys/summary.h"

namespace dlview::report::nsys {
namespace {

using RangeKey = Key<2>;  // name and event type

std::optional<Table> summarize_ranges(const Input& input, std::vector<std::size_t> rows,
                                      bool shows_style) {
  const profile::TraceNvtx& nvtx = input.trace().nvtx;
  if (rows.empty()) return std::nullopt;
  const auto names = std::make_shared<const RangeNames>(input.profile);
  const std::vector<int64_t> ends = range_ends(nvtx);
  const auto summary = summarize<2>(
      rows,
      [&](std::size_t row) {
        return RangeKey{names->id(row), static_cast<int64_t>(nvtx.kind[row])};
      },
      [&](std::size_t row) { return ends[row] - nvtx.start_ns[row]; },
      [](const RangeKey& a, const RangeKey& b) { return a < b; });
  Table table = time_table(summary, "instances", "Instances");
  if (shows_style) {
    table.columns.push_back(word_column("style", "Style", [summary](std::size_t row) {
      return style_name(summary->rows[row].key[1]);
    }));
  }
  table.columns.push_back(text_column("range", "Range", [summary, names](std::size_t row) {
    return (*names)[summary->rows[row].key[0]];
  }));
  return table;
}

std::vector<std::size_t> rows_of_kind(const Input& input, profile::NvtxKind kind) {
  std::vector<std::size_t> rows = range_rows(input);
  std::erase_if(rows, [&](std::size_t row) { return input.trace().nvtx.kind[row] != kind; });
  return rows;
}

}  // namespace

std::optional<Table> nvtx_sum(const Input& input) {
  return summarize_ranges(input, range_rows(input), true);
}

std::optional<Table> nvtx_pushpop_sum(const Input& input) {
  return summarize_ranges(input, rows_of_kind(input, profile::NvtxKind::push_pop_range), false);
}

std::optional<Table> nvtx_startend_sum(const Input& input) {
  return summarize_ranges(input, rows_of_kind(input, profile::NvtxKind::start_end_range), false);
}

}  // namespace dlview::report::nsys
