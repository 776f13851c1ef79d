#include "import/capture/missing_work.h"

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "base/units.h"
#include "import/capture/trace_values.h"

namespace dlview::import::capture {
namespace {

using profile::kNoRow;
using profile::kNoText;
using profile::kNoValue;
using profile::ProfileBuilder;
using profile::Row;
using profile::StringId;
using profile::Trace;

bool launches_kernel(std::string_view call) {
  return (call.starts_with("cudaLaunch") || call.starts_with("cuLaunch")) &&
         call.find("HostFunc") == std::string_view::npos;
}

// Where calls were recorded, but not those that launched some of the work.
void note_unlaunched(std::span<const Work> work, ProfileBuilder& builder) {
  int64_t kernels = 0, memory_ops = 0;
  for (const Work& w : work) {
    if (w.call != kNoRow || w.kind == WorkKind::sync) continue;
    ++(w.kind == WorkKind::kernel || w.kind == WorkKind::graph ? kernels : memory_ops);
  }
  if (kernels + memory_ops == 0) return;
  builder.not_recorded.push_back(
      {fmt::format("Launches of {} {} and {} {}", base::format_count(kernels),
                   kernels == 1 ? "kernel" : "kernels", base::format_count(memory_ops),
                   memory_ops == 1 ? "memory operation" : "memory operations"),
       "The calls are not in the file, as when the capture began after them, and the ops behind "
       "them are unknown (unassociated_no_launch). Begin the capture before the first step, behind "
       "a torch.cuda.synchronize()"});
}

// Calls that launch a kernel, did not fail, and of which no work tells.
int64_t count_unfinished(const Trace& trace, const CallIndex& calls, std::span<const Work> work,
                         const ProfileBuilder& builder) {
  std::vector<bool> has_work(trace.api_calls.size());
  for (const Work& w : work) {
    if (w.call != kNoRow) has_work[w.call] = true;
  }
  std::unordered_map<StringId, bool> launching;
  int64_t count = 0;
  for (const Row call : calls.by_thread().rows) {
    const StringId name = value_or(trace.api_calls.name, call, kNoText);
    const int64_t returned = value_or(trace.api_calls.return_value, call, kNoValue);
    if (has_work[call] || name == kNoText || (returned != 0 && returned != kNoValue)) continue;
    const auto [known, is_new] = launching.try_emplace(name, false);
    if (is_new) known->second = launches_kernel(builder.text(name));
    count += known->second ? 1 : 0;
  }
  return count;
}

void note_unfinished(const Trace& trace, const CallIndex& calls, std::span<const Work> work,
                     ProfileBuilder& builder) {
  const int64_t count = count_unfinished(trace, calls, work, builder);
  if (count == 0) return;
  builder.not_recorded.push_back(
      {fmt::format("Kernels of {} {}", base::format_count(count),
                   count == 1 ? "launch" : "launches"),
       "The calls are in the file and what they launched is not, or cannot be used: as when the "
       "capture ended before it ran, or a CUDA graph was being built. Their ops have too little "
       "GPU time. End the capture behind a torch.cuda.synchronize()"});
}

}  // namespace

void note_missing_work(const Trace& trace, const CallIndex& calls, std::span<const Work> work,
                       ProfileBuilder& builder) {
  if (trace.api_calls.size() == 0) return;
  note_unlaunched(work, builder);
  // Without these no kernel has a call, in a run of several processes.
  if (trace.kernels.correlation.empty() || trace.kernels.process.empty()) return;
  note_unfinished(trace, calls, work, builder);
}

}  // namespace dlview::import::capture
