// Exports of Nsight Systems in the schemas of three years: any profile, or the demo run of demo.h.
// Facts that a profile does not have are made up (streams, registers) or left out. A file appears
// under its name only when it is complete.
//
// For a PyTorch run on one GPU, the importer returns the same rows as for its DLProf database. On
// several GPUs of one process, the position in the step distinguishes an op that each of them runs;
// in the database they share it.
#pragma once

#include <filesystem>
#include <string>

#include "base/progress.h"
#include "base/result.h"
#include "generate/demo.h"
#include "generate/target.h"
#include "profile/profile.h"

namespace dlview::generate {

// As written by Nsight Systems 2021.3, 2023.1 and 2026.2. Later ones have more: 2023 the processes,
// the length of the session and mangled kernel names, 2026 the GPU of a process's ordinal.
enum class NsysSchema { v2021, v2023, v2026 };

// What Nsight Systems records only if asked to.
struct NsysExtras {
  int64_t metric_period_ns = 0;  // between samples of GPU metrics; 0 = not sampled
  bool memory_usage = false;     // allocations and frees
};

// Each instance of `key_op`, an op id or name, begins an NVTX range "step 1", "step 2", ...
base::Status write_nsys_export(const profile::Profile& profile, const std::string& key_op,
                               NsysSchema schema, const std::filesystem::path& path,
                               base::Progress& progress, IfExists if_exists = IfExists::fail,
                               const NsysExtras& extras = {});

base::Status generate_nsys(const std::filesystem::path& path, const DemoOptions& options,
                           NsysSchema schema, base::Progress& progress,
                           IfExists if_exists = IfExists::fail, const NsysExtras& extras = {},
                           DemoTruth* truth = nullptr);

}  // namespace dlview::generate
