// Counters that Nsight Compute measured for single launches of kernels, as its CSV files have them.
//
// Values are in base units: ns, bytes, bytes/s, Hz; percent is 0..100; other units as in the file.
// "n/a", "no data" and an empty cell are not recorded, never 0.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/rows.h"
#include "profile/string_table.h"

namespace dlview::profile {

// What a row of the file is: a metric of a launch, a launch with all its metrics, or a metric over
// the launches of a kernel, in all, by GPU or by NVTX range.
enum class CounterPage : uint8_t { details, raw, per_kernel, per_gpu, per_nvtx };

// How the file writes 2614184397.16: "2614184397.16", "2,614,184,397.16", "2.614.184.397,16",
// "2 614 184 397,16" or "2'614'184'397.16".
enum class NumberStyle : uint8_t { plain, english, german, french, swiss };

// A line around the table: "==WARNING== ...".
struct CounterMessage {
  bool is_error = false;  // else a warning
  std::string text;
  int64_t line = 0;  // from 1
  bool operator==(const CounterMessage&) const = default;
};

struct CounterFile {
  std::string path;  // as given by the user
  CounterPage page = CounterPage::details;
  NumberStyle number_style = NumberStyle::plain;
  bool is_style_assumed = false;  // no number of the file decides it
  // Errors and warnings of Nsight Compute, and rows that could not be used.
  std::vector<CounterMessage> messages;
  std::string why_empty;  // empty = it has launches
};

// A metric is known by section, name and unit: "Memory Throughput" is in % and in bytes/s.
struct CounterMetric {
  std::string section;  // "GPU Speed Of Light Throughput"; empty on the raw page
  std::string name;     // "dram__bytes.sum" or "DRAM Throughput"
  std::string unit;     // the base unit: "ns", "B", "B/s", "Hz", "%", "", or as in the file
  bool operator==(const CounterMetric&) const = default;
};

struct CounterValue {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  Row metric = 0;                           // in KernelCounters::metrics
  double value = kNone;                     // of a summary the mean; NaN = not recorded, or a text
  double minimum = kNone, maximum = kNone;  // of a summary only
  StringId text = 0;                        // of a value that is no number: "PolicySpread"
};

// What one of ncu's rules says about a launch.
struct CounterRule {
  Row launch = 0;
  std::string section;  // its identifier: "SpeedOfLight"
  std::string name, type, description;
  std::string speedup_type;               // "global"
  std::optional<double> speedup_percent;  // estimated
};

// A launch, or in a summary the launches of a kernel with one grid and block.
struct CounterLaunch {
  Row file = 0;
  int64_t line = 0;  // of its first row in the file
  int64_t id = 0;    // in the file; of a summary its number from 0
  int64_t process_id = 0;
  StringId process = 0, host = 0;
  StringId kernel = 0;  // as the file has it: demangled, mangled or only the function
  std::optional<Dim3> grid, block;
  std::optional<int64_t> context, stream;
  std::optional<int64_t> device;              // ncu's number of the GPU
  std::optional<int32_t> cc_major, cc_minor;  // compute capability
  // NVTX ranges around it, outer first, "domain/name" joined by '\n'; nullopt = not recorded.
  std::optional<StringId> ranges;
  int64_t invocations = 1;
  std::size_t first_value = 0;  // in KernelCounters::values; those of the next launch follow
};

struct KernelCounters {
  std::vector<CounterFile> files;
  std::vector<CounterMetric> metrics;
  std::vector<CounterLaunch> launches;  // by file, in the file's order
  std::vector<CounterValue> values;  // of each launch those that are recorded, in the file's order
  std::vector<CounterRule> rules;    // in order of launch
  StringTable strings;

  std::string_view text(StringId id) const { return strings[id]; }
  std::size_t end_of_values(std::size_t launch) const {
    return launch + 1 < launches.size() ? launches[launch + 1].first_value : values.size();
  }
};

}  // namespace dlview::profile
