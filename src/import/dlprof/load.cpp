#include "import/dlprof/load.h"

#include <utility>

#include "import/dlprof/aggregations.h"
#include "import/dlprof/devices.h"
#include "import/dlprof/dictionary.h"
#include "import/dlprof/events.h"
#include "import/dlprof/not_recorded.h"
#include "import/dlprof/ops.h"
#include "import/dlprof/recognize.h"
#include "import/dlprof/system_facts.h"
#include "import/dlprof/tables.h"
#include "import/errors.h"
#include "import/times.h"

namespace dlview::import::dlprof {
namespace {

base::Status read_tables(Context& context, const Versions& versions) {
  DLVIEW_TRY(read_system_facts(context, versions));
  DLVIEW_TRY(read_dictionary(context));
  DeviceRows devices;
  DLVIEW_TRY(read_devices(context, devices));
  OpLookup ops;
  DLVIEW_TRY(read_ops(context, ops));
  TimeBudget budget(devices.size());
  DLVIEW_TRY(read_op_instances(context, ops, budget));
  DLVIEW_TRY(read_events(context, ops, devices, budget));
  return read_aggregations(context);
}

}  // namespace

base::Result<profile::Profile> load(const sqlite::Database& database, base::Progress& progress) {
  base::Result<Versions> versions = read_versions(database);
  if (!versions) return std::move(versions).error();
  Context context{.database = database,
                  .progress = progress,
                  .builder = {},
                  .quality = {},
                  .lacking = {},
                  .dictionary = {}};
  context.builder.source = {database.path().string(), "DLProf " + versions->current,
                            database.file().bytes()};
  DLVIEW_TRY(read_tables(context, *versions));
  if (progress.canceled()) return canceled(database.path());

  progress.begin_stage("Arranging rows");
  context.builder.quality = std::move(context.quality).finish();
  profile::Profile profile = std::move(context.builder).finish();
  profile.not_recorded = list_not_recorded(profile, context.lacking);
  return profile;
}

}  // namespace dlview::import::dlprof
