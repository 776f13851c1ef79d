#include "generate/dlprof.h"

#include <memory>
#include <utility>

#include "aggregate/reference/reference.h"
#include "base/unfinished_file.h"
#include "generate/canceled.h"
#include "generate/dlprof/aggregated_tables.h"
#include "generate/dlprof/raw_tables.h"
#include "generate/dlprof/schema.h"
#include "generate/target.h"

namespace dlview::generate {
namespace {

namespace fs = std::filesystem;

void write_tables(const profile::Profile& profile,
                  const std::vector<aggregate::Aggregation>& aggregations, SqliteFile& file,
                  base::Progress& progress) {
  const dlprof::RowOrder order = dlprof::row_order(profile);
  dlprof::create_tables(file);
  dlprof::Dictionary dictionary(file, profile.strings);
  const auto events = std::ssize(order.instances) + std::ssize(order.kernels) +
                      std::ssize(order.memory_ops) + std::ssize(order.syncs) +
                      std::ssize(order.api_calls);
  progress.begin_stage("Writing ops and events", events);
  dlprof::write_raw_tables(profile, order, dictionary, file);

  progress.begin_stage("Writing aggregations",
                       std::ssize(order.kernels) * std::ssize(aggregations));
  dlprof::write_aggregated_tables(profile, aggregations, order, dictionary, file);
}

}  // namespace

base::Status write_dlprof_database(const profile::Profile& profile,
                                   const std::vector<aggregate::Aggregation>& aggregations,
                                   const fs::path& path, base::Progress& progress,
                                   IfExists if_exists) {
  DLVIEW_TRY(check_target(path, if_exists));
  base::Result<base::UnfinishedFile> unfinished = base::UnfinishedFile::create_named(path);
  if (!unfinished) return unfinished.error();
  SqliteFile file(unfinished->path(), progress);
  write_tables(profile, aggregations, file, progress);
  progress.begin_stage("Writing indexes");
  dlprof::create_indexes_and_views(file);
  DLVIEW_TRY(file.finish());
  return unfinished->finish();
}

base::Status generate_dlprof(const fs::path& path, const DemoOptions& options,
                             base::Progress& progress, IfExists if_exists, DemoTruth* truth) {
  DLVIEW_TRY(check_target(path, if_exists));
  base::Result<profile::Profile> made = make_demo_profile(options, progress, truth);
  if (!made) return std::move(made).error();
  const auto profile = std::make_shared<const profile::Profile>(*std::move(made));

  progress.begin_stage("Aggregating");
  const auto reference = aggregate::make_reference_aggregator(profile, &progress);
  aggregate::Selection selection;
  selection.cut.key_op = demo_key_op(options.framework);
  selection.range = {0, played_iterations(options)};
  const aggregate::Aggregation whole_run = reference->aggregate(selection);
  if (progress.canceled()) return canceled();
  return write_dlprof_database(*profile, {whole_run}, path, progress, if_exists);
}

}  // namespace dlview::generate
