// The demo, as a profile to open.
#pragma once

#include "workspace/open_request.h"

namespace dlview::app {

// Generates the demo into the cache folder unless it is there already, and opens it.
workspace::OpenRequest demo_request(
    const workspace::SelectionRequest& selection, workspace::EngineChoice engine,
    workspace::RangeBeyondEnd beyond = workspace::RangeBeyondEnd::is_error);

}  // namespace dlview::app
