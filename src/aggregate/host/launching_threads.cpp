#include "aggregate/host/launching_threads.h"

#include <cstdint>
#include <map>

namespace dlview::aggregate {

using profile::Profile;
using profile::Row;

std::vector<bool> launching_threads(const Profile& profile) {
  constexpr int64_t kLeastShare = 10;
  std::vector<int64_t> of_thread(profile.threads.size());
  for (const Row launch : profile.kernels.launch) ++of_thread[profile.launches.thread[launch]];
  std::map<int64_t, int64_t> of_process;
  for (std::size_t i = 0; i < of_thread.size(); ++i) {
    of_process[profile.threads[i].process_id] += of_thread[i];
  }
  std::vector<bool> launches(of_thread.size());
  for (std::size_t i = 0; i < of_thread.size(); ++i) {
    const profile::Thread& thread = profile.threads[i];
    const int64_t all = of_process[thread.process_id];
    launches[i] = kLeastShare * of_thread[i] >= all || thread.thread_id == thread.process_id;
  }
  return launches;
}

}  // namespace dlview::aggregate
