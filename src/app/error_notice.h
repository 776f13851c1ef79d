// An error as a notice of the window.
#pragma once

#include <string>

#include "base/result.h"

namespace dlview::app {

// "title: detail. advice" on one line.
std::string error_notice(const base::Error& error);

}  // namespace dlview::app
