#include "import/nsys/contents.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace dlview::import::nsys {
namespace {

using profile::ProfilerMessage;
using profile::RecordedTable;

// Counting reads every page of a table, and SQLite does not stop meanwhile. A longer one counts by
// its row numbers, which nsys gives without gaps.
constexpr int64_t kMostCounted = 100'000;
// Exports have some 60 tables, a hostile file has a million.
constexpr std::size_t kMostTables = 1000;
constexpr std::size_t kMostMessages = 100;

struct KnownTable {
  std::string_view name;  // of one table, or with '*' of all that begin so
  std::string_view what;
  std::string_view use;  // empty: dlview does not use it
};

constexpr std::string_view kTimeline = "Timeline, causes of idle time";

constexpr auto kKnown = std::to_array<KnownTable>({
    {kTables.kernels, "Kernels", "all views"},
    {kTables.memcpys, "Memcpys", "all views"},
    {kTables.memsets, "Memsets", "all views"},
    {kTables.graph_launches, "CUDA graphs traced as a whole", "all views"},
    {kTables.syncs, "Synchronizations", "all views"},
    {kTables.api_calls, "CUDA API calls", "all views"},
    {kTables.ranges, "NVTX ranges and marks", "ops, iterations, Timeline"},
    {"SCHED_EVENTS", "Thread states", kTimeline},
    {"COMPOSITE_EVENTS", "CPU samples", kTimeline},
    {"SAMPLING_CALLCHAINS", "Call stacks of CPU samples", kTimeline},
    {"OSRT_API", "OS runtime calls", kTimeline},
    {"MPI_*", "MPI calls", "dlview stats"},
    {"GPU_METRICS", "GPU metrics", "Timeline, tables of GPU metrics"},
    {"GENERIC_EVENTS", "Generic events, such as GPU metrics", "GPU metrics, up to 2022"},
    {"CUDA_GPU_MEMORY_USAGE_EVENTS", "Allocations and frees of CUDA", "Memory"},
    {"DIAGNOSTIC_EVENT", "Profiler messages", "the list of warnings and errors"},
    {"OSRT_CALLCHAINS", "Call stacks of OS runtime calls", ""},
    {"OSRT_FILE_ACCESS_*", "File accesses", ""},
    {"CUDA_CALLCHAINS", "Call stacks of CUDA API calls", ""},
    {"CUDA_UM_*", "Page faults of unified memory", "dlview stats"},
    {"CUPTI_ACTIVITY_KIND_CUDA_EVENT", "CUDA events", ""},
    {"CUDA_GRAPH_*", "CUDA graph nodes and launches", ""},
    {"CUPTI_ACTIVITY_KIND_OVERHEAD", "Profiler overhead", ""},
    {"PROFILER_OVERHEAD", "Profiler overhead", ""},
    {"CUPTI_ACTIVITY_KIND_OPENACC_*", "OpenACC", ""},
    {"CUBLAS_EVENTS", "cuBLAS calls", ""},
    {"CUDNN_EVENTS", "cuDNN calls", ""},
    {"OPENMP_*", "OpenMP", ""},
    {"NVVIDEO_*", "Video decoding and encoding", ""},
    {"NET_*", "Network metrics", ""},
    {"GPU_CONTEXT_SWITCH_EVENTS", "GPU context switches", ""},
    {"FECS_EVENTS", "GPU context switches", ""},
});

// Names, ids and facts about the recording: no events.
constexpr auto kNoEvents = std::to_array<std::string_view>(
    {"ENUM_*", "TARGET_INFO_*", "META_DATA_*", "EXPORT_META_DATA", "StringIds", "ThreadNames",
     "PROCESSES", "ProcessStreams", "ANALYSIS_*", "UnwindMethodType", "NVTX_PAYLOAD_*", "sqlite_*",
     "NIC_ID_MAP", "SystemInfo", "EXPORT_*", "NVTX_*_SCHEMAS", "GENERIC_EVENT_*"});

bool matches(std::string_view name, std::string_view pattern) {
  if (!pattern.ends_with('*')) return name == pattern;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

base::Result<int64_t> count_rows(const sqlite::Database& database, const std::string& table) {
  const auto number = [&](const std::string& sql) -> base::Result<int64_t> {
    base::Result<sqlite::Statement> rows = database.prepare(sql);
    if (!rows) return rows.error();
    const int64_t value = rows->next() ? rows->integer(0) : 0;
    DLVIEW_TRY(rows->status());
    return value;
  };
  std::string quoted;
  for (const char c : table) quoted += c == '"' ? "\"\"" : std::string(1, c);
  const auto by_number =
      number(fmt::format("SELECT (SELECT rowid FROM \"{0}\" ORDER BY rowid DESC LIMIT 1) - "
                         "(SELECT rowid FROM \"{0}\" ORDER BY rowid LIMIT 1) + 1",
                         quoted));
  if (by_number && *by_number > kMostCounted) return *by_number;
  return number(fmt::format("SELECT count(*) FROM \"{}\"", quoted));
}

}  // namespace

base::Result<std::vector<RecordedTable>> list_tables(const sqlite::Database& database) {
  const base::Result<std::vector<std::string>> names = database.table_names();
  if (!names) return names.error();
  std::vector<std::pair<std::size_t, RecordedTable>> tables;
  for (const std::string& name : std::span(*names).first(std::min(kMostTables, names->size()))) {
    const auto is_name = [&](std::string_view pattern) { return matches(name, pattern); };
    if (std::ranges::any_of(kNoEvents, is_name)) continue;
    const base::Result<int64_t> rows = count_rows(database, name);
    if (!rows && database.progress().canceled()) return rows.error();
    // Nobody needs a table that cannot be read: those that are used were read before.
    if (!rows || *rows <= 0) continue;
    const auto known = std::ranges::find_if(kKnown, is_name, &KnownTable::name);
    RecordedTable table{name, "", *rows, ""};
    if (known != kKnown.end()) {
      table.what = known->what;
      table.use = known->use;
    }
    tables.emplace_back(static_cast<std::size_t>(known - kKnown.begin()), std::move(table));
  }
  std::ranges::stable_sort(tables, {}, [](const auto& entry) { return entry.first; });
  std::vector<RecordedTable> in_order;
  for (auto& [place, table] : tables) in_order.push_back(std::move(table));
  return in_order;
}

base::Status read_messages(Context& context, profile::Trace&) {
  constexpr const char* kTable = "DIAGNOSTIC_EVENT";
  constexpr const char* kColumns[] = {"severity", "text"};
  constexpr int64_t kWarning = 2, kError = 3;
  std::map<std::pair<bool, std::string>, std::size_t> known;
  std::vector<ProfilerMessage>& messages = context.builder.profiler_messages;
  const auto use = [&](const sqlite::Statement& row, int64_t number) {
    const int64_t severity = row.integer(0);
    if (severity != kWarning && severity != kError) return;
    const bool is_error = severity == kError;
    std::string text = context.texts.valid(kTable, number, row.text(1));
    const auto [entry, is_new] = known.try_emplace({is_error, text}, messages.size());
    if (!is_new) {
      ++messages[entry->second].count;
    } else if (messages.size() < kMostMessages) {
      messages.push_back({is_error, std::move(text), 1});
    } else {
      known.erase(entry);
    }
  };
  DLVIEW_TRY(for_each_row(context, kTable, kColumns, use));
  std::ranges::stable_sort(messages, std::ranges::greater(), &ProfilerMessage::is_error);
  return base::Success{};
}

}  // namespace dlview::import::nsys
