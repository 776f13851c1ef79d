// The GPUs of the machine as the exporters of all years list them.
#pragma once

#include "base/result.h"
#include "import/nsys/tables.h"

namespace dlview::import::nsys {

// Fills trace.gpus and trace.cuda_devices from TARGET_INFO_GPU and TARGET_INFO_CUDA_DEVICE, or from
// TARGET_INFO_CUDA_GPU, which stood for both until 2020.
base::Status read_gpus(Context& context, profile::Trace& trace);

}  // namespace dlview::import::nsys
