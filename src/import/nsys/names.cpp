#include "import/nsys/names.h"

#include <optional>
#include <string>

#include <fmt/format.h>

namespace dlview::import::nsys {
namespace {

constexpr const char* kProcesses = "PROCESSES";
constexpr const char* kThreads = "ThreadNames";

base::Status read_processes(Context& context) {
  constexpr const char* kColumns[] = {"globalPid", "name"};
  return for_each_row(
      context, kProcesses, kColumns, [&](const sqlite::Statement& row, int64_t number) {
        if (!row.is_integer(0)) {
          context.quality.add(kProcesses, "unknown process", number,
                              [&] { return fmt::format("globalPid is {}", row.text(0)); });
          return;
        }
        std::string& name = context.known_threads.processes[global_process(row.integer(0))];
        if (name.empty()) name = context.texts.valid(kProcesses, number, row.text(1));
      });
}

base::Status read_threads(Context& context) {
  constexpr const char* kColumns[] = {"globalTid", "nameId", "priority"};
  return for_each_row(
      context, kThreads, kColumns, [&](const sqlite::Statement& row, int64_t number) {
        const std::optional<profile::StringId> name =
            row.is_integer(1) ? context.texts.find(row.integer(1)) : std::nullopt;
        if (!row.is_integer(0) || !name) {
          context.quality.add(kThreads, "unknown thread", number, [&] {
            return fmt::format("globalTid is {}, nameId is {}", row.text(0), row.text(1));
          });
          return;
        }
        const auto thread = context.known_threads.threads.try_emplace(row.integer(0)).first;
        if (thread->second.name.empty()) thread->second.name = context.builder.text(*name);
        if (row.is_integer(2)) thread->second.priority = row.integer(2);
      });
}

}  // namespace

base::Status read_names(Context& context, profile::Trace& /*trace*/) {
  context.progress.begin_stage("Reading names");
  base::Status status = read_processes(context);
  return status ? read_threads(context) : status;
}

}  // namespace dlview::import::nsys
