#include "profile/recorded.h"

#include <algorithm>

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

}  // namespace dlview::profile
