// Thread states, CPU samples and their call stacks in the Trace.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/nsys/test_export.h"
#include "support/test_data.h"

namespace dlview::import::nsys {
namespace {

using profile::kNoRow;
using profile::kNoText;
using profile::Profile;
using profile::Row;
using profile::Trace;
using ::testing::ElementsAre;
using testing::exported_id;
using testing::list;

// "main>wait>read": the call stack that ends with this frame, "?" for a function without a symbol.
std::string stack(const Profile& profile, Row frame) {
  const profile::TraceFrames& frames = profile.trace->frames;
  std::string text;
  for (; frame != kNoRow; frame = frames.caller[frame]) {
    const profile::StringId function = frames.function[frame];
    const std::string name(function == kNoText ? "?" : profile.text(function));
    text = text.empty() ? name : name + ">" + text;
  }
  return text;
}

std::vector<std::string> stacks(const Profile& profile) {
  std::vector<std::string> all;
  for (const Row frame : profile.trace->samples.frame) all.push_back(stack(profile, frame));
  return all;
}

constexpr const char* kTables = R"(
CREATE TABLE SCHED_EVENTS(start INTEGER, cpu INTEGER, isSchedIn INTEGER, globalTid INTEGER);
CREATE TABLE COMPOSITE_EVENTS(id INTEGER NOT NULL PRIMARY KEY, start INTEGER, cpu INTEGER,
  threadState INTEGER, globalTid INTEGER, cpuCycles INTEGER);
CREATE TABLE SAMPLING_CALLCHAINS(id INTEGER NOT NULL, symbol INTEGER NOT NULL, module INTEGER,
  unresolved INTEGER, stackDepth INTEGER NOT NULL, PRIMARY KEY(id, stackDepth));
INSERT INTO StringIds VALUES(100, 'main'), (101, 'wait'), (102, 'read'), (103, '0x7f0012ab'),
  (104, '/bin/python'), (105, '[Broken backtraces]'), (106, '0x0'), (107, '[Unknown]'),
  (108, '/lib/libc.so'), (109, '0xface_off');
)";

class HostRecordOfExport : public testing::ExportTest {
 protected:
  Profile open_with_host(const std::string& rows) { return open_with(kTables + rows); }
};

TEST_F(HostRecordOfExport, SwitchesAreInstants) {
  const Profile profile = open_with_host(fmt::format(
      "INSERT INTO SCHED_EVENTS VALUES(1000, 3, 1, {0}), (1500, 3, 0, {0}), (NULL, 1, 1, {0}),"
      "  (1600, 1, 1, NULL);",
      exported_id(70, 71)));
  const profile::TraceSwitches& switches = profile.trace->switches;
  EXPECT_THAT(list(switches.time_ns), ElementsAre(1000, 1500, 1600));
  EXPECT_THAT(testing::numbers_of(*profile.trace, switches.thread),
              ElementsAre("70/71", "70/71", "none"));
  EXPECT_THAT(list(switches.cpu), ElementsAre(3, 3, 1));
  EXPECT_THAT(list(switches.is_running), ElementsAre(1, 0, 1));
  ASSERT_EQ(profile.quality.size(), 1U);
  EXPECT_EQ(profile.quality[0].table, "SCHED_EVENTS");
}

TEST_F(HostRecordOfExport, SamplesShareFramesOfStacksThatBeginAlike) {
  const Profile profile = open_with_host(fmt::format(
      "INSERT INTO COMPOSITE_EVENTS VALUES(1, 1000, 0, 1, {0}, 9), (2, 1100, 0, 1, {0}, 9),"
      "  (3, 1200, 0, 1, {0}, 9);"
      "INSERT INTO SAMPLING_CALLCHAINS VALUES(1, 101, 104, NULL, 0), (1, 100, 104, NULL, 1),"
      "  (2, 102, 104, NULL, 0), (2, 100, 104, NULL, 1);",
      exported_id(70, 71)));
  const Trace& trace = *profile.trace;
  EXPECT_THAT(list(trace.samples.time_ns), ElementsAre(1000, 1100, 1200));
  EXPECT_THAT(stacks(profile), ElementsAre("main>wait", "main>read", ""));
  EXPECT_EQ(trace.frames.size(), 3U);
}

TEST_F(HostRecordOfExport, StacksAreReadInAnyOrderOfRows) {
  const Profile profile = open_with_host(fmt::format(
      "INSERT INTO COMPOSITE_EVENTS VALUES(8, 1000, 0, 1, {0}, 9), (9, 1100, 0, 1, {0}, 9);"
      "INSERT INTO SAMPLING_CALLCHAINS VALUES(9, 100, 104, NULL, 1), (8, 100, 104, NULL, 2),"
      "  (9, 102, 104, NULL, 0), (8, 101, 104, NULL, 1), (8, 102, 104, NULL, 0);",
      exported_id(70, 71)));
  EXPECT_THAT(stacks(profile), ElementsAre("main>wait>read", "main>read"));
}

TEST_F(HostRecordOfExport, FunctionsWithoutSymbolAreOnePerModule) {
  const Profile profile = open_with_host(fmt::format(
      "INSERT INTO StringIds VALUES(110, '0x7f00beef');"
      "INSERT INTO COMPOSITE_EVENTS VALUES(1, 1000, 0, 1, {0}, 9), (2, 1100, 0, 1, {0}, 9),"
      "  (3, 1200, 0, 1, {0}, 9), (4, 1300, 0, 1, {0}, 9);"
      "INSERT INTO SAMPLING_CALLCHAINS VALUES(1, 103, 104, 1, 0), (2, 110, 104, 1, 0),"
      "  (3, 110, 108, 1, 0), (4, 109, 104, NULL, 0);",
      exported_id(70, 71)));
  EXPECT_THAT(stacks(profile), ElementsAre("?", "?", "?", "0xface_off"));
  EXPECT_THAT(list(profile.trace->samples.frame), ElementsAre(0, 0, 1, 2));
}

TEST_F(HostRecordOfExport, PlaceholdersOfTheProfilerAreNoFunctions) {
  const Profile profile = open_with_host(fmt::format(
      "INSERT INTO COMPOSITE_EVENTS VALUES(1, 1000, 0, 1, {0}, 9), (2, 1100, 0, 1, {0}, 9);"
      "INSERT INTO SAMPLING_CALLCHAINS VALUES(1, 102, 104, NULL, 0), (1, 106, 107, 1, 1),"
      "  (1, 105, 105, NULL, 2), (2, 105, 105, NULL, 0);",
      exported_id(70, 71)));
  EXPECT_THAT(stacks(profile), ElementsAre("read", ""));
}

TEST_F(HostRecordOfExport, AStackOfNoSampleIsLeftOut) {
  const Profile profile =
      open_with_host(fmt::format("INSERT INTO COMPOSITE_EVENTS VALUES(1, 1000, 0, 1, {0}, 9);"
                                 "INSERT INTO SAMPLING_CALLCHAINS VALUES(7, 102, 104, NULL, 0);",
                                 exported_id(70, 71)));
  EXPECT_THAT(stacks(profile), ElementsAre(""));
}

TEST(HostRecordOfRealExport, HasEverySampleAndSwitch) {
  DLVIEW_REQUIRE_TEST_DATA();
  const auto path =
      *testing::test_data_folder() / "nsys" / "2023.4_dataloader_bound_59_steps.sqlite";
  const base::Result<Profile> profile = testing::open_for_test(path);
  ASSERT_TRUE(profile.ok());
  const Trace& trace = *profile->trace;
  EXPECT_EQ(trace.switches.size(), 3360U);
  EXPECT_EQ(trace.samples.size(), 24574U);
  EXPECT_EQ(trace.samples.size(), trace.samples.thread.size());
  EXPECT_LT(trace.frames.size(), 851511U / 10);
  int64_t copying = 0;
  for (const Row frame : trace.samples.frame) {
    copying += stack(*profile, frame).find("::copy_kernel(") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(copying, 5000);
}

}  // namespace
}  // namespace dlview::import::nsys
