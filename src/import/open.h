// The front door for files: looks at the content, not at the name, and returns a Profile or an
// Error that says what is wrong and what to do. Never writes to the user's file or folder.
#pragma once

#include <filesystem>

#include "base/progress.h"
#include "base/result.h"
#include "profile/profile.h"

namespace dlview::import {

// Safe to call on any thread; `progress` may be watched and cancelled from another one. A cancelled
// job returns an Error titled "Cancelled".
base::Result<profile::Profile> open_profile(const std::filesystem::path& path,
                                            base::Progress& progress);

}  // namespace dlview::import
