// Facts in an export about itself, the machine and the session. From the environment variables in
// an export, only those named here are read: others may contain secrets.
#pragma once

#include "base/result.h"
#include "import/nsys/tables.h"

namespace dlview::import::nsys {

// Fills the builder's source and system facts, context.origin_ns, and of the trace the length and
// the start of the session.
base::Status read_facts(Context& context, profile::Trace& trace);

}  // namespace dlview::import::nsys
