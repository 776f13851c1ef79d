// KernelNameIds: what kernels of a trace are called in the profile (docs/decisions.md 102).
#pragma once

#include <set>
#include <vector>

#include "base/untouched_vector.h"
#include "profile/builder.h"
#include "profile/trace.h"

namespace dlview::import::capture {

class KernelNameIds {
 public:
  // Kernels of `marked` processes, which DLProf's markers describe, keep their short names.
  KernelNameIds(const profile::Trace& trace, const std::set<profile::GlobalId>& marked,
                profile::ProfileBuilder& builder);

  // Of a row of TraceKernels; 0 = not recorded.
  profile::StringId of(profile::Row kernel) const { return ids_[of_kernel_[kernel]]; }

 private:
  base::UntouchedVector<uint32_t> of_kernel_;  // number of its names
  std::vector<profile::StringId> ids_;         // by that number
};

}  // namespace dlview::import::capture
