// Names of processes and threads.
#pragma once

#include <string>
#include <string_view>

#include "profile/profile.h"

namespace dlview::profile {

// By their numbers, of the last host that has such a name; empty if not recorded. Binary searches.
struct ThreadNames {
  std::string_view process, thread;
};
ThreadNames names_of(const Trace& trace, const Thread& numbers);

// "pt_autograd_0 (4082)" where the capture has its name, else "thread 4082".
std::string short_thread_name(const Profile& profile, ThreadIndex thread);

}  // namespace dlview::profile
