// Checks whether a profile has the value of a filter, with advice if not.
#pragma once

#include <string_view>

#include "aggregate/filter.h"
#include "base/result.h"
#include "profile/profile.h"

namespace dlview::workspace {

// "op_type=conv2d", as --only takes it.
base::Result<aggregate::Filter> parse_only(std::string_view text);

// Fails for an op, type, group, direction, kernel or GPU that is not in the profile, and for a time
// after its end.
base::Status check_filter(const profile::Profile& profile, const aggregate::Filter& filter);

}  // namespace dlview::workspace
