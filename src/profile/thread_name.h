// How a thread is called in a sentence.
#pragma once

#include <string>

#include "profile/profile.h"

namespace dlview::profile {

// "pt_autograd_0 (4082)" where the capture has its name, else "thread 4082".
std::string short_thread_name(const Profile& profile, Row thread);

}  // namespace dlview::profile
