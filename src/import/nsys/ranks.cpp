#include "import/nsys/ranks.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "base/parse.h"

namespace dlview::import::nsys {
namespace {

using profile::RankClaim;
using profile::RankSource;
using profile::Row;
using profile::Trace;

// The variables of each launcher, the innermost one first: `mpirun` in a Slurm task gives every
// rank the task's SLURM_PROCID. SLURM_NTASKS is also that of a lone process of a larger job.
struct Launcher {
  std::string_view rank, world_size;
};
constexpr Launcher kLaunchers[] = {{"RANK", "WORLD_SIZE"},
                                   {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                   {"PMIX_RANK", ""},
                                   {"PMI_RANK", "PMI_SIZE"},
                                   {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
                                   {"PALS_RANKID", ""},
                                   {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};

using Variables = std::map<std::string, int64_t, std::less<>>;

// "RANK=3", if it is one of the variables; the first of a name counts.
void take_variable(std::string_view text, Variables& variables) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return;
  const std::string_view name = text.substr(0, equals);
  const bool is_known = std::ranges::any_of(kLaunchers, [name](const Launcher& launcher) {
    return launcher.rank == name || launcher.world_size == name;
  });
  if (!is_known) return;
  std::string_view value = text.substr(equals + 1);
  if (value.size() > 1 && value.front() == '"' && value.back() == '"') {
    value = value.substr(1, value.size() - 2);
  }
  const auto number = base::parse_natural(value);
  if (number) variables.try_emplace(std::string(name), *number);
}

base::Status read_environment(Context& context, Variables& variables) {
  constexpr const char* kColumns[] = {"name", "value"};
  const auto use_capture = [&](const sqlite::Statement& row, int64_t) {
    if (row.text(0).ends_with(":ENVIRONMENT_VARIABLE")) take_variable(row.text(1), variables);
  };
  DLVIEW_TRY(for_each_row(context, "META_DATA_CAPTURE", kColumns, use_capture));
  const auto use_system = [&](const sqlite::Statement& row, int64_t) {
    if (row.text(0) != "DeviceEnvironment") return;
    std::string_view rest = row.text(1);
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(';'), rest.size());
      take_variable(rest.substr(0, end), variables);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  };
  return for_each_row(context, "TARGET_INFO_SYSTEM_ENV", kColumns, use_system);
}

std::optional<int64_t> value_of(const Variables& variables, std::string_view name) {
  const auto found = variables.find(name);
  return found == variables.end() ? std::nullopt : std::optional(found->second);
}

// kNoValue = the process did nothing that was recorded.
profile::ThreadId process_of(const Trace& trace, int64_t global_id) {
  constexpr int64_t kBits = 24, kMask = 0xffffff;
  for (std::size_t row = 0; row < trace.processes.size(); ++row) {
    const profile::TraceProcess& process = trace.processes[row];
    if (process.host == global_id >> (2 * kBits) &&
        process.number == ((global_id >> kBits) & kMask)) {
      return profile::make_thread_id(profile::ProcessIndex(static_cast<Row>(row)));
    }
  }
  return profile::kNoValue;
}

// "MPI Rank 2".
std::optional<int64_t> rank_of_thread(std::string_view name) {
  constexpr std::string_view kBegin = "MPI Rank ";
  return name.starts_with(kBegin) ? base::parse_natural(name.substr(kBegin.size())) : std::nullopt;
}

}  // namespace

base::Status read_ranks(Context& context, Trace& trace) {
  std::vector<RankClaim>& claims = trace.capture.ranks;
  constexpr const char* kColumns[] = {"globalTid", "rank"};
  const auto use = [&](const sqlite::Statement& row, int64_t) {
    if (!row.is_integer(0) || !row.is_integer(1) || row.integer(1) < 0) return;
    const profile::ThreadId process = process_of(trace, row.integer(0));
    if (process == profile::kNoValue) return;
    claims.push_back({.source = RankSource::mpi_ranks,
                      .process = process,
                      .variable = "",
                      .rank = row.integer(1),
                      .world_size = std::nullopt});
  };
  DLVIEW_TRY(for_each_row(context, "MPI_RANKS", kColumns, use));
  for (const profile::TraceThread& thread : trace.threads) {
    const auto rank = rank_of_thread(thread.name);
    if (!rank) continue;
    claims.push_back({.source = RankSource::thread_name,
                      .process = profile::make_thread_id(thread.process),
                      .variable = "",
                      .rank = rank,
                      .world_size = std::nullopt});
  }
  Variables variables;
  DLVIEW_TRY(read_environment(context, variables));
  for (const Launcher& launcher : kLaunchers) {
    const auto rank = value_of(variables, launcher.rank),
               size = value_of(variables, launcher.world_size);
    if (!rank && !size) continue;
    claims.push_back({.source = RankSource::environment,
                      .process = profile::kNoValue,
                      .variable = std::string(launcher.rank),
                      .rank = rank,
                      .world_size = size});
  }
  return base::Success{};
}

}  // namespace dlview::import::nsys
