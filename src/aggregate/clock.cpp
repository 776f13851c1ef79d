#include "aggregate/clock.h"

namespace dlview::aggregate {

bool has_several_processes(const profile::Profile& profile) {
  const auto& threads = profile.instances.thread;
  return std::any_of(threads.begin(), threads.end(), [&](profile::Row thread) {
    return profile.threads[thread].process_id != profile.threads[threads[0]].process_id;
  });
}

}  // namespace dlview::aggregate
