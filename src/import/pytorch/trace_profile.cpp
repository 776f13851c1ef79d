#include "import/pytorch/trace_profile.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "import/capture/devices.h"
#include "import/capture/ops.h"
#include "import/pytorch/collectives.h"
#include "import/pytorch/event_category.h"
#include "import/pytorch/not_recorded.h"
#include "import/pytorch/trace_columns.h"
#include "import/pytorch/trace_ops.h"
#include "import/pytorch/trace_texts.h"
#include "profile/python_frames.h"

namespace dlview::import::pytorch {
namespace {

constexpr capture::TableNames kTables = {
    .kernels = "kernel",
    .graph_launches = "graph launches",
    .memcpys = "gpu_memcpy",
    .memsets = "gpu_memset",
    .syncs = "cuda_sync",
    .api_calls = "cuda_runtime",
    .ranges = "cpu_op",
    .gpus = "deviceProperties",
};

void add_system_facts(const TraceHeader& header, profile::SystemFacts& system) {
  system.framework = "PyTorch";
  system.cuda_version = header.cuda_runtime_version.empty()
                            ? hip_version_of(header.hip_runtime_version)
                            : cuda_version_of(header.cuda_runtime_version);
  if (!header.cuda_driver_version.empty()) {
    system.driver_version = "CUDA " + cuda_version_of(header.cuda_driver_version);
  } else {
    system.driver_version = hip_version_of(header.hip_driver_version);
  }
}

// "rank 3 of 8, nccl 2.20.5, 4 process groups", "rank 3 (by the file name)"; empty without a rank.
std::string rank_of(const TraceHeader& header) {
  if (!header.rank) return {};
  std::string text = fmt::format("rank {}", *header.rank);
  if (header.world_size) text += fmt::format(" of {}", *header.world_size);
  if (!header.backend.empty()) text += ", " + header.backend;
  if (header.backend == "nccl" && !header.nccl_version.empty()) text += " " + header.nccl_version;
  if (header.process_groups > 1) text += fmt::format(", {} process groups", header.process_groups);
  if (header.has_rank_of_name) text += " (by the file name)";
  return text;
}

// By SyncEvent::Source.
using SyncCounts = std::array<std::size_t, 4>;

SyncCounts count_syncs(const TraceEvents& events) {
  SyncCounts counts{};
  for (const SyncEvent& sync : events.syncs) ++counts[static_cast<std::size_t>(sync.source)];
  return counts;
}

std::vector<profile::RecordedTable> recorded_tables(const TraceEvents& events,
                                                    const SyncCounts& syncs,
                                                    const profile::Trace& trace) {
  std::vector<profile::RecordedTable> tables;
  const auto add = [&](std::string_view name, const char* what, std::size_t rows, const char* use) {
    if (rows > 0) tables.push_back({std::string(name), what, static_cast<int64_t>(rows), use});
  };
  add("kernel", "Kernels", trace.kernels.size(), "kernels");
  add("gpu_memcpy", "Memcpys", trace.memcpys.size(), "memory operations");
  add("gpu_memset", "Memsets", trace.memsets.size(), "memory operations");
  add("cuda_runtime", "API calls", trace.api_calls.size(), "launches, CPU overhead");
  add("cpu_op", "Ops and annotations", events.host.size(), "ops, groups, iterations");
  add("nn.Module", "Modules", events.modules.size(), "groups of ops");
  add(profile::kPythonFrameTable, "Python frames", static_cast<std::size_t>(events.frames),
      "call stacks");
  add("[memory]", "Allocations", events.allocations.size(), "allocated memory");
  const auto add_syncs = [&](SyncEvent::Source source, const char* name, const char* what,
                             const char* use) {
    add(name, what, syncs[static_cast<std::size_t>(source)], use);
  };
  using Source = SyncEvent::Source;
  add_syncs(Source::cuda_sync, "cuda_sync", "CUDA synchronization", "stream synchronization");
  add_syncs(Source::cuda_event, "cuda_event", "CUDA event records", "the Timeline");
  add_syncs(Source::xpu_sync, "xpu_sync", "XPU synchronization", "synchronization");
  add_syncs(Source::mtia_ccp_events, "mtia_ccp_events", "Event records and waits", "the Timeline");
  add("overhead", "Profiler overhead", trace.overheads.size(), "the Timeline");
  add("counters", "Counters", events.counters.size(), "the Timeline");
  add(kRecordedCollective, "Communication events",
      static_cast<std::size_t>(std::ranges::count(trace.collectives.is_recorded, 1)),
      "communication");
  for (const SkippedEvents& skipped : events.skipped) {
    tables.push_back(
        {skipped.category, std::string(title_of_skipped(skipped.category)), skipped.count, ""});
  }
  return tables;
}

}  // namespace

profile::Profile profile_of(TraceEvents&& events, profile::ProfileBuilder&& builder,
                            QualityLog&& quality) {
  add_system_facts(events.header, builder.system);
  builder.source.by_tensor_core_rules = true;
  const SyncCounts syncs = count_syncs(events);
  ArrangedTrace arranged = arrange_trace(events, builder, quality);
  arranged.trace.capture.program = rank_of(events.header);
  arranged.trace.capture.backend = events.header.backend;
  const std::optional<int64_t> rank =
      events.header.has_rank_of_name ? std::nullopt : events.header.rank;
  if (rank || events.header.world_size) {
    arranged.trace.capture.ranks.push_back({.source = profile::RankSource::distributed_info,
                                            .process = profile::kNoValue,
                                            .variable = "",
                                            .rank = rank,
                                            .world_size = events.header.world_size});
  }
  builder.recorded_tables = recorded_tables(events, syncs, arranged.trace);
  const capture::LeftOutRows left_out;
  const capture::TraceNotes notes{kTables, left_out, quality};
  const capture::DeviceRows devices = capture::add_devices(arranged.trace, builder, notes);
  {
    TraceOps ops(events, arranged.trace, arranged.threads, builder, notes);
    capture::build_ops(arranged.trace, devices, builder, notes, ops);
    arranged.trace.nvtx.forward = ops.forward_rows();
  }
  builder.quality = std::move(quality).finish();
  profile::Profile profile = std::move(builder).finish();
  const bool has_cuda_syncs = syncs[static_cast<std::size_t>(SyncEvent::Source::cuda_sync)] > 0;
  const auto missing = list_not_recorded(events, has_cuda_syncs, arranged.trace, profile);
  profile.not_recorded.insert(profile.not_recorded.begin(), missing.begin(), missing.end());
  profile.trace = std::move(arranged.trace);
  return profile;
}

}  // namespace dlview::import::pytorch
