// Kernels and memory operations, gathered by name.

#include <memory>
#include <numeric>

#include "report/nsys/cells.h"
#include "report/nsys/declarations.h"
#include "report/nsys/gpu_events.h"
#include "report/nsys/summary.h"

namespace dlview::report::nsys {
namespace {

using aggregate::Unit;
using Kind = GpuEvent::Kind;

// What counts of kernels that have names, and of copies and memsets that have kinds; none of these
// where the file does not name the kinds, for nsys then has none either.
GpuEvents named_kernels(const Input& input) {
  const profile::TraceKernels& kernels = input.trace().kernels;
  GpuEvents events{input.profile, {}};
  if (is_recorded(kernels.demangled_name, kernels.size())) events.append(Kind::kernel, input);
  return events;
}

GpuEvents memory_operations(const Input& input) {
  const profile::TraceMemcpys& copies = input.trace().memcpys;
  const profile::TraceMemsets& memsets = input.trace().memsets;
  GpuEvents events{input.profile, {}};
  if (!input.trace().names_copy_kinds) return events;
  if (is_recorded(copies.copy_kind, copies.size()) && is_recorded(copies.bytes, copies.size())) {
    events.append(Kind::copy, input);
  }
  if (is_recorded(memsets.bytes, memsets.size())) events.append(Kind::memset, input);
  return events;
}

// A kernel's name, or the kind of a memory operation.
using NameKey = Key<2>;

bool is_kernel(const NameKey& key) {
  return key[0] == static_cast<int64_t>(Kind::kernel);
}

NameKey name_key(const GpuEvents& events, const GpuEvent& event) {
  const auto kind = static_cast<int64_t>(event.kind);
  switch (event.kind) {
    case Kind::kernel:
      return {kind, events.trace().kernels.demangled_name[event.row]};
    case Kind::copy:
      return {kind, static_cast<int64_t>(events.trace().memcpys.copy_kind[event.row])};
    case Kind::memset:
      break;
  }
  return {kind, 0};
}

std::string_view name_of(const profile::Profile& profile, const NameKey& key) {
  if (is_kernel(key)) return text_of(profile, key[1]);
  return key[0] == static_cast<int64_t>(Kind::copy)
             ? copy_name(static_cast<profile::CopyKind>(key[1]))
             : kMemsetName;
}

// `key_of(event)`, `value_of(event)`; see summarize().
template <std::size_t N, typename KeyOf, typename ValueOf, typename IsBefore>
auto summarize_events(const GpuEvents& events, const KeyOf& key_of, const ValueOf& value_of,
                      const IsBefore& is_before) {
  std::vector<std::size_t> rows(events.events.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return summarize<N>(
      rows, [&](std::size_t row) { return key_of(events.events[row]); },
      [&](std::size_t row) { return value_of(events.events[row]); }, is_before);
}

template <typename ValueOf>
auto summarize_by_name(const GpuEvents& events, const ValueOf& value_of) {
  return summarize_events<2>(
      events, [&](const GpuEvent& event) { return name_key(events, event); }, value_of,
      [&profile = events.profile](const NameKey& a, const NameKey& b) {
        return name_of(profile, a) < name_of(profile, b);
      });
}

auto durations_by_name(const GpuEvents& events) {
  return summarize_by_name(events,
                           [&](const GpuEvent& event) { return events.duration_ns(event); });
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
  const GpuEvents events = named_kernels(input);
  if (events.events.empty()) return std::nullopt;
  const auto summary = durations_by_name(events);
  Table table = time_table(summary, "instances", "Instances");
  table.columns.push_back(name_column(input, summary, "name", "Name"));
  return table;
}

std::optional<Table> cuda_gpu_kern_gb_sum(const Input& input) {
  const profile::TraceKernels& kernels = input.trace().kernels;
  const GpuEvents events = named_kernels(input);
  if (events.events.empty() || !is_recorded(kernels.grid, kernels.size()) ||
      !is_recorded(kernels.block, kernels.size())) {
    return std::nullopt;
  }
  const profile::Profile& profile = input.profile;
  const auto name = [&profile](const LaunchKey& key) { return text_of(profile, key[0]); };
  const auto summary = summarize_events<7>(
      events,
      [&kernels](const GpuEvent& event) {
        const profile::Dim3 &grid = kernels.grid[event.row], &block = kernels.block[event.row];
        return LaunchKey{
            kernels.demangled_name[event.row], grid.x, grid.y, grid.z, block.x, block.y, block.z};
      },
      [&events](const GpuEvent& event) { return events.duration_ns(event); },
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
  const GpuEvents events = memory_operations(input);
  if (events.events.empty()) return std::nullopt;
  const auto summary = durations_by_name(events);
  Table table = time_table(summary, "count", "Count");
  table.columns.push_back(name_column(input, summary, "operation", "Operation"));
  return table;
}

std::optional<Table> cuda_gpu_mem_size_sum(const Input& input) {
  GpuEvents events = memory_operations(input);
  std::erase_if(events.events, [&](const GpuEvent& event) { return !events.bytes(event); });
  if (events.events.empty()) return std::nullopt;
  const auto summary =
      summarize_by_name(events, [&](const GpuEvent& event) { return *events.bytes(event); });
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

// Calls and GPU events in one list; the kind of a call follows those of events.
std::optional<Table> cuda_api_gpu_sum(const Input& input) {
  constexpr auto kCall = static_cast<int64_t>(Kind::memset) + 1;
  const profile::TraceApiCalls& calls = input.trace().api_calls;
  GpuEvents events = memory_operations(input);
  const GpuEvents kernels = named_kernels(input);
  events.events.insert(events.events.end(), kernels.events.begin(), kernels.events.end());
  if (events.events.empty() || !is_recorded(calls.name, calls.size())) return std::nullopt;
  std::vector<std::size_t> rows(events.events.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const std::size_t first_call = rows.size();
  for (const std::size_t call : input.rows(calls.start_ns)) rows.push_back(first_call + call);
  const profile::Profile& profile = input.profile;
  const auto name = [&profile](const NameKey& key) {
    return key[0] == kCall ? call_label(text_of(profile, key[1])) : name_of(profile, key);
  };
  const auto summary = summarize<2>(
      rows,
      [&](std::size_t row) {
        return row < first_call ? name_key(events, events.events[row])
                                : NameKey{kCall, calls.name[row - first_call]};
      },
      [&](std::size_t row) {
        if (row < first_call) return events.duration_ns(events.events[row]);
        return calls.end_ns[row - first_call] - calls.start_ns[row - first_call];
      },
      [&name](const NameKey& a, const NameKey& b) { return name(a) < name(b); });
  Table table = time_table(summary, "instances", "Instances");
  table.columns.push_back(word_column("category", "Category", [summary](std::size_t row) {
    const NameKey& key = summary->rows[row].key;
    if (key[0] == kCall) return std::string_view("CUDA_API");
    return std::string_view(is_kernel(key) ? "CUDA_KERNEL" : "MEMORY_OPER");
  }));
  table.columns.push_back(text_column("operation", "Operation", [summary, name](std::size_t row) {
    return name(summary->rows[row].key);
  }));
  return table;
}

std::optional<Table> cuda_gpu_sum(const Input& input) {
  GpuEvents events = memory_operations(input);
  const GpuEvents kernels = named_kernels(input);
  events.events.insert(events.events.end(), kernels.events.begin(), kernels.events.end());
  if (events.events.empty() || !input.trace().names_copy_kinds) return std::nullopt;
  const auto summary = durations_by_name(events);
  Table table = time_table(summary, "instances", "Instances");
  table.columns.push_back(word_column("category", "Category", [summary](std::size_t row) {
    return std::string_view(is_kernel(summary->rows[row].key) ? "CUDA_KERNEL" : "MEMORY_OPER");
  }));
  table.columns.push_back(name_column(input, summary, "operation", "Operation"));
  return table;
}

}  // namespace dlview::report::nsys
