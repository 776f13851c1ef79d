#include "report/page/iteration_data.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "aggregate/recorded.h"
#include "aggregate/steady.h"
#include "profile/recorded.h"
#include "report/page/markup.h"

namespace dlview::report::page {
namespace {

using aggregate::Aggregation;
using aggregate::Category;
using aggregate::IterationRange;
using aggregate::IterationTable;

struct CategoryName {
  Category category;
  std::string_view id, label;
  aggregate::MetricId metric;
};
constexpr std::array<CategoryName, aggregate::kCategoryCount> kCategoryNames{{
    {Category::tensor_core_kernels, "tensor_core_kernels", "Tensor Core kernels",
     "breakdown_tensor_core_kernels"},
    {Category::other_kernels, "other_kernels", "Other kernels", "breakdown_other_kernels"},
    {Category::memory, "memory", "Memory", "breakdown_memory"},
    {Category::data_loader, "data_loader", "Data loader", "breakdown_data_loader"},
    {Category::io, "io", "I/O", "breakdown_io"},
    {Category::cpu, "cpu", "CPU", "breakdown_cpu"},
    {Category::other, "other", "Other", "breakdown_other"},
}};

// I/O that a DLProf database stores for exactly one range: in the iterations of that range.
struct StoredIo {
  IterationRange range;
  const profile::StoredAggregation* stored = nullptr;
  bool is_in_table = false;  // of the aggregation already
};

std::optional<StoredIo> stored_io(const profile::Profile& profile, const Aggregation& aggregation) {
  const aggregate::Iterations& iterations = aggregation.iteration_table->iterations;
  const IterationRange& range = aggregation.selection.range;
  if (const auto* stored = find_stored_io(profile, iterations, range)) {
    return StoredIo{range, stored, true};
  }
  for (const profile::StoredAggregation& each : profile.stored_aggregations) {
    const IterationRange other{each.first_iteration, each.last_iteration};
    if (const auto* stored = find_stored_io(profile, iterations, other)) {
      return StoredIo{other, stored, false};
    }
  }
  return std::nullopt;
}

using Column64 = std::vector<int64_t>;

// In the order of kColumnIds.
std::vector<Column64> columns_of(const IterationTable& table, const std::optional<StoredIo>& io) {
  const auto& rows = table.iterations.rows;
  std::vector<Column64> columns;
  const auto add = [&](const std::function<int64_t(std::size_t)>& value) {
    Column64& column = columns.emplace_back(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) column[i] = value(i);
  };
  add([&rows](std::size_t i) { return i == 0 ? 0 : rows[i].start_ns - rows[i - 1].stop_ns; });
  add([&rows](std::size_t i) { return rows[i].duration_ns(); });
  for (const CategoryName& name : kCategoryNames) {
    if (name.category == Category::other) continue;  // the rest
    add([&table, category = name.category](std::size_t i) {
      return table.facts[i].device_sum[category];
    });
    if (name.category != Category::io || !io || io->is_in_table) continue;
    for (std::size_t i = 0; i < io->stored->io_ns.size(); ++i) {
      columns.back()[static_cast<std::size_t>(io->range.first) + i] +=
          io->stored->io_ns[i] * table.device_count;
    }
  }
  add([&table](std::size_t i) { return table.facts[i].communication_device_sum.ns; });
  add([&table](std::size_t i) { return table.facts[i].communication_device_sum.exposed_ns; });
  add([&table](std::size_t i) { return table.facts[i].kernels.count; });
  add([&table](std::size_t i) { return table.facts[i].kernels.tensor_core_count; });
  return columns;
}
constexpr std::string_view kColumnIds =
    R"(["gap","duration","tensor_core_kernels","other_kernels","memory","data_loader","io","cpu",)"
    R"("communication","communication_exposed","kernels","tensor_core_kernel_count"])";

std::vector<unsigned char> planes_of(const std::vector<Column64>& columns) {
  std::vector<unsigned char> bytes;
  for (const Column64& column : columns) {
    for (unsigned shift = 0; shift < 64; shift += 8) {
      for (const int64_t value : column) {
        bytes.push_back(static_cast<unsigned char>(static_cast<uint64_t>(value) >> shift));
      }
    }
  }
  return bytes;
}

std::string range_json(const std::optional<IterationRange>& range) {
  return range ? fmt::format("[{},{}]", range->first, range->last) : "null";
}

}  // namespace

std::vector<TimePart> time_parts(const profile::Profile& profile, const Aggregation& aggregation) {
  const aggregate::RecordedCategories recorded(profile, aggregation);
  const bool communicates = aggregation.iteration_table->has_communication;
  const int64_t exposed = communicates ? aggregation.communication.exposed_ns : 0;
  const int64_t of_other = std::min(exposed, aggregation.breakdown[Category::other_kernels]);
  std::vector<TimePart> parts;
  for (const CategoryName& name : kCategoryNames) {
    TimePart& part = parts.emplace_back();
    part.id = name.id;
    part.label = name.label;
    part.metric = name.metric;
    part.sum_ns = aggregation.breakdown[name.category];
    part.is_recorded = recorded.contains(name.category);
    // A file may call the kernels that communicate Tensor Core kernels.
    if (name.category == Category::tensor_core_kernels) part.sum_ns -= exposed - of_other;
    if (name.category != Category::other_kernels) continue;
    part.sum_ns -= of_other;
    if (!communicates) continue;
    parts.push_back({"communication", "Exposed communication", "communication_exposed", exposed});
  }
  const int64_t iterations = std::max<int64_t>(1, aggregation.selection.range.size()),
                gpus = std::max<int64_t>(1, aggregation.iteration_table->device_count);
  int64_t left_ns = aggregation.range_ns / iterations;
  for (TimePart& part : parts) {
    part.mean_ns = part.is_recorded ? part.sum_ns / (gpus * iterations) : 0;
    part.percent = aggregation.share(part.sum_ns);
    if (&part == &parts.back()) part.mean_ns = left_ns;
    left_ns -= part.mean_ns;
  }
  return parts;
}

IterationBlocks iteration_blocks(const profile::Profile& profile, const Aggregation& aggregation,
                                 std::size_t most_bytes) {
  const IterationTable& table = *aggregation.iteration_table;
  const std::optional<StoredIo> io = stored_io(profile, aggregation);
  const bool always_io = aggregation.io_recorded && !(io && io->is_in_table);
  const aggregate::RecordedCategories recorded(profile, aggregation);
  std::string categories;
  for (const CategoryName& name : kCategoryNames) {
    const bool is_recorded =
        name.category == Category::io ? always_io : recorded.contains(name.category);
    categories += fmt::format("{}\"{}\":{}", categories.empty() ? "" : ",", name.id, is_recorded);
  }
  const bool has_gpu =
      profile::tells_of(profile, profile::Evidence::gpu_work) &&
      std::ranges::any_of(aggregation.devices, &aggregate::DeviceAggregate::is_kept);
  IterationBlocks result;
  std::string columns = deflated(planes_of(columns_of(table, io)));
  result.has_columns = columns.size() <= most_bytes;
  result.blocks.push_back(
      {"data_run", DataBlock::Kind::json,
       fmt::format(
           R"({{"iterations":{},"gpus":{},"range":{},"steady":{},"start":"{}","columns":{},)"
           R"("recorded":{{{}}},"io_range":{},"communicates":{},"has_gpu":{}}})",
           table.iterations.rows.size(), std::max<int64_t>(1, table.device_count),
           range_json(aggregation.selection.range),
           range_json(aggregate::steady_range(table.iterations)),
           table.iterations.rows.front().start_ns, kColumnIds, categories,
           range_json(io ? std::optional(io->range) : std::nullopt), table.has_communication,
           has_gpu)});
  if (result.has_columns) {
    result.blocks.push_back({"data_iterations", DataBlock::Kind::deflated, std::move(columns)});
  }
  return result;
}

}  // namespace dlview::report::page
