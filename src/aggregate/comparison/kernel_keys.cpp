#include "aggregate/comparison/kernel_keys.h"

#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "aggregate/comparison/matching_names.h"
#include "profile/kernel_labels.h"

namespace dlview::aggregate {
namespace {

using profile::Profile;
using profile::StringId;

// By name; those with several identities are added to `ambiguous`.
std::map<StringId, std::string> identities_of(const Profile& profile,
                                              std::set<std::string, std::less<>>& ambiguous) {
  std::set<std::pair<StringId, StringId>> pairs;
  std::pair<StringId, StringId> last{UINT32_MAX, UINT32_MAX};
  for (profile::KernelIndex kernel{0}; kernel < profile.kernels.size(); ++kernel) {
    const std::pair pair{profile.kernels.name[kernel], profile.kernels.long_name[kernel]};
    if (pair != last) pairs.insert(last = pair);
  }
  std::map<StringId, std::string> identities;
  for (const auto& [name, long_name] : pairs) {
    const std::string identity =
        profile::kernel_identity({profile.text(name), profile.text(long_name)});
    const auto [entry, is_new] = identities.emplace(name, identity);
    if (!is_new && entry->second != identity) ambiguous.emplace(profile.text(name));
  }
  for (profile::MemoryOpIndex i{0}; i < profile.memory_ops.size(); ++i) {
    const StringId name = profile.memory_ops.name[i];
    identities.try_emplace(name, profile.text(name));
  }
  return identities;
}

}  // namespace

KernelKeys::KernelKeys(const Profile& before, const Profile& after) {
  std::set<std::string, std::less<>> ambiguous;
  const std::map<StringId, std::string> identities_before = identities_of(before, ambiguous),
                                        identities_after = identities_of(after, ambiguous);
  std::map<std::string, uint32_t> keys;
  const auto number = [&](const Profile& profile, const std::map<StringId, std::string>& identities,
                          Keys& numbers) {
    for (const auto& [id, identity] : identities) {
      const std::string_view text = profile.text(id);
      const auto [entry, is_new] =
          keys.try_emplace(ambiguous.contains(text) ? std::string(text) : identity,
                           static_cast<uint32_t>(names_.size()));
      if (is_new) names_.emplace_back();
      std::string& name = names_[entry->second];
      if (text.size() > name.size()) name = text;
      numbers[id] = entry->second;
    }
  };
  number(before, identities_before, before_);
  number(after, identities_after, after_);
  std::map<std::string_view, int> uses;
  for (const std::string& name : names_) ++uses[name];
  std::vector<std::string> names = names_;
  for (const auto& [identity, key] : keys) {
    if (uses.at(names_[key]) > 1) names[key] = identity;
  }
  names_ = std::move(names);
  for (const std::string& name : names_) families_.push_back(kernel_family(name));
}

}  // namespace dlview::aggregate
