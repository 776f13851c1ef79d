// NvtxDomainNames: finds what an NVTX domain is called.
#pragma once

#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "profile/trace.h"

namespace dlview::profile {

class NvtxDomainNames {
 public:
  // `domains` must outlive the object.
  explicit NvtxDomainNames(const std::vector<NvtxDomain>& domains) {
    for (const NvtxDomain& domain : domains) {
      names_.emplace(std::pair(domain.process, domain.id), domain.name);
    }
  }

  // Empty for a domain without a name.
  std::string_view find(ThreadId process, int64_t id) const {
    const auto found = names_.find({process, id});
    return found == names_.end() ? std::string_view() : found->second;
  }

 private:
  std::map<std::pair<ThreadId, int64_t>, std::string_view> names_;
};

}  // namespace dlview::profile
