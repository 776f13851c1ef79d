#include "import/nsys/names.h"

#include <map>
#include <string>

#include <fmt/format.h>

namespace dlview::import::nsys {
namespace {

constexpr const char* kProcesses = "PROCESSES";
constexpr const char* kThreads = "ThreadNames";

base::Status read_processes(Context& context, std::vector<profile::TraceProcess>& processes) {
  constexpr const char* kColumns[] = {"globalPid", "name"};
  return for_each_row(
      context, kProcesses, kColumns, [&](const sqlite::Statement& row, int64_t number) {
        if (!row.is_integer(0)) {
          context.quality.add(kProcesses, "it names no process", number,
                              [&] { return fmt::format("globalPid is {}", row.text(0)); });
          return;
        }
        processes.push_back({row.integer(0), context.texts.valid(kProcesses, number, row.text(1))});
      });
}

base::Status read_threads(Context& context, std::vector<profile::TraceThread>& threads) {
  std::map<profile::GlobalId, std::size_t> known;
  for (std::size_t i = 0; i < threads.size(); ++i) known.emplace(threads[i].id, i);
  constexpr const char* kColumns[] = {"globalTid", "nameId", "priority"};
  return for_each_row(
      context, kThreads, kColumns, [&](const sqlite::Statement& row, int64_t number) {
        const std::optional<profile::StringId> name =
            row.is_integer(1) ? context.texts.find(row.integer(1)) : std::nullopt;
        if (!row.is_integer(0) || !name) {
          context.quality.add(kThreads, "it names no thread", number, [&] {
            return fmt::format("globalTid is {}, nameId is {}", row.text(0), row.text(1));
          });
          return;
        }
        const auto [at, is_new] = known.try_emplace(row.integer(0), threads.size());
        if (is_new) threads.push_back({row.integer(0), std::string(context.builder.text(*name))});
        if (row.is_integer(2)) threads[at->second].priority = row.integer(2);
      });
}

}  // namespace

base::Status read_names(Context& context, profile::Trace& trace) {
  context.progress.begin_stage("Reading names");
  base::Status status = read_processes(context, trace.processes);
  return status ? read_threads(context, trace.threads) : status;
}

}  // namespace dlview::import::nsys
