#include "aggregate/limits/residency.h"

#include <algorithm>
#include <array>
#include <utility>

#include "profile/launch_attributes.h"
#include "profile/launch_sizes.h"

namespace dlview::aggregate {
namespace {

constexpr int64_t kWarp = 32, kRegistersPerSm = 65'536, kRegisterUnit = 256;

struct SmLimits {
  profile::ComputeCapability capability;
  int64_t warps = 0, blocks = 0, shared_bytes = 0, reserved_bytes = 0;  // the last for each block
};
constexpr std::array<SmLimits, 8> kSmLimits{{{{7, 0}, 64, 32, 98'304, 0},
                                             {{7, 5}, 32, 16, 65'536, 0},
                                             {{8, 0}, 64, 32, 167'936, 1024},
                                             {{8, 6}, 48, 16, 102'400, 1024},
                                             {{8, 9}, 48, 24, 102'400, 1024},
                                             {{9, 0}, 64, 32, 233'472, 1024},
                                             {{10, 0}, 64, 32, 233'472, 1024},
                                             {{12, 0}, 48, 24, 102'400, 1024}}};

constexpr int64_t round_up(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

std::optional<Residency> residency_of(const profile::Device& device, const LaunchNeeds& needs) {
  const auto sm = std::ranges::find(kSmLimits, device.compute_capability(), &SmLimits::capability);
  const bool is_known = device.vendor == profile::Vendor::nvidia && sm != kSmLimits.end();
  constexpr int64_t kMost = 1 << 30;  // of anything that a launch can need
  if (!is_known || needs.threads <= 0 || !needs.registers_per_thread) return std::nullopt;
  if (needs.threads > kMost || *needs.registers_per_thread > kMost ||
      needs.shared_bytes.value_or(0) > kMost) {
    return std::nullopt;
  }
  const int64_t warps = (needs.threads + kWarp - 1) / kWarp;
  std::array<std::pair<int64_t, std::string_view>, 4> limits{{{sm->warps / warps, "warps"},
                                                              {sm->blocks, "blocks"},
                                                              {INT64_MAX, "registers"},
                                                              {INT64_MAX, "shared memory"}}};
  if (const int64_t registers = *needs.registers_per_thread; registers > 0) {
    const int64_t of_warp = round_up(registers * kWarp, kRegisterUnit);
    limits[2].first = kRegistersPerSm / of_warp / warps;
  }
  if (const int64_t bytes = needs.shared_bytes.value_or(0); bytes > 0) {
    limits[3].first = sm->shared_bytes / (bytes + sm->reserved_bytes);
  }
  const auto least =
      std::ranges::min_element(limits, {}, [](const auto& limit) { return limit.first; });
  if (least->first <= 0) return std::nullopt;
  return Residency{least->first,
                   100 * static_cast<double>(least->first * warps) / static_cast<double>(sm->warps),
                   least->second};
}

std::optional<Residency> residency_of(const profile::Profile& profile,
                                      profile::KernelIndex kernel) {
  if (!profile::has_launch_size(profile, kernel)) return std::nullopt;
  const profile::Dim3& block = profile.launches.block[profile.kernels.launch[kernel]];
  const profile::LaunchAttributes attributes = profile::launch_attributes(profile, kernel);
  return residency_of(profile.devices[profile.device_of_kernel(kernel)],
                      {int64_t{block.x} * block.y * block.z, attributes.registers_per_thread,
                       attributes.shared_bytes});
}

std::optional<GridWaves> grid_waves(int64_t blocks, int64_t sm_count, int64_t blocks_per_sm) {
  if (blocks <= 0 || sm_count <= 0 || blocks_per_sm <= 0) return std::nullopt;
  const int64_t fullest = (blocks + sm_count - 1) / sm_count;
  const int64_t slots = sm_count * std::min(blocks_per_sm, fullest);
  GridWaves result;
  result.waves = static_cast<double>(blocks) / static_cast<double>(slots);
  result.whole = (blocks + slots - 1) / slots;
  result.last_percent = 100 * (result.waves - static_cast<double>(result.whole - 1));
  result.lost_percent =
      100 * (1 - static_cast<double>(blocks) / static_cast<double>(sm_count * fullest));
  return result;
}

}  // namespace dlview::aggregate
