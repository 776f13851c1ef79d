// The demo run of a given size, as a profile in memory, as a DLProf database and as an export on
// disk; each is made once per process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "generate/limits.h"
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
// Of the PyTorch profiler, with Python frames, shapes, memory events and, of several GPUs,
// collectives; the same.
std::filesystem::path demo_trace(const RunSize& size);
// A trace of the PyTorch profiler of about so many bytes of JSON; the same. The name tells what it
// holds: those that begin with "stacks" have Python frames, others shapes; ".gz" packs them.
std::filesystem::path demo_trace(const std::string& name, int64_t bytes);

// Of Nsight Compute, on the page raw or details; the same.
std::filesystem::path demo_counters(int64_t launches, int64_t metrics, generate::CsvPage page);

}  // namespace dlview::bench
