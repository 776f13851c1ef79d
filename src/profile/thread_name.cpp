#include "profile/thread_name.h"

#include <fmt/format.h>

namespace dlview::profile {

std::string short_thread_name(const Profile& profile, Row thread) {
  const Thread& wanted = profile.threads[thread];
  if (profile.trace) {
    for (const TraceThread& known : profile.trace->threads) {
      const bool is_it = known.number == wanted.thread_id &&
                         profile.trace->processes[known.process].number == wanted.process_id;
      if (is_it && !known.name.empty()) {
        return fmt::format("{} ({})", known.name, wanted.thread_id);
      }
    }
  }
  return fmt::format("thread {}", wanted.thread_id);
}

}  // namespace dlview::profile
