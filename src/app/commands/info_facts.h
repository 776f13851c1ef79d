// What `info` tells of a profile.
#pragma once

#include "aggregate/selection.h"
#include "app/commands/facts.h"
#include "profile/profile.h"

namespace dlview::app {

// Refers to the profile, which must outlive it.
Info info_of(const profile::Profile& profile, const aggregate::Selection& selection);

}  // namespace dlview::app
