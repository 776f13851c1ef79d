// Kernels and memory operations, gathered by name.

#include <array>

#include "report/nsys/declarations.h"
#include "report/nsys/labels.h"
#include "report/nsys/summary.h"

namespace dlview::report::nsys {
namespace {

using aggregate::Unit;
using profile::Trace;

// Kernels, then copies, then memsets: the events of a trace under one row number.
struct GpuEvents {
  const Trace& trace;

  std::size_t copies_from() const { return trace.kernels.size(); }
  std::size_t memsets_from() const { return copies_from() + trace.memcpys.size(); }

  bool is_kernel(std::size_t row) const { return row < copies_from(); }
  bool is_copy(std::size_t row) const { return !is_kernel(row) && row < memsets_from(); }

  int64_t duration_ns(std::size_t row) const {
    const auto of = [](const profile::GpuWork& work, std::size_t i) {
      return work.end_ns[i] - work.start_ns[i];
    };
    if (is_kernel(row)) return of(trace.kernels, row);
    return is_copy(row) ? of(trace.memcpys, row - copies_from())
                        : of(trace.memsets, row - memsets_from());
  }
  int64_t bytes(std::size_t row) const {
    return is_copy(row) ? trace.memcpys.bytes[row - copies_from()]
                        : trace.memsets.bytes[row - memsets_from()];
  }
};

std::vector<std::size_t> kernel_rows(const Input& input) {
  const profile::TraceKernels& kernels = input.trace().kernels;
  if (!is_recorded(kernels.demangled_name, kernels.size())) return {};
  return input.rows(kernels.start_ns);
}

// None where the file does not name their kinds: nsys then has none either.
std::vector<std::size_t> memory_rows(const Input& input) {
  const profile::TraceMemcpys& copies = input.trace().memcpys;
  const profile::TraceMemsets& memsets = input.trace().memsets;
  const GpuEvents events{input.trace()};
  std::vector<std::size_t> rows;
  if (!input.trace().names_copy_kinds) return rows;
  if (is_recorded(copies.copy_kind, copies.size()) && is_recorded(copies.bytes, copies.size())) {
    for (const std::size_t row : input.rows(copies.start_ns)) {
      rows.push_back(events.copies_from() + row);
    }
  }
  if (is_recorded(memsets.bytes, memsets.size())) {
    for (const std::size_t row : input.rows(memsets.start_ns)) {
      rows.push_back(events.memsets_from() + row);
    }
  }
  return rows;
}

// A kernel's name, or the kind of a memory operation.
constexpr int64_t kKernel = 0, kCopy = 1, kMemset = 2;
using NameKey = Key<2>;

NameKey name_key(const GpuEvents& events, std::size_t row) {
  if (events.is_kernel(row)) return {kKernel, events.trace.kernels.demangled_name[row]};
  if (!events.is_copy(row)) return {kMemset, 0};
  return {kCopy, events.trace.memcpys.copy_kind[row - events.copies_from()]};
}

std::string_view name_of(const profile::Profile& profile, const NameKey& key) {
  if (key[0] == kKernel) return text_of(profile, key[1]);
  return key[0] == kCopy ? copy_name(static_cast<int16_t>(key[1])) : kMemsetName;
}

template <typename ValueOf>
auto summarise_by_name(const Input& input, std::span<const std::size_t> rows,
                       const ValueOf& value_of) {
  const GpuEvents events{input.trace()};
  const profile::Profile& profile = input.profile;
  return summarise<2>(
      rows, [&](std::size_t row) { return name_key(events, row); }, value_of,
      [&](const NameKey& a, const NameKey& b) {
        return name_of(profile, a) < name_of(profile, b);
      });
}

auto durations_by_name(const Input& input, std::span<const std::size_t> rows) {
  const GpuEvents events{input.trace()};
  return summarise_by_name(input, rows,
                           [events](std::size_t row) { return events.duration_ns(row); });
}

template <typename SharedSummary>
Column name_column(const Input& input, const SharedSummary& summary, std::string id,
                   std::string title) {
  return text_column(std::move(id), std::move(title),
                     [summary, &profile = input.profile](std::size_t row) {
                       return name_of(profile, summary->rows[row].key);
                     });
}

// The launch: name, grid and block.
using LaunchKey = Key<7>;

profile::Dim3 size_in(const LaunchKey& key, std::size_t first) {
  return {static_cast<int32_t>(key[first]), static_cast<int32_t>(key[first + 1]),
          static_cast<int32_t>(key[first + 2])};
}

}  // namespace

std::optional<Table> cuda_gpu_kern_sum(const Input& input) {
  const std::vector<std::size_t> rows = kernel_rows(input);
  if (rows.empty()) return std::nullopt;
  const auto summary = durations_by_name(input, rows);
  Table table = time_table(summary, "instances", "Instances");
  table.columns.push_back(name_column(input, summary, "name", "Name"));
  return table;
}

std::optional<Table> cuda_gpu_kern_gb_sum(const Input& input) {
  const profile::TraceKernels& kernels = input.trace().kernels;
  const std::vector<std::size_t> rows = kernel_rows(input);
  if (rows.empty() || !is_recorded(kernels.grid, kernels.size()) ||
      !is_recorded(kernels.block, kernels.size())) {
    return std::nullopt;
  }
  const profile::Profile& profile = input.profile;
  const auto name = [&profile](const LaunchKey& key) { return text_of(profile, key[0]); };
  const auto summary = summarise<7>(
      rows,
      [&kernels](std::size_t row) {
        const profile::Dim3 &grid = kernels.grid[row], &block = kernels.block[row];
        return LaunchKey{
            kernels.demangled_name[row], grid.x, grid.y, grid.z, block.x, block.y, block.z};
      },
      [&kernels](std::size_t row) { return kernels.end_ns[row] - kernels.start_ns[row]; },
      [&name](const LaunchKey& a, const LaunchKey& b) { return name(a) < name(b); });
  Table table = time_table(summary, "instances", "Instances");
  table.columns.push_back(word_column("grid_xyz", "GridXYZ", [summary](std::size_t row) {
    return dimensions(size_in(summary->rows[row].key, 1));
  }));
  table.columns.push_back(word_column("block_xyz", "BlockXYZ", [summary](std::size_t row) {
    return dimensions(size_in(summary->rows[row].key, 4));
  }));
  table.columns.push_back(text_column(
      "name", "Name", [summary, name](std::size_t row) { return name(summary->rows[row].key); }));
  return table;
}

std::optional<Table> cuda_gpu_mem_time_sum(const Input& input) {
  const std::vector<std::size_t> rows = memory_rows(input);
  if (rows.empty()) return std::nullopt;
  const auto summary = durations_by_name(input, rows);
  Table table = time_table(summary, "count", "Count");
  table.columns.push_back(name_column(input, summary, "operation", "Operation"));
  return table;
}

std::optional<Table> cuda_gpu_mem_size_sum(const Input& input) {
  const std::vector<std::size_t> rows = memory_rows(input);
  if (rows.empty()) return std::nullopt;
  const GpuEvents events{input.trace()};
  const auto summary =
      summarise_by_name(input, rows, [events](std::size_t row) { return events.bytes(row); });
  Table table;
  table.row_count = summary->rows.size();
  table.columns = {
      integer_column("total", "Total", Unit::bytes,
                     [summary](std::size_t row) { return summary->figures(row).stats.sum; }),
      integer_column("count", "Count", Unit::count,
                     [summary](std::size_t row) { return summary->figures(row).stats.count; })};
  append_figures(table.columns, "", Unit::bytes,
                 [summary](std::size_t row) -> const Figures& { return summary->figures(row); });
  table.columns.push_back(name_column(input, summary, "operation", "Operation"));
  return table;
}

std::optional<Table> cuda_gpu_sum(const Input& input) {
  std::vector<std::size_t> rows = memory_rows(input);
  const std::vector<std::size_t> kernels = kernel_rows(input);
  rows.insert(rows.end(), kernels.begin(), kernels.end());
  if (rows.empty() || !input.trace().names_copy_kinds) return std::nullopt;
  const auto summary = durations_by_name(input, rows);
  Table table = time_table(summary, "instances", "Instances");
  table.columns.push_back(word_column("category", "Category", [summary](std::size_t row) {
    return std::string_view(summary->rows[row].key[0] == kKernel ? "CUDA_KERNEL" : "MEMORY_OPER");
  }));
  table.columns.push_back(name_column(input, summary, "operation", "Operation"));
  return table;
}

}  // namespace dlview::report::nsys
