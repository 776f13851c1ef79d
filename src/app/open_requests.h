// The ways to open a profile: a file of the user's, or the demo.
#pragma once

#include <string>

#include "app/commands/common.h"
#include "app/engine.h"
#include "app/file_memory.h"
#include "app/session.h"

namespace dlview::app {

// Whether a range beyond the iterations of the file is an error, or opens all of them with a
// notice.
enum class RangeBeyondEnd { is_error, opens_all };

OpenRequest file_request(const std::string& path, const SelectionRequest& selection,
                         EngineChoice engine, RangeBeyondEnd beyond = RangeBeyondEnd::is_error);

// Makes the request one for what was looked at; where that cannot be any more, as the file opens
// otherwise.
void look_as_left(const SelectionRequest& left, OpenRequest& request);

// The same with what the file was looked at like the last time; where that cannot be any more, as
// it opens otherwise.
OpenRequest remembered_request(const std::string& path, const SelectionRequest& remembered,
                               EngineChoice engine);

// Returns remembered_request() with the view, range and filters that `memory` has for the file.
OpenRequest request_as_left(const std::string& path, const FileMemory& memory, bool use_cache,
                            EngineChoice engine);

// Generates the demo into the cache folder unless it is there already, and opens it.
OpenRequest demo_request(const SelectionRequest& selection, EngineChoice engine,
                         RangeBeyondEnd beyond = RangeBeyondEnd::is_error);

}  // namespace dlview::app
