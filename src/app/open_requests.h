// The ways to open a profile: a file of the user's, or the demo.
#pragma once

#include <string>

#include "app/commands/common.h"
#include "app/engine.h"
#include "app/session.h"

namespace dlview::app {

OpenRequest file_request(const std::string& path, const SelectionRequest& selection,
                         EngineChoice engine);

// Generates the demo into the cache folder unless it is there already, and opens it.
OpenRequest demo_request(const SelectionRequest& selection, EngineChoice engine);

}  // namespace dlview::app
