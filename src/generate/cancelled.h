// The one Error of a job that was cancelled.
#pragma once

#include "base/result.h"

namespace dlview::generate {

inline base::Error cancelled() {
  return {"Canceled", "the incomplete database was removed", "Start again"};
}

}  // namespace dlview::generate
