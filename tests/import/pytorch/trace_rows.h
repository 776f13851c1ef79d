// Tiny traces for tests: events as JSON, and the way from these to the Profile.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "import/pytorch/trace_profile.h"
#include "import/pytorch/trace_reader.h"
#include "import/test_database.h"
#include "support/test_data.h"

namespace dlview::import::pytorch {

// An X event; `rest` may have "args".
inline std::string x_event(std::string_view category, std::string_view name, std::string_view place,
                           std::string_view times, std::string_view rest = "") {
  return fmt::format(R"({{"ph": "X", "cat": "{}", "name": "{}", {}, {}{}{}}})", category, name,
                     place, times, rest.empty() ? "" : ", ", rest);
}

inline constexpr std::string_view kHost = R"("pid": 100, "tid": 100)";
inline constexpr std::string_view kGpu = R"("pid": 0, "tid": 7)";

class TraceRowsTest : public ::testing::Test {
 protected:
  base::Result<TraceEvents> events_of(const std::vector<std::string>& events,
                                      profile::ProfileBuilder& builder, QualityLog& quality,
                                      std::string_view header) {
    const std::string json = fmt::format("{{\"schemaVersion\": 1, {}\"traceEvents\": [{}]}}",
                                         header, fmt::join(events, ",\n"));
    base::Progress progress;
    const base::Result<ByteSource> source =
        ByteSource::open(testing::write_file(folder_.path() / "trace.json", json), progress);
    if (!source) return source.error();
    return read_trace_events(*source, builder, quality, progress);
  }
  TraceEvents read(const std::vector<std::string>& events, std::string_view header = "") {
    QualityLog quality;
    auto result = events_of(events, builder_, quality, header);
    EXPECT_TRUE(result) << base::to_text(result.error());
    return result ? *std::move(result) : TraceEvents();
  }
  profile::Profile open(const std::vector<std::string>& events, std::string_view header = "") {
    profile::ProfileBuilder builder;
    QualityLog quality;
    auto result = events_of(events, builder, quality, header);
    EXPECT_TRUE(result) << base::to_text(result.error());
    if (!result) return {};
    return profile_of(*std::move(result), std::move(builder), std::move(quality));
  }

  profile::ProfileBuilder builder_;
  testing::TemporaryFolder folder_;
};

inline std::string op_event(std::string_view name, std::string_view times,
                            std::string_view rest = "") {
  return x_event("cpu_op", name, kHost, times, rest);
}

// A launch at `at_us`, and its kernel of 2 us, 5 us later.
inline std::vector<std::string> with_launch(std::vector<std::string> events, int at_us,
                                            std::string_view call = "cudaLaunchKernel",
                                            std::string_view kernel = "k") {
  events.push_back(x_event("cuda_runtime", call, kHost, fmt::format(R"("ts": {}, "dur": 1)", at_us),
                           R"("args": {"correlation": 9})"));
  events.push_back(x_event("kernel", kernel, kGpu, fmt::format(R"("ts": {}, "dur": 2)", at_us + 5),
                           R"("args": {"device": 0, "stream": 7, "correlation": 9})"));
  return events;
}

}  // namespace dlview::import::pytorch
