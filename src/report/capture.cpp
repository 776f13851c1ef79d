#include "report/capture.h"

#include <algorithm>
#include <ctime>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/ranges.h>

#include "profile/recorded.h"

namespace dlview::report {

std::string recording_time(const profile::Trace& trace) {
  if (!trace.utc_start_ns) return "";
  const std::time_t seconds = *trace.utc_start_ns / 1'000'000'000;
  std::tm parts{};
  if (gmtime_r(&seconds, &parts) == nullptr) return "";
  char text[64];
  const std::size_t size = std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts);
  return {text, size};
}

std::string gpu_count(const profile::Profile& profile) {
  if (!profile.system.gpu_count.empty()) return profile.system.gpu_count;
  return profile.devices.empty() ? "" : std::to_string(profile.devices.size());
}

NamedVersion runtime_version(const profile::Profile& profile) {
  constexpr std::string_view kHip = "HIP ";
  const std::string& stored = profile.system.cuda_version;
  if (stored.starts_with(kHip)) return {"HIP version", stored.substr(kHip.size())};
  return {"CUDA version", stored};
}

NamedVersion driver_version(const profile::Profile& profile) {
  constexpr std::string_view kCuda = "CUDA ", kHip = "HIP ";
  const std::string& stored = profile.system.driver_version;
  if (profile::is_pytorch_trace(profile)) {
    if (stored.starts_with(kCuda)) return {"Driver CUDA version", stored.substr(kCuda.size())};
    if (stored.starts_with(kHip)) return {"Driver HIP version", stored.substr(kHip.size())};
  }
  return {"GPU driver version", stored};
}

std::string process_names(const profile::Profile& profile) {
  if (!profile.trace) return "";
  std::set<int64_t> ids;
  for (const profile::Thread& thread : profile.threads) ids.insert(thread.process_id);
  const auto& processes = profile.trace->processes;
  std::vector<std::string> names;
  for (const int64_t id : ids) {
    const auto named = std::ranges::find_if(processes, [id](const auto& process) {
      return process.number == id && !process.name.empty();
    });
    names.push_back(named == processes.end() ? std::to_string(id)
                                             : fmt::format("{} ({})", named->name, id));
  }
  return names.empty() ? "" : fmt::format("{}: {}", names.size(), fmt::join(names, ", "));
}

}  // namespace dlview::report
