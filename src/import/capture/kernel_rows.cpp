#include "import/capture/kernel_rows.h"

#include <algorithm>
#include <optional>

#include "import/capture/trace_values.h"
#include "profile/tensor_core_rules.h"
#include "profile/whole_graphs.h"

namespace dlview::import::capture {
namespace {

using profile::GlobalId;
using profile::kNoRow;
using profile::kNoText;
using profile::kNoValue;
using profile::Row;
using profile::StringId;

constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;

// What is unknown is no.
bool are_named_for_tensor_cores(std::string_view name, const profile::Device& gpu) {
  std::optional<profile::ComputeCapability> capability;
  if (gpu.compute_capability_major > 0) {
    capability = {gpu.compute_capability_major, gpu.compute_capability_minor};
  }
  return profile::tensor_core_use(name, capability, false).use == profile::TensorCoreUse::yes;
}

}  // namespace

GlobalId thread_of(const profile::Trace& trace, const Work& work) {
  return work.call != kNoRow ? value_or(trace.api_calls.thread, work.call, kNoValue)
                             : value_or(table_of(trace, work.kind).process, work.row, GlobalId{0});
}

base::Interval call_of(const profile::Trace& trace, const Work& work, base::Interval time) {
  if (work.call != kNoRow) {
    return {trace.api_calls.start_ns[work.call], trace.api_calls.end_ns[work.call]};
  }
  if (work.kind == WorkKind::sync) return time;
  return {time.start_ns, time.start_ns};
}

std::size_t KernelRows::HashOfLaunch::operator()(const LaunchKey& launch) const {
  uint64_t hash = (static_cast<uint64_t>(launch.thread) ^ launch.device) * kOdd;
  for (const int32_t size : {launch.grid.x, launch.grid.y, launch.grid.z, launch.block.x,
                             launch.block.y, launch.block.z}) {
    hash = (hash ^ static_cast<uint32_t>(size)) * kOdd;
    hash ^= hash >> 32;
  }
  return hash;
}

KernelRows::KernelRows(const profile::Trace& trace, const KernelNameIds& name_ids,
                       std::span<const Work> work, profile::ProfileBuilder& builder)
    : trace_(trace), name_ids_(name_ids), work_(work) {
  const auto is_kernel = [](const Work& w) { return w.kind == WorkKind::kernel; };
  kernels_ = static_cast<std::size_t>(std::ranges::partition_point(work, is_kernel) - work.begin());
  add_launches(builder);
  judge_names(builder);
  name_graphs(builder);
}

KernelRows::LaunchKey KernelRows::launch_of(const Work& work) const {
  LaunchKey launch{
      .grid = {}, .block = {}, .device = work.device, .thread = thread_of(trace_, work)};
  if (work.kind == WorkKind::kernel) {
    launch.grid = value_or(trace_.kernels.grid, work.row, profile::Dim3{});
    launch.block = value_or(trace_.kernels.block, work.row, profile::Dim3{});
  }
  return launch;
}

void KernelRows::add_launches(profile::ProfileBuilder& builder) {
  auto launches = base::number_distinct<HashOfLaunch>(
      work_.size(), [this](std::size_t i) { return launch_of(work_[i]); });
  launches_ = std::move(launches.of_item);
  for (const LaunchKey& launch : launches.keys) {
    const Row thread = builder.intern_thread(
        {profile::process_id_of(launch.thread), profile::thread_id_of(launch.thread)});
    launch_rows_.push_back(
        builder.intern_launch({launch.grid, launch.block, launch.device, thread}));
  }
}

KernelRows::Names KernelRows::names_of(const Work& work) const {
  const StringId long_name = value_or(trace_.kernels.demangled_name, work.row, kNoText);
  const StringId name = name_ids_.of(work.row);
  if (long_name != kNoText) return {name, long_name};
  const StringId short_name = value_or(trace_.kernels.short_name, work.row, kNoText);
  return {name, short_name == kNoText ? name : short_name};
}

// By the kernel's long name, else its short one.
void KernelRows::judge_names(const profile::ProfileBuilder& builder) {
  auto judged = base::number_distinct<std::hash<uint64_t>>(kernels_, [this](std::size_t i) {
    const Names names = names_of(work_[i]);
    const StringId name = names.long_name == 0 ? names.name : names.long_name;
    return uint64_t{name} << 32 | work_[i].device;
  });
  judged_ = std::move(judged.of_item);
  for (const uint64_t key : judged.keys) {
    uses_tensor_cores_.push_back(are_named_for_tensor_cores(
        builder.text(static_cast<StringId>(key >> 32)), builder.device(static_cast<Row>(key))));
  }
}

void KernelRows::name_graphs(profile::ProfileBuilder& builder) {
  for (const Work& work : work_.subspan(kernels_)) {
    const int64_t graph = value_or(trace_.graph_launches.graph, work.row, kNoValue);
    const std::string name =
        profile::whole_graph_name(graph == kNoValue ? std::nullopt : std::optional(graph));
    const StringId id = builder.intern(name);
    graph_names_.push_back({id, builder.intern(name + ", all its work as one")});
  }
}

profile::KernelRow KernelRows::row(std::size_t i) const {
  const Work& work = work_[i];
  const base::Interval time = time_of(trace_, work);
  const base::Interval call = call_of(trace_, work, time);
  const bool is_kernel = i < kernels_;
  const Names names = is_kernel ? names_of(work) : graph_names_[i - kernels_];
  // Graphs come behind the kernels, of which each becomes one.
  const std::size_t before = is_kernel ? 0 : trace_.kernels.size();
  return {.name = names.name,
          .long_name = names.long_name,
          .uses_tensor_cores = is_kernel && uses_tensor_cores_[judged_[i]],
          .api_start_ns = call.start_ns,
          .api_stop_ns = call.stop_ns,
          .gpu_start_ns = time.start_ns,
          .gpu_stop_ns = time.stop_ns,
          .launch = launch_rows_[launches_[i]],
          .source_id = static_cast<int64_t>(work.row + before) + 1};
}

}  // namespace dlview::import::capture
