#include "aggregate/self_time.h"

#include <algorithm>
#include <string_view>

#include "profile/nesting.h"

namespace dlview::aggregate {
namespace {

constexpr std::string_view kSelfTimeSuffix = " (self time)";

}  // namespace

bool is_self_time(const profile::Profile& profile, const GroupTree& tree, profile::OpIndex op) {
  const profile::Row group = tree.group_of_op[op];
  std::string_view name = profile.text(profile.ops.name[op]);
  if (group == profile::kNoRow || !name.ends_with(kSelfTimeSuffix)) return false;
  name = profile::last_name(profile, name);
  return name.substr(0, name.size() - kSelfTimeSuffix.size()) == last_name(profile, tree, group);
}

bool has_self_times(const profile::Profile& profile) {
  return std::ranges::any_of(profile.ops.name, [&](profile::StringId name) {
    return profile.text(name).ends_with(kSelfTimeSuffix);
  });
}

}  // namespace dlview::aggregate
