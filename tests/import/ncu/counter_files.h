// CSV files of Nsight Compute for tests: real ones, and written ones of the page details.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/progress.h"
#include "import/ncu/read_counters.h"
#include "import/test_database.h"
#include "support/test_data.h"

namespace dlview::import::ncu {

inline base::Result<profile::KernelCounters> read(const std::filesystem::path& path) {
  base::Progress progress;
  return read_counters(std::span(&path, 1), progress);
}

inline profile::KernelCounters read_well(const std::filesystem::path& path) {
  auto counters = read(path);
  EXPECT_TRUE(counters.ok()) << (counters ? "" : base::to_text(counters.error()));
  return counters ? *std::move(counters) : profile::KernelCounters();
}

inline std::filesystem::path sample(const std::string& name) {
  return *testing::test_data_folder() / "ncu" / name;
}

// All values, one a line: what two files have to agree on.
inline std::string values_of(const profile::KernelCounters& counters) {
  std::string text;
  for (const profile::CounterValue& value : counters.values) {
    const profile::CounterMetric& metric = counters.metrics[value.metric];
    text += fmt::format("{}|{}|{} = {} {} {} {}\n", metric.section, metric.name, metric.unit,
                        value.value, value.minimum, value.maximum,
                        // A number that is a text in one locale only would be a difference.
                        counters.text(value.text));
  }
  return text;
}

inline double value_of(const profile::KernelCounters& counters, std::string_view name,
                       std::size_t launch = 0) {
  for (std::size_t i = counters.launches[launch].first_value; i < counters.end_of_values(launch);
       ++i) {
    if (counters.metrics[counters.values[i].metric].name == name) return counters.values[i].value;
  }
  return profile::CounterValue::kNone;
}

inline constexpr std::string_view kDetails =
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\","
    "\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric "
    "Unit\",\"Metric Value\"\n";

inline std::string row(int id, std::string_view metric, std::string_view unit,
                       std::string_view value, std::string_view kernel = "k") {
  return fmt::format(
      "\"{}\",\"7\",\"python\",\"host\",\"{}\",\"1\",\"7\",\"(256, 1, 1)\",\"(8, 2, 1)\",\"0\","
      "\"9.0\",\"Speed\",\"{}\",\"{}\",\"{}\"\n",
      id, kernel, metric, unit, value);
}

class ReadCounters : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& text) {
    return testing::write_file(folder_.path() / "c.csv", text);
  }
  profile::KernelCounters read_text(const std::string& text) { return read_well(write(text)); }
  base::Error error_of(const std::string& text) {
    const auto counters = read(write(text));
    EXPECT_FALSE(counters.ok());
    return counters ? base::Error() : counters.error();
  }
  testing::TemporaryFolder folder_;
};

}  // namespace dlview::import::ncu
