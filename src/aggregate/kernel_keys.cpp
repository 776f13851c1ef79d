#include "aggregate/kernel_keys.h"

#include <cstdint>
#include <set>
#include <utility>

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
  for (profile::Row kernel = 0; kernel < profile.kernels.size(); ++kernel) {
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
  return identities;
}

}  // namespace

KernelKeys::KernelKeys(const Profile& before, const Profile& after) {
  std::set<std::string, std::less<>> ambiguous;
  before_ = identities_of(before, ambiguous);
  after_ = identities_of(after, ambiguous);
  const auto settle = [&ambiguous](const Profile& profile, Keys& keys) {
    for (auto& [name, key] : keys) {
      if (ambiguous.contains(profile.text(name))) key = profile.text(name);
    }
  };
  settle(before, before_);
  settle(after, after_);
  add_names(before, before_);
  add_names(after, after_);
  std::map<std::string, int> uses;
  for (const auto& [key, name] : names_) ++uses[name];
  for (auto& [key, name] : names_) {
    if (uses.at(name) > 1) name = key;
  }
}

void KernelKeys::add_names(const Profile& profile, const Keys& keys) {
  for (const auto& [id, key] : keys) {
    std::string& name = names_[key];
    if (profile.text(id).size() > name.size()) name = profile.text(id);
  }
}

}  // namespace dlview::aggregate
