// The demo run of a given size, as a profile in memory, as a DLProf database and as an export on
// disk; each is made once per process.
#pragma once

#include <filesystem>
#include <memory>

#include "profile/profile.h"

namespace dlview::bench {

struct RunSize {
  int64_t iterations = 1000;
  int64_t kernels = 1'000'000;
  int gpus = 2;
  int64_t kernels_per_op = 0;  // as generate::DemoOptions has it
  auto operator<=>(const RunSize&) const = default;
};

std::shared_ptr<const profile::Profile> demo_profile(const RunSize& size);

// In a folder of the system's temporary one; removed at exit.
std::filesystem::path demo_database(const RunSize& size);
// Of Nsight Systems; the same.
std::filesystem::path demo_export(const RunSize& size);

}  // namespace dlview::bench
