// What --iteration, --time or a state string asks the Timeline to show must be there.
#pragma once

#include "app/session.h"
#include "base/result.h"
#include "timeline/request.h"

namespace dlview::app {

// Of an open file; a window of the run can be refused only once the lanes are known. The compared
// iterations must be there where they are to stand side by side.
base::Status check_timeline_request(const Session& session, const timeline::Request& request,
                                    const ui::IterationPair& compared);

}  // namespace dlview::app
