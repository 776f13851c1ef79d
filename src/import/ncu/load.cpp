#include "import/ncu/load.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/stop_point.h"
#include "import/errors.h"
#include "import/ncu/file_kind.h"
#include "import/ncu/read_counters.h"
#include "import/ncu/report_file.h"
#include "import/sqlite/content.h"
#include "profile/builder.h"
#include "profile/recorded.h"

namespace dlview::import::ncu {
namespace {

namespace fs = std::filesystem;
using profile::CounterFile;
using profile::CounterLaunch;
using profile::CounterPage;
using profile::KernelCounters;

std::string_view page_name(CounterPage page) {
  switch (page) {
    case CounterPage::details:
      return "details";
    case CounterPage::raw:
      return "raw";
    case CounterPage::per_kernel:
    case CounterPage::per_gpu:
    case CounterPage::per_nvtx:
      break;
  }
  return "summary";
}

// The values of a launch that describe its GPU.
struct DeviceFacts {
  std::string_view name;
  std::optional<double> sm_count, memory_bytes;
};

class DeviceReader {
 public:
  explicit DeviceReader(const KernelCounters& counters) : counters_(counters) {
    for (const profile::CounterMetric& metric : counters.metrics) {
      kinds_.push_back(kind_of(metric.name));
    }
  }

  DeviceFacts facts_of(std::size_t launch) const {
    DeviceFacts facts;
    const std::size_t end = counters_.end_of_values(launch);
    for (std::size_t i = counters_.launches[launch].first_value; i < end; ++i) {
      const profile::CounterValue& value = counters_.values[i];
      const Kind kind = kinds_[value.metric];
      if (kind == Kind::name) facts.name = counters_.text(value.text);
      if (kind == Kind::sm_count && !std::isnan(value.value)) facts.sm_count = value.value;
      if (kind == Kind::memory && !std::isnan(value.value)) facts.memory_bytes = value.value;
    }
    return facts;
  }

 private:
  enum class Kind : uint8_t { none, name, sm_count, memory };
  static Kind kind_of(std::string_view name) {
    const auto has = [&](std::string_view metric) {
      return name.find(metric) != std::string_view::npos;
    };
    if (has("device__attribute_display_name")) return Kind::name;
    if (has("device__attribute_total_memory")) return Kind::memory;
    const bool is_sm_count =
        name == "# SMs" || has("launch__sm_count") || has("device__attribute_multiprocessor_count");
    return is_sm_count ? Kind::sm_count : Kind::none;
  }

  const KernelCounters& counters_;
  std::vector<Kind> kinds_;  // of the metrics
};

// No GPU has more: the value is damaged.
constexpr double kMostSms = 1e6, kMostMemoryBytes = 1e18;

bool is_between(const std::optional<double>& value, double least, double most) {
  return value && *value >= least && *value <= most;
}

void add_devices(const KernelCounters& counters, profile::ProfileBuilder& builder) {
  const DeviceReader reader(counters);
  // A number and a compute capability are one GPU: files may come from several machines.
  std::map<std::tuple<int64_t, int32_t, int32_t>, std::size_t> first;
  for (std::size_t i = 0; i < counters.launches.size(); ++i) {
    const CounterLaunch& launch = counters.launches[i];
    if (!launch.device && !launch.cc_major) continue;
    first.try_emplace(
        {launch.device.value_or(0), launch.cc_major.value_or(0), launch.cc_minor.value_or(0)}, i);
  }
  for (const auto& [key, launch] : first) {
    const DeviceFacts facts = reader.facts_of(launch);
    profile::Device device;
    device.source_id = device.device_id = std::get<0>(key);
    device.compute_capability_major = std::get<1>(key);
    device.compute_capability_minor = std::get<2>(key);
    device.name = facts.name.empty() ? fmt::format("GPU of compute capability {}.{}",
                                                   std::get<1>(key), std::get<2>(key))
                                     : std::string(facts.name);
    if (is_between(facts.sm_count, 1, kMostSms)) {
      device.sm_count = static_cast<int32_t>(*facts.sm_count);
    }
    if (is_between(facts.memory_bytes, 0, kMostMemoryBytes)) {
      device.memory_total_bytes = static_cast<int64_t>(*facts.memory_bytes);
    }
    builder.add_device(device);
  }
}

profile::Profile profile_of(KernelCounters counters, const fs::path& path, std::string format,
                            int64_t bytes) {
  profile::ProfileBuilder builder;
  add_devices(counters, builder);
  profile::Profile profile = std::move(builder).finish();
  profile.source = {path.string(), std::move(format), bytes, false};
  profile.system.profile_name = path.stem().string();
  profile.not_recorded.push_back(
      {"Ops, API calls and kernel times: an Nsight Compute file has only counters",
       "Open the profile of the same program with --ncu " + path.filename().string()});
  for (const CounterFile& file : counters.files) {
    if (!file.why_empty.empty()) {
      profile.not_recorded.push_back(
          {"Counters: " + file.why_empty, "Record again with permission to read GPU counters: " +
                                              std::string(profile::kCountCommand)});
    }
    for (const profile::CounterMessage& message : file.messages) {
      if (message.text.starts_with("==")) {
        profile.profiler_messages.push_back({message.is_error, message.text, 1});
      } else {
        profile.quality.push_back(
            {"counters", message.text, 1, fmt::format("line {}", message.line)});
      }
    }
  }
  profile.counters = std::make_shared<const KernelCounters>(std::move(counters));
  return profile;
}

}  // namespace

base::Result<profile::Profile> load_csv(const ByteSource& source, base::Progress& progress) {
  base::Result<KernelCounters> counters = read_counters(source, source.path(), progress);
  if (!counters) return counters.error();
  std::error_code ignored;
  const auto bytes = static_cast<int64_t>(fs::file_size(source.path(), ignored));
  std::string format = fmt::format("Nsight Compute {} CSV", page_name(counters->files[0].page));
  return profile_of(*std::move(counters), source.path(), std::move(format), bytes);
}

bool is_report_file(const ByteSource& source) {
  if (source.kind() != ByteSource::Kind::plain || !is_report(source.path())) return false;
  const std::string_view first = source.head().substr(0, sqlite::kFirstBytes);
  return first.empty() || !sqlite::is_text(first);
}

base::Result<profile::Profile> load_report(const ByteSource& source, base::Progress& progress) {
  const fs::path path = source.path();
  base::Result<KernelCounters> counters = read_counters(std::span(&path, 1), progress);
  if (!counters) return counters.error();
  std::error_code ignored;
  const auto bytes = static_cast<int64_t>(fs::file_size(path, ignored));
  return profile_of(*std::move(counters), path, "Nsight Compute report", bytes);
}

bool is_counter_file(const fs::path& path) {
  return is_report(path) || is_csv(ByteSource::read_head(path));
}

base::Status add_counters(profile::Profile& profile, std::span<const fs::path> files,
                          base::Progress& progress) {
  std::vector<fs::path> all;
  if (profile.counters) {
    for (const CounterFile& file : profile.counters->files) all.emplace_back(file.path);
  }
  const std::size_t known = all.size();
  for (const fs::path& path : files) {
    if (std::ranges::find(all, path) == all.end()) all.push_back(path);
  }
  if (all.size() == known) return base::Success{};
  const base::JobScope scope(&progress);
  try {
    base::Result<KernelCounters> counters = read_counters(all, progress);
    if (!counters) return progress.stop_reason().value_or(counters.error());
    profile.counters = std::make_shared<const KernelCounters>(*std::move(counters));
    return base::Success{};
  } catch (const base::Stopped&) {
    return progress.stop_reason().value_or(canceled(all.back()));
  } catch (const std::bad_alloc&) {
    return base::Error{"Not enough memory", "The Nsight Compute counters do not fit into memory",
                       "Close other programs, or record fewer launches: --launch-count"};
  }
}

}  // namespace dlview::import::ncu
