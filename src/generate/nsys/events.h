// Kernels, copies, sets and synchronizations with the CUDA calls that caused them.
#pragma once

#include "generate/nsys/event_tables.h"

namespace dlview::generate::nsys {

void write_events(Export& out, const profile::Profile& profile, EventTables& tables);

}  // namespace dlview::generate::nsys
