// nvtx_kern_sum: NVTX ranges with the kernels that were launched in them.

#include <memory>

#include "report/nsys/cells.h"
#include "report/nsys/declarations.h"
#include "report/nsys/gpu_events.h"
#include "report/nsys/kernels_in_ranges.h"

namespace dlview::report::nsys {

std::optional<Table> nvtx_kern_sum(const Input& input) {
  using aggregate::Unit;
  const profile::Trace& trace = input.trace();
  if (!has_ranges_and_launches(trace) || !are_tied(trace.kernels, trace.api_calls) ||
      !is_recorded(trace.kernels.demangled_name, trace.kernels.size())) {
    return std::nullopt;
  }
  const auto names = std::make_shared<const RangeNames>(input.profile);
  const auto rows =
      std::make_shared<const std::vector<KernelsInRanges>>(gather_kernels_in_ranges(input, *names));
  if (rows->empty()) return std::nullopt;
  const auto told = [rows](int64_t KernelsInRanges::*field, auto show) {
    return [rows, field, show](std::size_t row) {
      const int64_t value = (*rows)[row].*field;
      return value == KernelsInRanges::kNone ? Cell{} : Cell{show(value)};
    };
  };
  Table table;
  table.row_count = rows->size();
  table.columns = {
      text_column("nvtx_range", "NVTX Range",
                  told(&KernelsInRanges::range_name, [names](int64_t id) { return (*names)[id]; })),
      word_column("style", "Style", told(&KernelsInRanges::kind, style_name)),
      integer_column("pid", "PID", Unit::none,
                     told(&KernelsInRanges::thread,
                          [&trace](int64_t id) { return trace.numbers_of(id).process_id; })),
      integer_column("tid", "TID", Unit::none,
                     told(&KernelsInRanges::thread,
                          [&trace](int64_t id) { return trace.numbers_of(id).thread_id; })),
      integer_column("nvtx_inst", "NVTX Inst", Unit::count,
                     [rows](std::size_t row) { return (*rows)[row].range_count; }),
      integer_column("kern_inst", "Kern Inst", Unit::count,
                     [rows](std::size_t row) { return (*rows)[row].kernel_count; }),
      integer_column("total_time", "Total Time", Unit::ns,
                     [rows](std::size_t row) { return (*rows)[row].times.stats.sum; })};
  append_figures(table.columns, "", Unit::ns,
                 [rows](std::size_t row) -> const Figures& { return (*rows)[row].times; });
  table.columns.push_back(
      text_column("kernel_name", "Kernel Name", [rows, &profile = input.profile](std::size_t row) {
        return text_of(profile, (*rows)[row].kernel_name);
      }));
  return table;
}

}  // namespace dlview::report::nsys
