// The contents of an export: its tables of events, and the messages of the profiler.
#pragma once

#include <vector>

#include "base/result.h"
#include "import/nsys/tables.h"
#include "profile/profile.h"

namespace dlview::import::nsys {

// Tables of events that are not empty, those that dlview uses first.
base::Result<std::vector<profile::RecordedTable>> list_tables(const sqlite::Database& database);

// Warnings and errors of the profiler (DIAGNOSTIC_EVENT), into the builder.
base::Status read_messages(Context& context, profile::Trace& trace);

}  // namespace dlview::import::nsys
