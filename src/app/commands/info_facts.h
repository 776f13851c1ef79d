// What `info` tells of a profile.
#pragma once

#include "aggregate/key_ops.h"
#include "aggregate/selection.h"
#include "app/commands/facts.h"

namespace dlview::app {

// Of the profile that is ranked. Refers to the ranking, which must outlive it.
Info info_of(const aggregate::KeyRanking& ranking, const aggregate::Selection& selection);

}  // namespace dlview::app
