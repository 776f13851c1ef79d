#include "verify/compare_tables.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "verify/kernel_iterations.h"
#include "verify/recomputed_tables.h"

namespace dlview::verify {
namespace {

using aggregate::Aggregation;
using base::ValueTable;
using import::dlprof::StoredTables;
using profile::Profile;
using profile::StoredAggregation;

constexpr std::string_view kAdviceTable = "expert_systems_feedback";

// "1.8.0"; the importer has made sure that it is a version from 1.3 to 1.8.
bool made_by_1_8(std::string_view version) {
  const std::size_t dot = std::min(version.find('.'), version.size() - 1);
  int minor = 0;
  std::from_chars(version.data() + dot + 1, version.data() + version.size(), minor);
  return minor >= 8;
}

Check left_out(const ValueTable& recomputed, const char* note) {
  Check check;
  check.name = recomputed.name;
  check.compared = false;
  check.note = note;
  return check;
}

Check absent_table(const ValueTable& recomputed, bool is_complete) {
  if (!is_complete) return left_out(recomputed, "not in this database");
  Check check;
  check.name = recomputed.name;
  check.add({"table", "", "no such table", "a table"});
  return check;
}

Check compare_one(const std::vector<ValueTable>& stored, const ValueTable& recomputed,
                  bool has_advice, bool is_complete) {
  const auto found = std::find_if(stored.begin(), stored.end(), [&](const ValueTable& table) {
    return table.name == recomputed.name;
  });
  if (found == stored.end()) return absent_table(recomputed, is_complete);
  if (recomputed.name == kAdviceTable && !has_advice && !recomputed.rows.empty()) {
    return left_out(recomputed, "no advice stored; not compared");
  }
  constexpr std::string_view kProse[] = {"problem", "recommendation"};
  const bool is_advice = recomputed.name == kAdviceTable;
  Check check = is_advice ? compare(*found, recomputed, kProse) : compare(*found, recomputed);
  if (is_complete) add_absent_columns(*found, recomputed, check);
  return check;
}

base::Result<Check> compare_kernels(const StoredTables& tables, const StoredAggregation& stored,
                                    const Profile& profile, const Aggregation& recomputed,
                                    bool is_complete, base::Progress& progress) {
  const ValueTable declared = kernel_iteration_columns();
  const ValueTable found = tables.kernel_iterations();
  if (found.columns.empty()) return absent_table(declared, is_complete);
  if (found.key_columns < declared.key_columns) {
    Check check = left_out(declared, "kernels without names");
    if (is_complete) add_absent_columns(found, declared, check);
    return check;
  }
  auto check = compare_kernel_iterations(tables, stored.id, profile, recomputed, progress);
  if (check && is_complete) add_absent_columns(found, declared, *check);
  return check;
}

}  // namespace

base::Result<std::vector<Check>> compare_tables(const StoredTables& tables,
                                                const StoredAggregation& stored,
                                                const Profile& profile,
                                                const Aggregation& recomputed,
                                                base::Progress& progress) {
  const bool is_complete = made_by_1_8(profile.system.original_database_version);
  progress.begin_stage("Comparing tables");
  const auto read = tables.read(stored.id);
  if (!read) return read.error();
  std::vector<Check> checks;
  for (const ValueTable& table : recomputed_tables(profile, recomputed)) {
    checks.push_back(compare_one(*read, table, stored.has_advice, is_complete));
  }
  auto kernels = compare_kernels(tables, stored, profile, recomputed, is_complete, progress);
  if (!kernels) return kernels.error();
  checks.push_back(*std::move(kernels));
  return checks;
}

}  // namespace dlview::verify
