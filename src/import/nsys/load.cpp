#include "import/nsys/load.h"

#include <utility>

#include "import/capture/devices.h"
#include "import/capture/ops.h"
#include "import/errors.h"
#include "import/nsys/contents.h"
#include "import/nsys/cpu_samples.h"
#include "import/nsys/facts.h"
#include "import/nsys/gpu_metrics.h"
#include "import/nsys/gpu_work.h"
#include "import/nsys/gpus.h"
#include "import/nsys/host_events.h"
#include "import/nsys/names.h"
#include "import/nsys/nccl.h"
#include "import/nsys/not_recorded.h"
#include "import/nsys/nvtx.h"
#include "import/nsys/ranks.h"
#include "import/nsys/tables.h"
#include "import/nsys/threads.h"

namespace dlview::import::nsys {
namespace {

base::Status read_trace(Context& context, profile::Trace& trace) {
  for (const auto read : {read_facts, read_gpus, read_gpu_work, read_host_events, read_nvtx,
                          read_cpu_samples, read_gpu_metrics, read_names, read_messages}) {
    if (base::Status status = read(context, trace); !status) return status;
  }
  number_threads(context.known_threads, context.constants, trace);
  DLVIEW_TRY(read_ranks(context, trace));
  DLVIEW_TRY(read_nccl(context, trace));
  context.constants.clear();
  trace.text_ids = context.texts.take_ids();
  return base::Success{};
}

// Nothing happens for more than half of the time: it was recorded, and cut off.
bool is_late_part(const profile::Profile& profile) {
  if (profile.instances.size() == 0) return false;
  const int64_t first_ns = profile.instances.cpu_start_ns[0];
  return first_ns > profile.last_ns - first_ns;
}

}  // namespace

base::Result<profile::Profile> load(const sqlite::Database& database, base::Progress& progress) {
  Context context(database, progress);
  profile::Trace trace;
  DLVIEW_TRY(read_trace(context, trace));
  if (progress.canceled()) return canceled(database.path());
  if (!has_cuda(trace) && trace.nvtx.size() == 0) return no_events(database, trace);

  base::Result<std::vector<profile::RecordedTable>> tables = list_tables(database);
  if (!tables) return tables.error();
  context.builder.recorded_tables = std::move(*tables);
  progress.begin_stage("Arranging rows");
  const capture::TraceNotes notes{kTables, context.left_out, context.quality};
  const capture::DeviceRows devices = capture::add_devices(trace, context.builder, notes);
  capture::build_ops(trace, devices, context.builder, notes);
  context.builder.quality = std::move(context.quality).finish();
  profile::Profile profile = std::move(context.builder).finish();
  link_nccl_kernels(profile, trace);
  const auto missing = list_not_recorded(database, trace, profile);
  profile.not_recorded.insert(profile.not_recorded.begin(), missing.begin(), missing.end());
  profile.trace = std::move(trace);
  if (is_late_part(profile)) profile.first_ns = profile.instances.cpu_start_ns[0];
  return profile;
}

}  // namespace dlview::import::nsys
