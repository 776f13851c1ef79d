// What stands where a figure would, when the profile tells nothing of it.
#pragma once

#include <string>

#include "profile/recorded.h"

namespace dlview::ui {

inline constexpr const char* kUnknown = "–";

// "GPU work not recorded: nsys profile --trace=cuda,nvtx"; empty where it was recorded.
std::string lack_text(const profile::Profile& profile, profile::Evidence evidence);

}  // namespace dlview::ui
