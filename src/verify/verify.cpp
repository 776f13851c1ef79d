#include "verify/verify.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "aggregate/aggregator.h"
#include "aggregate/iterations.h"
#include "base/shell_quote.h"
#include "import/dlprof/load.h"
#include "import/dlprof/stored_tables.h"
#include "verify/compare_tables.h"
#include "verify/report_files.h"
#include "verify/stored_database.h"

namespace dlview::verify {
namespace {

namespace fs = std::filesystem;
using aggregate::Aggregation;
using import::dlprof::StoredTables;
using profile::Profile;
using profile::StoredAggregation;

int64_t differences_of(const std::vector<Check>& checks) {
  return std::accumulate(checks.begin(), checks.end(), int64_t{0},
                         [](int64_t sum, const Check& c) { return sum + c.difference_count; });
}

// Keeps the reports' comparison with the aggregation that they fit best.
void check_reports(const std::vector<ReportFile>& files, const Profile& profile,
                   const StoredAggregation& stored, const Aggregation& recomputed,
                   Verification& result) {
  std::vector<Check> checks = compare_reports(files, profile, recomputed);
  const bool better =
      result.reports.empty() || differences_of(checks) < differences_of(result.reports);
  if (!better) return;
  result.reports = std::move(checks);
  result.reports_aggregation_id = stored.id;
}

// Why the importer left aggregations out, as its data quality notes have it.
std::string reason_of_unusable(const Profile& profile) {
  std::string reasons;
  for (const profile::QualityNote& note : profile.quality) {
    if (note.table != "aggregations") continue;
    reasons += fmt::format("{}{}", reasons.empty() ? "" : ", or ", note.reason);
  }
  return reasons.empty() ? "it has no row in aggregations" : reasons;
}

base::Result<std::vector<UnusableAggregation>> find_unusable(const StoredTables& stored,
                                                             const Profile& profile) {
  const auto ids = stored.aggregation_ids();
  if (!ids) return ids.error();
  std::vector<UnusableAggregation> unusable;
  for (const int64_t id : *ids) {
    const auto& usable = profile.stored_aggregations;
    const bool is_usable = std::any_of(usable.begin(), usable.end(),
                                       [id](const auto& found) { return found.id == id; });
    if (!is_usable) unusable.push_back({id, reason_of_unusable(profile)});
  }
  return unusable;
}

base::Status check_aggregations(const StoredTables& tables,
                                const std::shared_ptr<const Profile>& profile,
                                const std::vector<ReportFile>& files, base::Progress& progress,
                                Verification& result) {
  const auto aggregator = aggregate::make_cpu_aggregator(profile);
  for (std::size_t i = 0; i < profile->stored_aggregations.size(); ++i) {
    const StoredAggregation& stored = profile->stored_aggregations[i];
    progress.begin_stage("Aggregating");
    const Aggregation recomputed = aggregator->aggregate(
        {aggregate::recognize_cut(*profile, i), {stored.first_iteration, stored.last_iteration}});
    auto checks = compare_tables(tables, stored, *profile, recomputed, progress);
    if (!checks) return checks.error();
    result.aggregations.push_back(
        {stored.id, recomputed.selection,
         static_cast<int64_t>(recomputed.iteration_table->iterations.rows.size()),
         *std::move(checks)});
    if (!files.empty()) check_reports(files, *profile, stored, recomputed, result);
  }
  return base::Success{};
}

base::Status check_database(const fs::path& path, const std::vector<ReportFile>& files,
                            base::Progress& progress, Verification& result) {
  const auto tables = open_stored_database(path, progress);
  if (!tables) return tables.error();
  // From the same connection, so that both are of one state of the file.
  base::Result<Profile> loaded = import::dlprof::load(tables->database(), progress);
  if (!loaded) return loaded.error();
  const auto profile = std::make_shared<const Profile>(*std::move(loaded));
  auto unusable = find_unusable(*tables, *profile);
  if (!unusable) return unusable.error();
  result.unusable = *std::move(unusable);
  if (profile->stored_aggregations.empty() && result.unusable.empty()) {
    return base::Error{"Nothing to verify", path.string() + " has no aggregation to compare",
                       fmt::format("Compare its rows with the export that DLProf made it from: "
                                   "dlview verify {} --against nsys_profile.sqlite",
                                   base::shell_quoted(path.string()))};
  }
  base::Status checked = check_aggregations(*tables, profile, files, progress, result);
  if (!checked || !tables->has_changed()) return checked;
  return base::Error{"The file is being written",
                     path.string() + " changed while it was being compared",
                     "Wait until the program that writes it has finished, then try again"};
}

}  // namespace

int64_t Verification::difference_count() const {
  int64_t count = differences_of(rows) + differences_of(reports);
  for (const AggregationCheck& check : aggregations) {
    count += differences_of(check.tables) + differences_of(check.reports);
  }
  return count;
}

bool Verification::all_match() const {
  return difference_count() == 0 && unusable.empty();
}

std::vector<std::string> Verification::not_compared() const {
  std::vector<std::string> names;
  for (const AggregationCheck& aggregation : aggregations) {
    for (const Check& check : aggregation.tables) {
      if (check.compared) continue;
      names.push_back(fmt::format("{} of aggregation {}", check.name, aggregation.id));
    }
  }
  for (const UnusableAggregation& aggregation : unusable) {
    names.push_back(fmt::format("aggregation {} ({})", aggregation.id, aggregation.reason));
  }
  for (const Check& check : reports) {
    if (!check.compared) names.push_back(check.name);
  }
  return names;
}

base::Result<Verification> verify_database(const fs::path& path,
                                           const std::optional<fs::path>& reports_folder,
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
  if (base::Status checked = check_database(path, files, progress, result); !checked) {
    return std::move(checked).error();
  }
  return result;
}

}  // namespace dlview::verify
