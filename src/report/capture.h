// Texts about the capture of a file; empty = not recorded.
#pragma once

#include <string>

#include "profile/profile.h"

namespace dlview::report {

// "2026-05-26 09:18:46 UTC"
std::string recording_time(const profile::Trace& trace);

// As DLProf stored it, else of the GPUs that are known: "2".
std::string gpu_count(const profile::Profile& profile);

// The driver's version and what it is: "GPU driver version" with "535.129.03". A PyTorch trace has
// the newest version of CUDA or HIP that the driver supports: "Driver CUDA version" with "12.8".
struct NamedVersion {
  const char* title = "";
  std::string version;
};
NamedVersion driver_version(const profile::Profile& profile);
// "CUDA version" with "12.4", or "HIP version" of AMD.
NamedVersion runtime_version(const profile::Profile& profile);

// The processes that did something, with their ids: "2: python (70), python (80)".
std::string process_names(const profile::Profile& profile);

}  // namespace dlview::report
