#include "aggregate/sources.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <vector>

#include <fmt/ranges.h>

namespace dlview::aggregate {
namespace {

struct Source {
  std::string_view of_database, of_export;
};
constexpr std::array<Source, 14> kSources{{
    {"NVTX_EVENTS", "NVTX_EVENTS"},
    {"iteration_list", "NVTX_EVENTS"},
    {"iteration_aggregation_list", "no table"},
    {"read_only_ops", "NVTX_EVENTS"},
    {"read_only_ops.tc_support_status", "NVTX_EVENTS"},
    {"read_only_op_instances", "NVTX_EVENTS"},
    {"read_only_kernels", "CUPTI_ACTIVITY_KIND_KERNEL"},
    {"read_only_kernels.uses_tc", "CUPTI_ACTIVITY_KIND_KERNEL.demangledName"},
    {"read_only_kernels.long_name_id", "CUPTI_ACTIVITY_KIND_KERNEL.demangledName"},
    {"read_only_memcpys", "CUPTI_ACTIVITY_KIND_MEMCPY"},
    {"read_only_memsets", "CUPTI_ACTIVITY_KIND_MEMSET"},
    {"read_only_cuda_syncs", "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"},
    {"read_only_cuda_calls", "CUPTI_ACTIVITY_KIND_RUNTIME"},
    {"read_only_gpu_infos", "TARGET_INFO_GPU"},
}};

}  // namespace

std::string source_tables(const Metric& metric, const profile::Profile* profile) {
  if (profile == nullptr || !profile->trace) return std::string(metric.source);
  std::vector<std::string_view> tables;
  std::istringstream names{std::string(metric.source)};
  for (std::string name; names >> name;) {
    if (name.ends_with(',')) name.pop_back();
    const auto source = std::ranges::find(kSources, name, &Source::of_database);
    if (source == kSources.end()) continue;
    if (std::ranges::find(tables, source->of_export) != tables.end()) continue;
    tables.push_back(source->of_export);
  }
  return fmt::format("{}", fmt::join(tables, ", "));
}

}  // namespace dlview::aggregate
