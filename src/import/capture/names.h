// The names that API calls and kernels of a trace have in the profile.
#pragma once

#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/untouched_vector.h"
#include "profile/builder.h"
#include "profile/trace.h"

namespace dlview::import::capture {

// Names of API calls in ops and events.
class CallNames {
 public:
  CallNames(const profile::Trace& trace, profile::ProfileBuilder& builder)
      : trace_(trace), builder_(builder) {}

  // Processes, described by DLProf's markers, whose calls are named as recorded; those of others
  // are named without the version.
  void keep_versions_in(std::set<profile::ThreadId> marked) { marked_ = std::move(marked); }

  // Returns the name of a row of TraceApiCalls; 0 = not recorded.
  profile::StringId find(profile::Row call);

 private:
  const profile::Trace& trace_;
  profile::ProfileBuilder& builder_;
  std::set<profile::ThreadId> marked_;
  std::unordered_map<profile::StringId, profile::StringId> plain_;  // by name with its version
};

// Names of kernels (docs/dev/spec.md 102).
class KernelNameIds {
 public:
  // Kernels of `marked` processes, which DLProf's markers describe, keep their short names.
  KernelNameIds(const profile::Trace& trace, const std::set<profile::ThreadId>& marked,
                profile::ProfileBuilder& builder);

  // Returns the name of a row of TraceKernels; 0 = not recorded.
  profile::StringId of(profile::Row kernel) const { return ids_[of_kernel_[kernel]]; }

 private:
  base::UntouchedVector<uint32_t> of_kernel_;  // number of its names
  std::vector<profile::StringId> ids_;         // by that number
};

}  // namespace dlview::import::capture
