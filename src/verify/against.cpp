#include "verify/against.h"

#include <algorithm>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "aggregate/aggregator.h"
#include "aggregate/iterations.h"
#include "import/dlprof/load.h"
#include "import/open.h"
#include "report/dlprof/reports.h"
#include "report/writers/csv.h"
#include "verify/compare_tables.h"
#include "verify/raw_tables.h"
#include "verify/stored_database.h"

namespace dlview::verify {
namespace {

namespace fs = std::filesystem;
using aggregate::Aggregation;
using profile::KernelIndex;
using profile::OpIndex;
using profile::Profile;
using profile::StringId;

// What identifies a kernel in both files.
using KernelKey = std::tuple<std::string_view, int64_t, int64_t>;

KernelKey key_of(const Profile& p, KernelIndex kernel) {
  return {p.text(p.ops.id[p.instances.op[p.kernels.instance[kernel]]]),
          p.kernels.api_start_ns[kernel], p.kernels.gpu_start_ns[kernel]};
}

// Kernels bear the numbers of the database's rows; those that it does not have get numbers of their
// own.
void number_kernels(const Profile& database, Profile& exported) {
  std::map<KernelKey, int64_t> ids;
  int64_t next = 1;
  for (KernelIndex k{0}; k < database.kernels.size(); ++k) {
    ids.emplace(key_of(database, k), database.kernels.source_id[k]);
    next = std::max(next, database.kernels.source_id[k] + 1);
  }
  std::vector<int64_t> numbers;
  for (KernelIndex k{0}; k < exported.kernels.size(); ++k) {
    const auto found = ids.find(key_of(exported, k));
    numbers.push_back(found == ids.end() ? next++ : found->second);
  }
  exported.kernels.source_id = std::move(numbers);
}

// DLProf has one long name for all kernels of an op that share their short name.
void share_long_names(Profile& exported) {
  const auto& kernels = exported.kernels;
  const auto pair_of = [&](KernelIndex k) {
    return std::pair(exported.instances.op[kernels.instance[k]], kernels.name[k]);
  };
  std::map<std::pair<OpIndex, StringId>, StringId> shared;
  for (KernelIndex k{0}; k < kernels.size(); ++k) {
    const auto [entry, added] = shared.emplace(pair_of(k), kernels.long_name[k]);
    if (exported.text(kernels.long_name[k]) < exported.text(entry->second)) {
      entry->second = kernels.long_name[k];
    }
  }
  std::vector<StringId> names;
  for (KernelIndex k{0}; k < kernels.size(); ++k) names.push_back(shared.at(pair_of(k)));
  exported.kernels.long_name = std::move(names);
}

// What batch sizes are judged by.
void take_memory(const Profile& database, Profile& exported) {
  for (profile::Device& device : exported.devices) {
    const auto known =
        std::ranges::find(database.devices, device.device_id, &profile::Device::device_id);
    if (known == database.devices.end()) continue;
    device.memory_total_bytes = known->memory_total_bytes;
    device.memory_used_bytes = known->memory_used_bytes;
  }
}

// What only the database can know; the tables are those of a database from here on.
void take_from_database(const Profile& database, Profile& exported) {
  exported.trace.reset();
  exported.source.by_tensor_core_rules = false;
  exported.system = database.system;
  exported.stored_aggregations = database.stored_aggregations;
  take_memory(database, exported);
  number_kernels(database, exported);
  share_long_names(exported);
}

std::vector<Check> compare_rows(const Profile& database, const Profile& exported) {
  const std::vector<base::ValueTable> stored = raw_tables(database);
  const std::vector<base::ValueTable> recomputed = raw_tables(exported);
  std::vector<Check> checks;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    checks.push_back(compare(stored[i], recomputed[i]));
  }
  return checks;
}

std::vector<Check> compare_reports_of(const Profile& database, const Aggregation& stored,
                                      const Profile& exported, const Aggregation& recomputed) {
  std::vector<Check> checks;
  for (const report::dlprof::ReportInfo& info : report::dlprof::kReports) {
    std::ostringstream left, right;
    report::write_csv(report::dlprof::make_report(info.report, database, stored), left);
    report::write_csv(report::dlprof::make_report(info.report, exported, recomputed), right);
    checks.push_back(compare_csv(fmt::format("{}.csv", info.file_stem), left.view(), right.view()));
  }
  return checks;
}

base::Result<Profile> load_export(const fs::path& path, base::Progress& progress) {
  base::Result<Profile> loaded = import::open_profile(path, progress);
  if (!loaded || loaded->trace) return loaded;
  return base::Error{"Nothing to compare with", path.string() + " is not an Nsight Systems export",
                     "Pass to --against the export of the run, usually nsys_profile.sqlite"};
}

}  // namespace

base::Result<Verification> verify_against(const fs::path& database_path,
                                          const fs::path& exported_path, base::Progress& progress) {
  const auto tables = open_stored_database(database_path, progress);
  if (!tables) return tables.error();
  base::Result<Profile> loaded = import::dlprof::load(tables->database(), progress);
  if (!loaded) return std::move(loaded).error();
  base::Result<Profile> loaded_export = load_export(exported_path, progress);
  if (!loaded_export) return std::move(loaded_export).error();
  const auto database = std::make_shared<const Profile>(*std::move(loaded));
  take_from_database(*database, *loaded_export);
  const auto exported = std::make_shared<const Profile>(*std::move(loaded_export));

  Verification result;
  result.path = database_path.string();
  result.against = exported_path.string();
  result.rows = compare_rows(*database, *exported);
  const auto stored_aggregator = aggregate::make_cpu_aggregator(database);
  const auto aggregator = aggregate::make_cpu_aggregator(exported);
  for (std::size_t i = 0; i < database->stored_aggregations.size(); ++i) {
    const profile::StoredAggregation& stored = database->stored_aggregations[i];
    const aggregate::Selection selection{aggregate::recognize_cut(*database, i),
                                         {stored.first_iteration, stored.last_iteration}};
    const Aggregation recomputed = aggregator->aggregate(selection);
    auto checks = compare_tables(*tables, stored, *exported, recomputed, progress);
    if (!checks) return checks.error();
    result.aggregations.push_back(
        {stored.id, recomputed.selection,
         static_cast<int64_t>(recomputed.iteration_table->iterations.rows.size()),
         *std::move(checks),
         compare_reports_of(*database, stored_aggregator->aggregate(selection), *exported,
                            recomputed)});
  }
  return result;
}

}  // namespace dlview::verify
