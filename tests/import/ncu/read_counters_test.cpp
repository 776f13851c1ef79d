// CSV files of Nsight Compute: real ones of all pages and locales, and written ones of pages
// without a public sample.
#include "import/ncu/read_counters.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "import/ncu/counter_files.h"
#include "import/ncu/csv.h"
#include "import/ncu/load.h"
#include "import/open.h"
#include "import/test_database.h"
#include "import/variable.h"
#include "support/test_data.h"

namespace dlview::import::ncu {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using profile::CounterPage;
using profile::CounterValue;
using profile::KernelCounters;
using profile::NumberStyle;
using ::testing::HasSubstr;
using testing::write_file;

TEST_F(ReadCounters, FiveLocalesGiveEqualValues) {
  DLVIEW_REQUIRE_TEST_DATA();
  const std::map<std::string, NumberStyle> styles{{"C", NumberStyle::plain},
                                                  {"enUS", NumberStyle::english},
                                                  {"deDE", NumberStyle::german},
                                                  {"frFR", NumberStyle::french},
                                                  {"deCH", NumberStyle::swiss}};
  const std::string plain = values_of(read_well(sample("gh200_details_C.csv")));
  EXPECT_THAT(plain, HasSubstr("Duration|ns = 30080"));
  for (const auto& [locale, style] : styles) {
    const KernelCounters counters = read_well(sample("gh200_details_" + locale + ".csv"));
    EXPECT_EQ(values_of(counters), plain) << locale;
    EXPECT_EQ(counters.files[0].number_style, style) << locale;
    EXPECT_FALSE(counters.files[0].is_style_assumed) << locale;
    EXPECT_EQ(counters.rules.size(), 4U) << locale;
  }
}

TEST_F(ReadCounters, RawPageIsAlikeInGerman) {
  DLVIEW_REQUIRE_TEST_DATA();
  const KernelCounters plain = read_well(sample("gh200_raw_auto_C.csv"));
  EXPECT_EQ(values_of(read_well(sample("gh200_raw_auto_deDE.csv"))), values_of(plain));
  EXPECT_EQ(plain.files[0].page, CounterPage::raw);
  EXPECT_EQ(value_of(plain, "device__attribute_clock_rate"), 1980000);
  EXPECT_EQ(value_of(plain, "launch__waves_per_multiprocessor"), 1.6);
}

TEST_F(ReadCounters, SummariesHaveMinimumAndMaximum) {
  DLVIEW_REQUIRE_TEST_DATA();
  const KernelCounters kernel = read_well(sample("gh200_summary_per_kernel_C.csv"));
  const KernelCounters gpu = read_well(sample("gh200_summary_per_gpu_C.csv"));
  EXPECT_EQ(kernel.files[0].page, CounterPage::per_kernel);
  EXPECT_EQ(gpu.files[0].page, CounterPage::per_gpu);
  EXPECT_EQ(values_of(kernel), values_of(gpu));
  ASSERT_EQ(kernel.launches.size(), 1U);
  EXPECT_EQ(kernel.launches[0].invocations, 1);
  EXPECT_EQ(kernel.values[0].minimum, kernel.values[0].value);
}

TEST_F(ReadCounters, ShapesMatchExpectedFigures) {
  DLVIEW_REQUIRE_TEST_DATA();
  std::ifstream file(sample("expected.json"));
  const json expected = json::parse(file);
  for (const json& shape : expected.at("file_shapes")) {
    const KernelCounters counters = read_well(sample(shape["file"]));
    EXPECT_EQ(counters.launches.size(), shape["launches"].get<std::size_t>()) << shape["file"];
    EXPECT_EQ(counters.files[0].why_empty.empty(), !counters.launches.empty()) << shape["file"];
  }
  EXPECT_EQ(read_well(sample("b200_empty_flashinfer.csv")).files[0].why_empty,
            "No kernel was profiled; the log says: The application returned an error code (1).");
  EXPECT_THAT(read_well(sample("gh200_summary_per_nvtx_C.csv")).files[0].why_empty,
              HasSubstr("no NVTX range was recorded"));
}

TEST_F(ReadCounters, LaunchesMatchExpectedFigures) {
  DLVIEW_REQUIRE_TEST_DATA();
  std::ifstream file(sample("expected.json"));
  const json expected = json::parse(file);
  for (const json& figures : expected.at("ncu")) {
    const KernelCounters counters = read_well(sample(figures["file"]));
    ASSERT_EQ(counters.launches.size(), 1U) << figures["id"];
    const profile::CounterLaunch& launch = counters.launches[0];
    EXPECT_EQ(launch.id, figures["launch"].get<int64_t>());
    const auto text = [](const profile::Dim3& size) {
      return fmt::format("{}x{}x{}", size.x, size.y, size.z);
    };
    EXPECT_EQ(text(*launch.grid), figures["grid"].get<std::string>());
    EXPECT_EQ(text(*launch.block), figures["block"].get<std::string>());
    std::string name = figures["kernel"];
    name = name == "gemv" ? "cublasGemv" : name;
    EXPECT_THAT(std::string(counters.text(launch.kernel)), HasSubstr(name));
    EXPECT_EQ(counters.files[0].messages.size(), 0U) << figures["id"];
  }
}

TEST_F(ReadCounters, RulesAreRaggedRows) {
  DLVIEW_REQUIRE_TEST_DATA();
  const KernelCounters counters = read_well(sample("t4_details_rules_copy_blocked.csv"));
  ASSERT_EQ(counters.rules.size(), 11U);
  EXPECT_EQ(counters.rules[0].section, "SpeedOfLight");
  EXPECT_EQ(counters.rules[0].name, "SOLBottleneck");
  EXPECT_FALSE(counters.rules[0].speedup_percent);
  EXPECT_EQ(counters.rules[2].speedup_percent, 98.86);
  EXPECT_EQ(counters.rules[2].speedup_type, "local");
}

TEST_F(ReadCounters, SkipsLogAndKeepsItsMessages) {
  const KernelCounters counters = read_text(
      "==PROF== Connected to process 7 (/bin/x)\nhello, \"world\n\n==WARNING== Slow\n" +
      std::string(kDetails) + row(0, "Duration", "us", "1.50") + "==PROF== Disconnected\n" +
      row(1, "Duration", "us", "2.50") + "==ERROR== Failed\n");
  ASSERT_EQ(counters.launches.size(), 2U);
  EXPECT_EQ(counters.launches[0].line, 6);
  EXPECT_EQ(counters.launches[1].line, 8);
  EXPECT_EQ(value_of(counters, "Duration", 1), 2500);
  ASSERT_EQ(counters.files[0].messages.size(), 2U);
  EXPECT_EQ(counters.files[0].messages[0], (profile::CounterMessage{false, "==WARNING== Slow", 4}));
  EXPECT_EQ(counters.files[0].messages[1], (profile::CounterMessage{true, "==ERROR== Failed", 9}));
}

TEST_F(ReadCounters, AppendedRunsRestartIds) {
  const std::string table = std::string(kDetails) + row(0, "Duration", "ns", "1") +
                            row(0, "Registers", "", "32") + row(1, "Duration", "ns", "2");
  const KernelCounters counters = read_text(table + "==PROF== again\n" + table);
  ASSERT_EQ(counters.launches.size(), 4U);
  EXPECT_EQ(counters.launches[2].id, 0);
  EXPECT_EQ(counters.launches[2].line, 7);
  EXPECT_EQ(counters.metrics.size(), 2U);
  EXPECT_EQ(counters.values.size(), 6U);
}

TEST_F(ReadCounters, NotRecordedIsNeverZero) {
  const KernelCounters counters =
      read_text(std::string(kDetails) + row(0, "a", "", "n/a") + row(0, "b", "", "no data") +
                row(0, "c", "", "") + row(0, "d", "", "0") + row(0, "e", "%", "100.39"));
  ASSERT_EQ(counters.values.size(), 2U);
  EXPECT_EQ(value_of(counters, "d"), 0);
  EXPECT_EQ(value_of(counters, "e"), 100.39);
}

TEST_F(ReadCounters, SameLabelHasTwoUnits) {
  const KernelCounters counters =
      read_text(std::string(kDetails) + row(0, "Memory Throughput", "%", "61.84") +
                row(0, "Memory Throughput", "Gbyte/s", "196.45"));
  ASSERT_EQ(counters.metrics.size(), 2U);
  EXPECT_EQ(counters.metrics[1].unit, "B/s");
  EXPECT_EQ(counters.values[1].value, 196450000000);
}

TEST_F(ReadCounters, FileDecidesOpenSeparators) {
  // Line 2 could be 45.384 or 45384; line 4 decides.
  const std::string start = std::string(kDetails) + row(0, "a", "", "45.384");
  EXPECT_EQ(value_of(read_text(start + row(0, "b", "", "2,61")), "a"), 45384);
  EXPECT_EQ(value_of(read_text(start + row(0, "b", "", "2.61")), "a"), 45.384);
  const KernelCounters open = read_text(start);
  EXPECT_EQ(value_of(open, "a"), 45.384);
  EXPECT_TRUE(open.files[0].is_style_assumed);
}

TEST_F(ReadCounters, MixedStylesAreAnError) {
  const base::Error error = error_of(std::string(kDetails) + row(0, "a", "", "45.384") +
                                     row(0, "b", "", "2.61") + row(0, "c", "", "2,61"));
  EXPECT_EQ(error.title, "The file mixes decimal separators");
  EXPECT_THAT(error.detail, HasSubstr("line 4: 2,61"));
  EXPECT_THAT(error.detail, HasSubstr("45.384 in line 2"));
}

TEST_F(ReadCounters, MixedStylesWithoutDoubtAreReported) {
  const KernelCounters counters =
      read_text(std::string(kDetails) + row(0, "a", "", "2.61") + row(0, "b", "", "2,61"));
  EXPECT_EQ(value_of(counters, "b"), 2.61);
  ASSERT_EQ(counters.files[0].messages.size(), 1U);
  EXPECT_EQ(counters.files[0].messages[0].line, 3);
}

TEST_F(ReadCounters, DecodesUtf16AndMarks) {
  const std::string text = "==PROF== x\r\n" + std::string(kDetails) +
                           row(0, "Duration", "us", "2\u202F614,5", "k\u00FCrnel");
  std::string wide = "\xFF\xFE";
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const int length = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : 3;
    unsigned point = byte < 0x80 ? byte : byte < 0xE0 ? byte & 0x1FU : byte & 0x0FU;
    for (int k = 1; k < length; ++k) {
      point = (point << 6U) |
              (static_cast<unsigned char>(text[i + static_cast<std::size_t>(k)]) & 0x3FU);
    }
    wide += static_cast<char>(point & 0xFF);
    wide += static_cast<char>(point >> 8);
    i += static_cast<std::size_t>(length);
  }
  for (const std::string& encoded : {text, "\xEF\xBB\xBF" + text, wide}) {
    const KernelCounters counters = read_text(encoded);
    ASSERT_EQ(counters.launches.size(), 1U);
    EXPECT_EQ(counters.text(counters.launches[0].kernel), "k\u00FCrnel");
    EXPECT_EQ(value_of(counters, "Duration"), 2614500);
  }
}

TEST_F(ReadCounters, ReadsCarriageReturns) {
  std::string text = std::string(kDetails) + row(0, "a", "", "1") + row(0, "b", "", "2");
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) {
    text.insert(at, "\r");
  }
  EXPECT_EQ(value_of(read_text(text), "b"), 2);
}

TEST_F(ReadCounters, ColumnsAreFoundByName) {
  const KernelCounters counters = read_text(
      "\"ID\",\"Process ID\",\"Metric Value\",\"Metric Name\",\"Kernel Name\",\"New\",\"Metric "
      "Unit\",\"Section Name\"\n\"0\",\"7\",\"3\",\"a\",\"k\",\"?\",\"us\",\"s\"\n"
      "\"0\",\"7\",\"4\",\"b\",\"k\",\"?\",\"\",\"s\"\n\"1\",\"7\",\"5\",\"a\",\"k\",\"?\",\"us\","
      "\"s\"\n");
  ASSERT_EQ(counters.launches.size(), 2U);
  EXPECT_EQ(value_of(counters, "a"), 3000);
  EXPECT_EQ(value_of(counters, "b"), 4);
  EXPECT_EQ(value_of(counters, "a", 1), 5000);
}

TEST_F(ReadCounters, ReadsNvtxColumns) {
  const std::string header =
      "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"thread Domain:Push/"
      "Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg\",\"Id:Domain:Start/"
      "Stop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg\",\"Kernel Name\",\"Section "
      "Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";
  const std::string before = "\"0\",\"7\",\"p\",\"h\",",
                    after = ",\"\",\"k\",\"s\",\"a\",\"\",\"1\"\n";
  const std::string outer = "<default domain>:outer:none:none:none:none:none:none";
  const std::string inner = "lib:a::b:none:none:none:none:none:none";
  for (const std::string& cell : {"\"4711 \"\"" + outer + "\"\" \"\"" + inner + "\"\"\"",
                                  "\"4711 \"" + outer + "\" \"" + inner + "\"\""}) {
    const KernelCounters counters = read_text(header + before + cell + after);
    ASSERT_EQ(counters.launches.size(), 1U) << cell;
    ASSERT_TRUE(counters.launches[0].ranges);
    EXPECT_EQ(counters.text(*counters.launches[0].ranges), "<default domain>/outer\nlib/a::b");
    EXPECT_EQ(counters.text(counters.launches[0].kernel), "k");
  }
}

TEST_F(ReadCounters, ReadsSummaryByRange) {
  const KernelCounters counters = read_text(
      "\"Domain\",\"Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg\",\"Kernel Name\",\"Block "
      "Size\",\"Grid Size\",\"Device Id\",\"Invocations\",\"Section Name\",\"Metric Name\","
      "\"Metric Unit\",\"Minimum\",\"Maximum\",\"Average\"\n"
      "\"<default domain>\",\"step:1:none:none:none:none:none:none\",\"k\",\"(1, 1, "
      "1)\",\"(2, 1, 1)\",\"3\",\"5\",\"s\",\"Duration\",\"us\",\"1.00\",\"3.00\",\"2.00\"\n");
  ASSERT_EQ(counters.launches.size(), 1U);
  EXPECT_EQ(counters.files[0].page, CounterPage::per_nvtx);
  EXPECT_EQ(counters.text(*counters.launches[0].ranges), "<default domain>/step:1");
  EXPECT_EQ(counters.launches[0].invocations, 5);
  EXPECT_EQ(counters.launches[0].device, 3);
  EXPECT_EQ(counters.values[0].minimum, 1000);
  EXPECT_EQ(counters.values[0].maximum, 3000);
  EXPECT_EQ(counters.values[0].value, 2000);
}

TEST_F(ReadCounters, ReadsRawSummary) {
  const KernelCounters counters = read_text(
      "\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Block Size\",\"Grid "
      "Size\",\"Device\",\"CC\",\"Invocations\",\"Metric Name\",\"Metric "
      "Unit\",\"Minimum\",\"Maximum\",\"Average\"\n"
      "\"7\",\"p\",\"h\",\"k\",\"(1, 1, 1)\",\"(2, 1, 1)\",\"0\",\"9.0\",\"2\","
      "\"device__attribute_display_name\",\"\",\"\",\"\",\"NVIDIA H100\"\n"
      "\"7\",\"p\",\"h\",\"k\",\"(1, 1, 1)\",\"(2, 1, 1)\",\"0\",\"9.0\",\"2\","
      "\"dram__bytes.sum\",\"Kbyte\",\"1.000000\",\"2.000000\",\"1.500000\"\n");
  ASSERT_EQ(counters.values.size(), 2U);
  EXPECT_EQ(counters.text(counters.values[0].text), "NVIDIA H100");
  EXPECT_TRUE(std::isnan(counters.values[0].value));
  EXPECT_EQ(counters.values[1].maximum, 2000);
}

TEST_F(ReadCounters, ReadsOldestFormat) {
  const KernelCounters counters = read_text(
      "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Kernel "
      "Time\",\"Context\",\"Stream\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric "
      "Value\"\n\n"
      "\"0\",\"7\",\"p\",\"h\",\"k\",\"2020-Apr-07 17:01:05\",\"1\",\"7\",\"GPU Speed Of "
      "Light\",\"SOL SM\",\"%\",\"12.50\"\n");
  ASSERT_EQ(counters.launches.size(), 1U);
  EXPECT_FALSE(counters.launches[0].grid);
  EXPECT_FALSE(counters.launches[0].cc_major);
  EXPECT_EQ(value_of(counters, "SOL SM"), 12.5);
}

TEST_F(ReadCounters, RepeatedMetricsCountOnce) {
  std::string header(kDetails);
  header.insert(header.find("\"Metric Name\""), "\"Body Item Label\",");
  const std::string before =
      "\"0\",\"7\",\"p\",\"h\",\"k\",\"1\",\"7\",\"(1, 1, 1)\",\"(1, 1, 1)\",\"0\",\"12.0\",\"s\",";
  const KernelCounters counters =
      read_text(header + before + "\"Chart 1\",\"SM Frequency\",\"Ghz\",\"2.01\",\n" + before +
                "\"Chart 2\",\"SM Frequency\",\"Ghz\",\"2.01\",\n" + before +
                "\"Table\",\"SM Frequency\",\"Ghz\",\"1.00\",\n");
  ASSERT_EQ(counters.values.size(), 2U);
  EXPECT_EQ(counters.values[0].value, 2.01e9);
}

// A launch of several blocks whose second half repeats the first: some seconds when each value was
// compared with all.
TEST_F(ReadCounters, RepeatedMetricsOfBlocksCountOnce) {
  constexpr int kMetrics = 30'000;
  std::string text(kDetails);
  for (const int round : {0, 1}) {
    for (int i = 0; i < kMetrics; ++i) {
      const int value = round == 1 && i % 1000 == 0 ? i + 1 : i;
      text += row(0, fmt::format("m{}", i), "", fmt::format("{}", value));
    }
  }
  text += row(1, "m0", "", "0");
  const KernelCounters counters = read_text(text);
  ASSERT_EQ(counters.launches.size(), 2U);
  EXPECT_EQ(counters.end_of_values(0), kMetrics + 30U);
  EXPECT_EQ(counters.end_of_values(1), kMetrics + 31U);
}

// Many rows in several blocks against the obvious reading of each line.
TEST_F(ReadCounters, BlocksEqualLineByLine) {
  constexpr int kLaunches = 2000, kMetrics = 20;
  std::string text(kDetails);
  for (int launch = 0; launch < kLaunches; ++launch) {
    for (int metric = 0; metric < kMetrics; ++metric) {
      text += row(launch, fmt::format("m{}", metric), metric % 2 == 0 ? "us" : "",
                  metric == 3 ? "Text" : fmt::format("{}.{:02}", launch, metric),
                  launch % 3 == 0 ? "a\"\"quoted\"\"\nname, with lines" : "plain");
    }
    if (launch % 100 == 0) text += "==WARNING== in between \"\n";
  }
  const KernelCounters counters = read_text(text);
  ASSERT_EQ(counters.launches.size(), static_cast<std::size_t>(kLaunches));
  ASSERT_EQ(counters.values.size(), static_cast<std::size_t>(kLaunches * kMetrics));
  int64_t line = 2;
  for (int launch = 0; launch < kLaunches; ++launch) {
    const auto number = static_cast<std::size_t>(launch);
    const profile::CounterLaunch& found = counters.launches[number];
    ASSERT_EQ(found.id, launch);
    ASSERT_EQ(found.line, line);
    ASSERT_EQ(found.first_value, number * kMetrics);
    const bool is_quoted = launch % 3 == 0;
    ASSERT_EQ(counters.text(found.kernel), is_quoted ? "a\"quoted\"\nname, with lines" : "plain");
    for (int metric = 0; metric < kMetrics; ++metric) {
      const CounterValue& value =
          counters.values[number * kMetrics + static_cast<std::size_t>(metric)];
      ASSERT_EQ(counters.metrics[value.metric].name, fmt::format("m{}", metric));
      if (metric == 3) {
        ASSERT_EQ(counters.text(value.text), "Text");
      } else {
        const double expected =
            std::stod(fmt::format("{}.{:02}", launch, metric)) * (metric % 2 == 0 ? 1000 : 1);
        ASSERT_NEAR(value.value, expected, 1e-9 * expected);
      }
    }
    line += (is_quoted ? 2 : 1) * kMetrics + (launch % 100 == 0 ? 1 : 0);
  }
  EXPECT_EQ(counters.files[0].messages.size(), 20U);
}

// A stand-in for ncu on the PATH.
class CounterReport : public ReadCounters {
 protected:
  void install(const std::string& script) {
    fs::create_directories(folder_.path() / "bin");
    const fs::path ncu = write_file(
        folder_.path() / "bin" / "ncu",
        "#!/bin/sh\necho \"$@\" > " + (folder_.path() / "calls").string() + "\n" + script + "\n");
    fs::permissions(ncu, fs::perms::owner_all);
  }
  fs::path report() {
    return write_file(folder_.path() / "run.ncu-rep", std::string("NVR\x00\x01", 5));
  }
  testing::Variable path_{"PATH", (folder_.path() / "bin").string() + ":/usr/bin:/bin"};
};

TEST_F(CounterReport, IsExportedByNcu) {
  write(std::string(kDetails) + row(0, "Duration", "ns", "12"));
  install("echo '==WARNING== old'; cat " + (folder_.path() / "c.csv").string());
  const KernelCounters counters = read_well(report());
  ASSERT_EQ(counters.launches.size(), 1U);
  EXPECT_EQ(counters.files[0].path, (folder_.path() / "run.ncu-rep").string());
  EXPECT_THAT(testing::contents_of(folder_.path() / "calls"),
              HasSubstr("--csv --page raw --print-units base"));
}

TEST_F(CounterReport, WithoutNcuNamesTheCommand) {
  const auto counters = read(report());
  ASSERT_FALSE(counters.ok());
  EXPECT_EQ(counters.error().title, "Cannot export the report: ncu not found");
  EXPECT_THAT(counters.error().advice, HasSubstr("ncu --import"));
}

TEST_F(CounterReport, ErrorHasLastWordsOfNcu) {
  install("echo '==ERROR== newer version'; exit 3");
  const auto counters = read(report());
  ASSERT_FALSE(counters.ok());
  EXPECT_THAT(counters.error().detail, HasSubstr("ncu exited with 3: ==ERROR== newer version"));
}

TEST_F(CounterReport, OpensAloneAsProfile) {
  write(std::string(kDetails) + row(0, "# SMs", "", "132"));
  install("cat " + (folder_.path() / "c.csv").string());
  const auto profile = testing::open_for_test(report());
  ASSERT_TRUE(profile.ok()) << testing::error_of(profile);
  EXPECT_EQ(profile->source.format, "Nsight Compute report");
  ASSERT_EQ(profile->devices.size(), 1U);
  EXPECT_EQ(profile->devices[profile::DeviceIndex(0)].sm_count, 132);
}

TEST_F(ReadCounters, CsvOpensAloneAsProfile) {
  const auto profile = testing::open_for_test(
      write(std::string(kDetails) + row(0, "Duration", "ns", "12") + "==WARNING== x\n"));
  ASSERT_TRUE(profile.ok()) << testing::error_of(profile);
  EXPECT_EQ(profile->source.format, "Nsight Compute details CSV");
  EXPECT_EQ(profile->kernels.size(), 0U);
  ASSERT_TRUE(profile->counters);
  EXPECT_EQ(profile->counters->launches.size(), 1U);
  EXPECT_EQ(profile->profiler_messages.size(), 1U);
  EXPECT_FALSE(profile->not_recorded.empty());
}

// The cache has no counters: a profile that came from it would be empty.
TEST_F(ReadCounters, CsvIsNeverCached) {
  const testing::Variable cache("XDG_CACHE_HOME", (folder_.path() / "cache").string());
  CachedFile file(write(std::string(kDetails) + row(0, "Duration", "ns", "12")));
  base::Progress progress;
  const auto profile = file.open(progress);
  ASSERT_TRUE(profile.ok()) << testing::error_of(profile);
  EXPECT_EQ(file.maintenance(), CachedFile::Maintenance::none);
  EXPECT_STREQ(file.why_not_cached(), "Nsight Compute counters are not cached");
}

TEST_F(ReadCounters, FilesAddToThoseOfProfile) {
  const fs::path first =
      write_file(folder_.path() / "a.csv", std::string(kDetails) + row(0, "Duration", "ns", "12"));
  const fs::path second =
      write_file(folder_.path() / "b.csv", std::string(kDetails) + row(5, "Duration", "ns", "13"));
  base::Progress progress;
  profile::Profile profile;
  ASSERT_TRUE(add_counters(profile, std::span(&first, 1), progress).ok());
  ASSERT_TRUE(add_counters(profile, std::span(&second, 1), progress).ok());
  ASSERT_EQ(profile.counters->files.size(), 2U);
  EXPECT_EQ(profile.counters->launches[1].file, 1U);
  EXPECT_EQ(profile.counters->launches[1].id, 5);
}

}  // namespace
}  // namespace dlview::import::ncu
