// The grid and block sizes that kernels refer to.
#pragma once

#include "base/result.h"
#include "import/dlprof/tables.h"
#include "import/id_map.h"
#include "profile/profile.h"

namespace dlview::import::dlprof {

// The name of what a profile without them lacks.
inline constexpr const char* kLaunchSizes = "Grid and block sizes of kernels";
inline constexpr profile::Dim3 kUnknownDims{0, 0, 0};  // no kernel can have it

class LaunchDims {
 public:
  base::Status read(Context& context);

  // Returns kUnknownDims if not recorded; notes a dangling id.
  profile::Dim3 find(const TableSpec& table, const sqlite::TableRows& row, int column,
                     QualityLog& notes) const;

 private:
  IdMap<profile::Dim3> dims_;
  bool is_recorded_ = false;
};

}  // namespace dlview::import::dlprof
