// The GPUs of the machine, whether the run used them or not.
#pragma once

#include "base/result.h"
#include "import/dlprof/id_map.h"
#include "import/dlprof/tables.h"
#include "profile/profile.h"

namespace dlview::import::dlprof {

using DeviceRows = IdMap<profile::Row>;  // by device_id, the CUDA ordinal

// Adds all devices to the builder in order of device_id.
base::Status read_devices(Context& context, DeviceRows& devices);

}  // namespace dlview::import::dlprof
