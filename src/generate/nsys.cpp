#include "generate/nsys.h"

#include <utility>

#include "base/unfinished_file.h"
#include "generate/nsys/event_tables.h"
#include "generate/nsys/events.h"
#include "generate/nsys/facts.h"
#include "generate/nsys/ranges.h"
#include "generate/nsys/sampled_tables.h"
#include "generate/nsys/tables.h"
#include "generate/sqlite_file.h"

namespace dlview::generate {
namespace {

std::vector<nsys::ThreadFacts> name_threads(const profile::Profile& profile) {
  std::vector<nsys::ThreadFacts> named;
  for (const profile::Thread& thread : profile.threads) {
    const bool is_main = thread.thread_id == thread.process_id;
    named.push_back({thread, is_main ? "python" : "pt_autograd"});
  }
  return named;
}

void write_tables(const profile::Profile& profile, const std::string& key_op, NsysSchema schema,
                  const NsysExtras& extras, SqliteFile& file) {
  nsys::Export out(file, schema);
  nsys::write_facts(out, {profile.system, profile.devices, name_threads(profile), profile.last_ns});
  nsys::EventTables tables(out);
  nsys::write_ranges(profile, key_op, tables);
  nsys::write_events(out, profile, tables);
  if (extras.metric_period_ns > 0) nsys::write_gpu_metrics(out, profile, extras.metric_period_ns);
  if (extras.memory_usage) nsys::write_memory_usage(out, profile);
}

}  // namespace

base::Status write_nsys_export(const profile::Profile& profile, const std::string& key_op,
                               NsysSchema schema, const std::filesystem::path& path,
                               base::Progress& progress, IfExists if_exists,
                               const NsysExtras& extras) {
  DLVIEW_TRY(check_target(path, if_exists));
  base::Result<base::UnfinishedFile> unfinished = base::UnfinishedFile::create_named(path);
  if (!unfinished) return unfinished.error();
  SqliteFile file(unfinished->path(), progress);
  const auto events =
      2 * std::ssize(profile.kernels.name.span()) + 4 * std::ssize(profile.instances.op.span());
  progress.begin_stage("Writing events", events);
  write_tables(profile, key_op, schema, extras, file);
  DLVIEW_TRY(file.finish());
  return unfinished->finish();
}

base::Status generate_nsys(const std::filesystem::path& path, const DemoOptions& options,
                           NsysSchema schema, base::Progress& progress, IfExists if_exists,
                           const NsysExtras& extras, DemoTruth* truth) {
  DLVIEW_TRY(check_target(path, if_exists));
  const base::Result<profile::Profile> made = make_demo_profile(options, progress, truth);
  if (!made) return made.error();
  return write_nsys_export(*made, demo_key_op(options.framework), schema, path, progress, if_exists,
                           extras);
}

}  // namespace dlview::generate
