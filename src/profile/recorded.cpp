#include "profile/recorded.h"

#include <algorithm>

#include <fmt/format.h>

namespace dlview::profile {
namespace {

bool lacks(const Profile& profile, const NotRecorded& entry, Evidence evidence) {
  switch (evidence) {
    case Evidence::gpu_work:
      return entry.what == kNoGpuWork || entry.what == kNoGpuWorkAndCalls ||
             (entry.what == kNoKernels && profile.memory_ops.size() == 0);
    case Evidence::api_calls:
      return entry.what == kNoApiCalls || entry.what == kNoGpuWorkAndCalls;
    case Evidence::ranges:
      return entry.what == kNoRanges || entry.what == kNoOps;
    case Evidence::data_loader:
      return entry.what == kNoRanges || entry.what == kNoOps || entry.what == kNoDataLoader;
  }
  return false;
}

}  // namespace

std::string_view gpu_api(const Profile& profile) {
  const auto are_of = [&](Vendor vendor) {
    return std::ranges::all_of(profile.devices,
                               [&](const Device& device) { return device.vendor == vendor; });
  };
  if (are_of(Vendor::nvidia)) return "CUDA API";
  return are_of(Vendor::amd) ? "HIP API" : "GPU API";
}

const NotRecorded* find_lack(const Profile& profile, Evidence evidence) {
  const auto entry = std::ranges::find_if(profile.not_recorded, [&](const NotRecorded& each) {
    return lacks(profile, each, evidence);
  });
  return entry == profile.not_recorded.end() ? nullptr : &*entry;
}

std::string file_damage(const Profile& profile) {
  for (const QualityNote& note : profile.quality) {
    if (note.reason != kTruncated && note.reason != kDamagedGzip) continue;
    return fmt::format("T{}: {}. Copy it again; the transfer or the capture may have failed.",
                       note.reason.substr(1), note.first_example);
  }
  return "";
}

bool is_recomputed(const Profile& profile, OpIndex op) {
  return profile.text(profile.ops.name[op]).ends_with(kRecomputed);
}

}  // namespace dlview::profile
