// KernelKeys: what kernels of two runs are matched by. The name of a kernel depends on what other
// kernels its run has ("elementwise_kernel", "elementwise<add>"), its identity does not
// (profile/kernel_labels.h).
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "profile/profile.h"

namespace dlview::aggregate {

class KernelKeys {
 public:
  // Names that stand for several identities in one of the runs, as in DLProf databases, are keys
  // themselves.
  KernelKeys(const profile::Profile& before, const profile::Profile& after);

  // Of a name in Profile::kernels.
  const std::string& before(profile::StringId name) const { return before_.at(name); }
  const std::string& after(profile::StringId name) const { return after_.at(name); }
  // The name in the run where it tells more, else the key where another key has that name.
  const std::string& name_of(const std::string& key) const { return names_.at(key); }

 private:
  using Keys = std::map<profile::StringId, std::string>;
  void add_names(const profile::Profile& profile, const Keys& keys);

  Keys before_, after_;
  std::map<std::string, std::string> names_;  // by key
};

}  // namespace dlview::aggregate
