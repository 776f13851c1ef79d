// CallNames: what API calls are called in ops and events.
#pragma once

#include <set>
#include <unordered_map>
#include <utility>

#include "profile/builder.h"
#include "profile/trace.h"

namespace dlview::import::capture {

class CallNames {
 public:
  CallNames(const profile::Trace& trace, profile::ProfileBuilder& builder)
      : trace_(trace), builder_(builder) {}

  // Processes, described by DLProf's markers, whose calls are named as recorded; those of others
  // are named without the version.
  void keep_versions_in(std::set<profile::GlobalId> marked) { marked_ = std::move(marked); }

  // Of a row of TraceApiCalls; 0 = not recorded.
  profile::StringId find(profile::Row call);

 private:
  const profile::Trace& trace_;
  profile::ProfileBuilder& builder_;
  std::set<profile::GlobalId> marked_;
  std::unordered_map<profile::StringId, profile::StringId> plain_;  // by name with its version
};

}  // namespace dlview::import::capture
