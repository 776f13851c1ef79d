// Push/pop ranges in order of time, with their place among each other.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/saturated_sum.h"
#include "report/nsys/declarations.h"
#include "report/nsys/figures.h"
#include "report/nsys/ranges.h"

namespace dlview::report::nsys {
namespace {

using aggregate::Unit;

struct PushPopRanges {
  const profile::Trace& trace;
  const profile::TraceNvtx& nvtx;
  RangeNames names;
  std::vector<int64_t> ends;
  RangeTree tree;
  std::vector<int64_t> child_count, child_ns;
  std::vector<std::size_t> rows;  // of `nvtx`, by start, then duration, the shorter one first

  explicit PushPopRanges(const Input& input)
      : trace(input.trace()),
        nvtx(trace.nvtx),
        names(input.profile),
        ends(range_ends(nvtx)),
        tree(nest_ranges(nvtx, ends)),
        child_count(nvtx.size(), 0),
        child_ns(nvtx.size(), 0),
        rows(range_rows(input)) {
    for (std::size_t range = 0; range < nvtx.size(); ++range) {
      const std::size_t parent = tree.parent[range];
      if (parent == RangeTree::kNoParent) continue;
      ++child_count[parent];
      child_ns[parent] = base::saturated_sum(child_ns[parent], duration_ns(range));
    }
    std::erase_if(rows, [this](std::size_t row) {
      return nvtx.kind[row] != profile::NvtxKind::push_pop_range;
    });
    std::stable_sort(rows.begin(), rows.end(), [this](std::size_t a, std::size_t b) {
      return std::pair(nvtx.start_ns[a], ends[a]) < std::pair(nvtx.start_ns[b], ends[b]);
    });
  }

  int64_t duration_ns(std::size_t range) const { return ends[range] - nvtx.start_ns[range]; }
  std::string_view name(std::size_t range) const { return names[names.id(range)]; }
  // "--copy_in": two dashes for each level.
  std::string indented_name(std::size_t range) const {
    return std::string(static_cast<std::size_t>(2 * tree.level[range]), '-').append(name(range));
  }
};

}  // namespace

std::optional<Table> nvtx_pushpop_trace(const Input& input) {
  const profile::TraceNvtx& nvtx = input.trace().nvtx;
  if (!is_recorded(nvtx.text, nvtx.size()) || !is_recorded(nvtx.thread, nvtx.size())) {
    return std::nullopt;
  }
  const auto ranges = std::make_shared<const PushPopRanges>(input);
  if (ranges->rows.empty()) return std::nullopt;
  using Ranges = const PushPopRanges&;
  const auto of_range = [&ranges](auto value) {
    return [ranges, value](std::size_t row) { return Cell{value(*ranges, ranges->rows[row])}; };
  };
  Table table;
  table.row_count = ranges->rows.size();
  table.columns = {
      integer_column("start", "Start", Unit::ns,
                     of_range([](Ranges all, std::size_t i) { return all.nvtx.start_ns[i]; })),
      integer_column("end", "End", Unit::ns,
                     of_range([](Ranges all, std::size_t i) { return all.ends[i]; })),
      integer_column("duration", "Duration", Unit::ns,
                     of_range([](Ranges all, std::size_t i) { return all.duration_ns(i); })),
      integer_column("child_duration", "DurChild", Unit::ns,
                     of_range([](Ranges all, std::size_t i) { return all.child_ns[i]; })),
      integer_column(
          "own_duration", "DurNonChild", Unit::ns,
          of_range([](Ranges all, std::size_t i) { return all.duration_ns(i) - all.child_ns[i]; })),
      text_column("name", "Name", of_range([](Ranges all, std::size_t i) { return all.name(i); })),
      integer_column("pid", "PID", Unit::none, of_range([](Ranges all, std::size_t i) {
                       return all.trace.numbers_of(all.nvtx.thread[i]).process_id;
                     })),
      integer_column("tid", "TID", Unit::none, of_range([](Ranges all, std::size_t i) {
                       return all.trace.numbers_of(all.nvtx.thread[i]).thread_id;
                     })),
      integer_column("level", "Lvl", Unit::none,
                     of_range([](Ranges all, std::size_t i) { return all.tree.level[i]; })),
      integer_column("child_count", "NumChild", Unit::count,
                     of_range([](Ranges all, std::size_t i) { return all.child_count[i]; })),
      integer_column("range_id", "RangeId", Unit::none,
                     of_range([](Ranges all, std::size_t i) { return range_id(all.nvtx, i); })),
      integer_column("parent_id", "ParentId", Unit::none, of_range([](Ranges all, std::size_t i) {
                       return parent_range_id(all.nvtx, all.tree, i);
                     })),
      text_column("range_stack", "RangeStack", of_range([](Ranges all, std::size_t i) {
                    return range_stack(all.nvtx, all.tree, i);
                  })),
      text_column("name_tree", "NameTree",
                  of_range([](Ranges all, std::size_t i) { return all.indented_name(i); }))};
  return table;
}

}  // namespace dlview::report::nsys
