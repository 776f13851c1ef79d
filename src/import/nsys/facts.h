// What an export tells about itself, the machine and the session. Of the environment that Nsight
// Systems records only the facts named here are read: variables may hold secrets.
#pragma once

#include "base/result.h"
#include "import/nsys/tables.h"

namespace dlview::import::nsys {

// Fills the builder's source and system facts, context.origin_ns, and of the trace the length and
// the start of the session.
base::Status read_facts(Context& context, profile::Trace& trace);

}  // namespace dlview::import::nsys
