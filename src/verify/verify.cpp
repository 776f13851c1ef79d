#include "verify/verify.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "aggregate/aggregator.h"
#include "aggregate/iterations.h"
#include "import/dlprof/stored_tables.h"
#include "import/open.h"
#include "verify/recomputed_tables.h"
#include "verify/report_files.h"

namespace dlview::verify {
namespace {

using aggregate::Aggregation;
using base::ValueTable;
using import::dlprof::StoredTables;
using profile::Profile;
using profile::StoredAggregation;

Check compare_with(const std::vector<ValueTable>& stored, const ValueTable& recomputed,
                   const StoredAggregation& aggregation) {
  Check skipped;
  skipped.name = recomputed.name;
  if (recomputed.name == "expert_systems_feedback" && !aggregation.has_advice) {
    skipped.note = "no advice stored; not compared";
    return skipped;
  }
  const auto found = std::find_if(stored.begin(), stored.end(), [&](const ValueTable& table) {
    return table.name == recomputed.name;
  });
  if (found != stored.end()) return compare(*found, recomputed);
  skipped.note = "not in this database";
  return skipped;
}

int64_t difference_count(const std::vector<Check>& checks) {
  return std::accumulate(checks.begin(), checks.end(), int64_t{0},
                         [](int64_t sum, const Check& c) { return sum + c.difference_count; });
}

base::Result<std::vector<ValueTable>> read_tables(const StoredTables& tables,
                                                  int64_t aggregation_id) {
  auto read = tables.read(aggregation_id);
  ValueTable kernels = tables.kernel_iterations();
  if (!read || kernels.columns.empty()) return read;
  const base::Status status = tables.for_each_kernel_iteration(
      aggregation_id, [&](const auto& row) { kernels.rows.push_back(row); });
  if (!status) return status.error();
  read->push_back(std::move(kernels));
  return read;
}

base::Result<AggregationCheck> check_aggregation(const StoredTables& tables, const Profile& profile,
                                                 const StoredAggregation& stored,
                                                 const Aggregation& recomputed) {
  const auto stored_tables = read_tables(tables, stored.id);
  if (!stored_tables) return stored_tables.error();
  AggregationCheck check;
  check.id = stored.id;
  check.selection = recomputed.selection;
  check.iteration_count = static_cast<int64_t>(recomputed.iteration_table->iterations.rows.size());
  for (const ValueTable& table : recomputed_tables(profile, recomputed)) {
    check.tables.push_back(compare_with(*stored_tables, table, stored));
  }
  return check;
}

// Keeps the reports' comparison with the aggregation that they fit best.
void check_reports(const std::vector<ReportFile>& files, const Profile& profile,
                   const StoredAggregation& stored, const Aggregation& recomputed,
                   Verification& result) {
  std::vector<Check> checks = compare_reports(files, profile, recomputed);
  const bool better =
      result.reports.empty() || difference_count(checks) < difference_count(result.reports);
  if (!better) return;
  result.reports = std::move(checks);
  result.reports_aggregation_id = stored.id;
}

base::Result<std::shared_ptr<const Profile>> open_with_aggregations(
    const std::filesystem::path& path, base::Progress& progress) {
  base::Result<Profile> opened = import::open_profile(path, progress);
  if (!opened) return opened.error();
  if (opened->stored_aggregations.empty()) {
    return base::Error{"Nothing to verify",
                       path.string() + " holds no aggregation that could be compared",
                       "Use `dlview info` to see what the file holds"};
  }
  return std::make_shared<const Profile>(*std::move(opened));
}

}  // namespace

bool Verification::all_match() const {
  return difference_count(reports) == 0 &&
         std::all_of(aggregations.begin(), aggregations.end(), [](const AggregationCheck& check) {
           return difference_count(check.tables) == 0;
         });
}

base::Result<Verification> verify_database(
    const std::filesystem::path& path, const std::optional<std::filesystem::path>& reports_folder,
    base::Progress& progress) {
  std::vector<ReportFile> files;
  Verification result;
  result.path = path.string();
  if (reports_folder) {
    auto read = read_report_files(*reports_folder);
    if (!read) return read.error();
    files = *std::move(read);
    result.reports_folder = reports_folder->string();
  }
  const auto opened = open_with_aggregations(path, progress);
  if (!opened) return opened.error();
  const auto tables = StoredTables::open(path, progress);
  if (!tables) return tables.error();
  const Profile& profile = **opened;
  const auto aggregator = aggregate::make_cpu_aggregator(*opened);
  for (std::size_t i = 0; i < profile.stored_aggregations.size(); ++i) {
    const StoredAggregation& stored = profile.stored_aggregations[i];
    const Aggregation recomputed = aggregator->aggregate(
        {aggregate::recognise_cut(profile, i), {stored.first_iteration, stored.last_iteration}});
    auto check = check_aggregation(*tables, profile, stored, recomputed);
    if (!check) return check.error();
    result.aggregations.push_back(*std::move(check));
    if (!files.empty()) check_reports(files, profile, stored, recomputed, result);
  }
  return result;
}

}  // namespace dlview::verify
