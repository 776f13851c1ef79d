#include "import/nsys/gpu_metrics.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generate/nsys.h"
#include "generate/nsys/sampled_tables.h"
#include "import/nsys/test_export.h"
#include "import/sqlite/database.h"

namespace dlview::import::nsys {
namespace {

using profile::Profile;
using profile::TraceCounters;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// "GPU 0 SM Active %: -5=1 100=2" of each series.
std::vector<std::string> lines_of(const TraceCounters& counters) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < counters.series.size(); ++i) {
    const TraceCounters::Series& series = counters.series[i];
    std::string line =
        fmt::format("GPU {} {} {}:", series.device.value_or(-1), series.counter, series.unit);
    for (std::size_t row = series.first; row < counters.end_of(i); ++row) {
      line += fmt::format(" {}={}", counters.time_ns[row], counters.value[row]);
    }
    lines.push_back(line);
  }
  return lines;
}

constexpr const char* kSchema =
    "CREATE TABLE GPU_METRICS(timestamp INTEGER, typeId INTEGER, metricId INTEGER, value INTEGER);"
    "CREATE TABLE TARGET_INFO_GPU_METRICS(typeId INTEGER, sourceId INTEGER, typeName TEXT, "
    "metricId INTEGER, metricName TEXT);"
    "INSERT INTO TARGET_INFO_GPU_METRICS VALUES(256, 256, '', 0, 'GPC Clock Frequency'), "
    "(256, 256, '', 1, 'SM Active'), (257, 256, '', 1, 'SM Active');";

class GpuMetricsOfExport : public testing::ExportTest {
 protected:
  std::vector<std::string> lines(const std::string& changes) {
    std::filesystem::remove(path());
    profile_ = open_with(changes);
    return lines_of(profile_.trace->counters);
  }
  std::vector<std::string> notes() const {
    std::vector<std::string> all;
    for (const profile::QualityNote& note : profile_.quality) {
      all.push_back(
          fmt::format("{}: {} x{}: {}", note.table, note.reason, note.rows, note.first_example));
    }
    return all;
  }
  Profile profile_;
};

TEST_F(GpuMetricsOfExport, HaveGpuUnitAndTimeOrder) {
  EXPECT_THAT(
      lines(std::string(kSchema) +
            "INSERT INTO GPU_METRICS VALUES(100, 257, 1, 7), (-50, 256, 0, 210000000), "
            "(-50, 256, 1, 3), (200, 256, 1, 5), (150, 256, 1, 4), (250, 256, 0, -1670273642);"),
      ElementsAre("GPU 0 GPC Clock Frequency Hz: -50=210000000 250=2624693654",
                  "GPU 0 SM Active %: -50=3 150=4 200=5", "GPU 1 SM Active %: 100=7"));
  for (const TraceCounters::Series& series : profile_.trace->counters.series) {
    EXPECT_EQ(series.kind, profile::CounterKind::sample);
  }
}

TEST_F(GpuMetricsOfExport, WithoutNamesAreNumbered) {
  EXPECT_THAT(lines(std::string(kSchema) + "INSERT INTO GPU_METRICS VALUES(1, 259, 9, 4);"),
              ElementsAre("GPU 3 Metric 9 : 1=4"));
}

TEST_F(GpuMetricsOfExport, OfAnEmptyTableAreNone) {
  EXPECT_THAT(lines(kSchema), IsEmpty());
  EXPECT_THAT(lines("CREATE TABLE GPU_METRICS(x INTEGER);"), IsEmpty());
  EXPECT_THAT(notes(), Not(Contains(HasSubstr("GPU_METRICS"))));
}

TEST_F(GpuMetricsOfExport, LeaveOutWhatIsNoNumber) {
  EXPECT_THAT(lines(std::string(kSchema) +
                    "INSERT INTO GPU_METRICS VALUES(NULL, 256, 1, 1), (1, 256, 1, 'x'), "
                    "(2, 256, 1, 2.5), (3, 256, NULL, 4), (4, 256, 1, 5), (5, 256, 1, -3), "
                    "(90000000000000000, 256, 1, 4);"),
              ElementsAre("GPU 0 SM Active %: 4=5"));
  EXPECT_THAT(notes(),
              AllOf(Contains(HasSubstr("GPU_METRICS: its time is not an integer x1: row 1")),
                    Contains(HasSubstr("its metric or its value is not an integer x3: row 2")),
                    Contains(HasSubstr("its value is below 0 x1: row 6: SM Active is -3")),
                    Contains(HasSubstr("more than 104 days"))));
}

constexpr const char* kGenericSchema =
    "CREATE TABLE GENERIC_EVENT_SOURCES(sourceId INTEGER PRIMARY KEY, data TEXT);"
    "CREATE TABLE GENERIC_EVENT_TYPES(typeId INTEGER PRIMARY KEY, sourceId INTEGER, data TEXT);"
    "CREATE TABLE GENERIC_EVENTS(rawTimestamp INTEGER, timestamp INTEGER, typeId INTEGER, "
    "data TEXT);"
    "INSERT INTO GENERIC_EVENT_SOURCES VALUES(5, '{\"Name\": \"GpuMetrics\", \"TimeSource\": "
    "\"SessionNs\"}'), (6, '{\"Name\": \"FTrace\"}'), (7, '{\"Name\": \"GpuMetrics\", "
    "\"TimeSource\": \"CntVct\"}');"
    "INSERT INTO GENERIC_EVENT_TYPES VALUES(256, 5, ''), (600, 6, ''), (257, 7, '');";

TEST_F(GpuMetricsOfExport, ComeFromGenericEventsBefore2023) {
  EXPECT_THAT(
      lines(std::string(kGenericSchema) +
            "INSERT INTO GENERIC_EVENTS VALUES(-7, NULL, 256, '{\"SM Active\": \"12\", "
            "\"Vertex\\/Tess\\/Geometry Warps in Flight\": \"0\"}'), "
            "(9, 8, 256, '{ \"SM Active\" : 13 }'), (3, NULL, 600, '{\"pid\": \"4\"}'), "
            "(4, NULL, 257, '{\"SM Active\": \"1\"}'), (5, NULL, 256, '{\"SM Active\": \"x\"'), "
            "(6, NULL, 256, NULL);"),
      ElementsAre("GPU 0 SM Active %: -7=12 8=13",
                  "GPU 0 Vertex/Tess/Geometry Warps in Flight %: -7=0"));
  EXPECT_THAT(notes(), AllOf(Contains(HasSubstr("its time is of an unknown clock x1: row 4")),
                             Contains(HasSubstr("has other values than numbers x2: row 5"))));
}

TEST_F(GpuMetricsOfExport, ComeFromOneTableOnly) {
  EXPECT_THAT(lines(std::string(kSchema) + kGenericSchema +
                    "INSERT INTO GPU_METRICS VALUES(1, 256, 1, 4);"
                    "INSERT INTO GENERIC_EVENTS VALUES(1, 1, 256, '{\"SM Active\": \"4\"}');"),
              ElementsAre("GPU 0 SM Active %: 1=4"));
}

TEST_F(GpuMetricsOfExport, OfTooManyNamesAreLeftOut) {
  lines(std::string(kSchema) +
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000) "
        "INSERT INTO GPU_METRICS SELECT i, i, i, 1 FROM n;");
  EXPECT_EQ(profile_.trace->counters.series.size(), 4096U - 3) << "three names have no rows";
  EXPECT_THAT(notes(), Contains(HasSubstr("too many metrics")));
}

TEST(JsonMembers, AreReadAsWritten) {
  std::vector<std::string> members;
  const auto use = [&](std::string_view key, std::string_view value) {
    members.push_back(fmt::format("{}={}", key, value));
  };
  EXPECT_TRUE(for_each_member(R"({"a\"b": "1", "c":-2.5e3 , "": ""})", use));
  EXPECT_THAT(members, ElementsAre(R"(a\"b=1)", "c=-2.5e3", "="));
  EXPECT_TRUE(for_each_member(" { } ", use));
  for (const char* text : {"", "{", "{\"a\"", "{\"a\":}", "{\"a\": \"1}", "{\"a\": true}",
                           "{\"a\": {}}", "{\"a\": 1,}", "[1]", "{\"a\\", "{\"a\": 1"}) {
    EXPECT_FALSE(for_each_member(text, use)) << text;
  }
  EXPECT_EQ(unescaped(R"(Vertex\/Tess \"x\" \u00e9)"), R"(Vertex/Tess "x" \u00e9)");
}

// All samples, against plain SQL.
TEST(GpuMetricsOfRealExport, AreThoseOfTheTable) {
  DLVIEW_REQUIRE_TEST_DATA();
  const std::filesystem::path path =
      *testing::test_data_folder() / "ncu/nsys_gpu_metrics_a100pcie_vecadd.sqlite";
  const base::Result<Profile> result = testing::open_for_test(path);
  ASSERT_TRUE(result.ok()) << testing::error_of(result);
  const TraceCounters& counters = result->trace->counters;
  ASSERT_EQ(counters.size(), 168'000U);
  ASSERT_EQ(counters.series.size(), 14U);
  base::Progress progress;
  base::Result<sqlite::Database> database = sqlite::open_read_only(path, progress);
  ASSERT_TRUE(database.ok());
  auto rows = database->prepare(
      "SELECT timestamp, CASE WHEN value < 0 THEN value + 4294967296 ELSE value END "
      "FROM GPU_METRICS ORDER BY metricId, timestamp");
  ASSERT_TRUE(rows.ok());
  std::size_t row = 0;
  for (; rows->next() && row < counters.size(); ++row) {
    ASSERT_EQ(counters.time_ns[row], rows->integer(0)) << row;
    ASSERT_EQ(counters.value[row], static_cast<double>(rows->integer(1))) << row;
  }
  EXPECT_EQ(row, counters.size());
  EXPECT_EQ(counters.time_ns[0], -23532) << "before the session";
  EXPECT_EQ(counters.series[1].counter, "GPC Clock Frequency");
  EXPECT_EQ(counters.value[counters.series[1].first], 2'624'693'654.0) << "wrapped";
}

// The texts of GENERIC_EVENTS of the same capture have the same values, in another order.
TEST(GpuMetricsOfRealExport, EqualThoseOfGenericEvents) {
  DLVIEW_REQUIRE_TEST_DATA();
  const testing::TemporaryFolder folder;
  const std::filesystem::path copy = folder.path() / "generic.sqlite";
  const std::filesystem::path path =
      *testing::test_data_folder() / "ncu/nsys_gpu_metrics_a100pcie_vecadd.sqlite";
  std::filesystem::copy_file(path, copy);
  std::filesystem::permissions(copy, std::filesystem::perms::owner_all);
  testing::TestDatabase(copy).execute("DELETE FROM GPU_METRICS;");
  const base::Result<Profile> one = testing::open_for_test(path);
  const base::Result<Profile> other = testing::open_for_test(copy);
  ASSERT_TRUE(one.ok() && other.ok());
  std::vector<std::string> lines = lines_of(one->trace->counters);
  std::vector<std::string> generic = lines_of(other->trace->counters);
  std::ranges::sort(lines);
  std::ranges::sort(generic);
  ASSERT_EQ(lines.size(), generic.size());
  for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_TRUE(lines[i] == generic[i]) << i;
}

// In all schemas: two GPUs, negative times, wrapped clocks, an unknown name.
TEST(PlantedGpuMetrics, AreReadBack) {
  const testing::TemporaryFolder folder;
  generate::DemoOptions demo;
  demo.iterations = 3;
  demo.kernels = 400;
  demo.gpus = 2;
  base::Progress progress;
  const auto made = generate::make_demo_profile(demo, progress);
  ASSERT_TRUE(made.ok());
  constexpr int64_t kPeriod = 100'000;
  for (const auto schema : {generate::NsysSchema::v2021, generate::NsysSchema::v2026}) {
    const std::filesystem::path path =
        folder.path() / fmt::format("{}.sqlite", static_cast<int>(schema));
    ASSERT_TRUE(generate::write_nsys_export(*made, generate::demo_key_op(demo.framework), schema,
                                            path, progress, generate::IfExists::fail,
                                            {.metric_period_ns = kPeriod})
                    .ok());
    const base::Result<Profile> result = testing::open_for_test(path);
    ASSERT_TRUE(result.ok()) << testing::error_of(result);
    const TraceCounters& counters = result->trace->counters;
    constexpr std::size_t kMetrics = generate::nsys::kSampledMetrics.size();
    ASSERT_EQ(counters.series.size(), 2 * kMetrics);
    for (std::size_t device = 0; device < 2; ++device) {
      const auto planted = generate::nsys::planted_samples(
          *made, profile::DeviceIndex(static_cast<profile::Row>(device)), kPeriod);
      ASSERT_LT(planted.front().time_ns, 0);
      for (std::size_t i = 0; i < kMetrics; ++i) {
        const TraceCounters::Series& series = counters.series[device * kMetrics + i];
        EXPECT_EQ(series.counter, generate::nsys::kSampledMetrics[i]);
        ASSERT_EQ(counters.end_of(device * kMetrics + i) - series.first, planted.size());
        for (std::size_t row = 0; row < planted.size(); ++row) {
          ASSERT_EQ(counters.time_ns[series.first + row], planted[row].time_ns);
          ASSERT_EQ(counters.value[series.first + row],
                    static_cast<double>(planted[row].values[i]));
        }
      }
    }
  }
}

}  // namespace
}  // namespace dlview::import::nsys
