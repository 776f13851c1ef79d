// The one Error of a job that was cancelled.
#pragma once

#include "base/result.h"

namespace dlview::generate {

inline base::Error cancelled() {
  return {"Cancelled", "The database was not finished and is removed", "Start again to write it."};
}

}  // namespace dlview::generate
