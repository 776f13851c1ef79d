// The one Error of a job that was canceled.
#pragma once

#include "base/result.h"

namespace dlview::generate {

inline base::Error canceled() {
  return {"Canceled", "the incomplete database was removed", "Start again"};
}

}  // namespace dlview::generate
