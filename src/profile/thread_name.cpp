#include "profile/thread_name.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace dlview::profile {

ThreadNames names_of(const Trace& trace, const Thread& numbers) {
  ThreadNames names;
  const auto& processes = trace.processes;
  for (auto host = processes.begin(); host != processes.end();) {
    const auto next =
        std::upper_bound(host, processes.end(), host->host,
                         [](int64_t a, const TraceProcess& process) { return a < process.host; });
    const auto process = std::lower_bound(
        host, next, numbers.process_id,
        [](const TraceProcess& known, int64_t number) { return known.number < number; });
    host = next;
    if (process == next || process->number != numbers.process_id) continue;
    if (!process->name.empty()) names.process = process->name;
    const std::pair wanted(static_cast<Row>(process - processes.begin()), numbers.thread_id);
    const auto key = [](const TraceThread& thread) {
      return std::pair(Row{thread.process}, thread.number);
    };
    const auto thread = std::ranges::lower_bound(trace.threads, wanted, {}, key);
    if (thread == trace.threads.end() || key(*thread) != wanted) continue;
    if (!thread->name.empty()) names.thread = thread->name;
  }
  return names;
}

std::string short_thread_name(const Profile& profile, ThreadIndex thread) {
  const Thread& wanted = profile.threads[thread];
  if (profile.trace) {
    const std::string_view name = names_of(*profile.trace, wanted).thread;
    if (!name.empty()) return fmt::format("{} ({})", name, wanted.thread_id);
  }
  return fmt::format("thread {}", wanted.thread_id);
}

}  // namespace dlview::profile
