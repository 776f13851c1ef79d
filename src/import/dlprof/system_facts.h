// DLProf's facts about the machine, the software and the command of the run.
#pragma once

#include "base/result.h"
#include "import/dlprof/recognize.h"
#include "import/dlprof/tables.h"

namespace dlview::import::dlprof {

// Fills context.builder.system. An Error when the database holds no legal configuration.
base::Status read_system_facts(Context& context, const Versions& versions);

}  // namespace dlview::import::dlprof
