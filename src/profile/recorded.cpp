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

const NotRecorded* find_lack(const Profile& profile, Evidence evidence) {
  const auto entry = std::ranges::find_if(profile.not_recorded, [&](const NotRecorded& each) {
    return lacks(profile, each, evidence);
  });
  return entry == profile.not_recorded.end() ? nullptr : &*entry;
}

}  // namespace dlview::profile
