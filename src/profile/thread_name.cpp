#include "profile/thread_name.h"

#include <fmt/format.h>

namespace dlview::profile {

std::string short_thread_name(const Profile& profile, Row thread) {
  const Thread& wanted = profile.threads[thread];
  if (profile.trace) {
    for (const TraceThread& known : profile.trace->threads) {
      if (process_id_of(known.id) == wanted.process_id &&
          thread_id_of(known.id) == wanted.thread_id && !known.name.empty()) {
        return fmt::format("{} ({})", known.name, wanted.thread_id);
      }
    }
  }
  return fmt::format("thread {}", wanted.thread_id);
}

}  // namespace dlview::profile
