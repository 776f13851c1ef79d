// The error of a file that was not written to its end.
#pragma once

#include "base/result.h"

namespace dlview::report {

inline base::Error export_cancelled() {
  return {"Cancelled", "The file was not finished and is removed", "Start again to write it."};
}

}  // namespace dlview::report
