// The synthetic programs of the labeled set are captures as Nsight Systems makes them.
#include <algorithm>
#include <set>
#include <string_view>

#include <gtest/gtest.h>

#include "generate/capture.h"
#include "generate/programs/labeled.h"
#include "import/open.h"
#include "support/test_data.h"

namespace dlview::generate::programs {
namespace {

TEST(LabeledPrograms, HaveUniqueNamesAndReasons) {
  std::set<std::string_view> names;
  for (const LabeledProgram& program : labeled_programs()) {
    EXPECT_TRUE(names.insert(program.name).second) << program.name;
    EXPECT_FALSE(program.reason.empty()) << program.name;
  }
  EXPECT_GE(names.size(), 40U);
}

// Every range, call and kernel is found again; ranges that are still open at the end have no
// length.
TEST(LabeledPrograms, OpenWithAllEvents) {
  const testing::TemporaryFolder folder;
  for (const NsysSchema schema : {NsysSchema::v2021, NsysSchema::v2023, NsysSchema::v2026}) {
    for (const LabeledProgram& program : labeled_programs()) {
      const Capture capture = program.make(7).capture;
      const auto path = folder.path() / "run.sqlite";
      base::Progress progress;
      ASSERT_TRUE(write_capture(capture, schema, path, progress, IfExists::replace).ok());
      const auto opened = import::open_profile(path, progress);
      ASSERT_TRUE(opened.ok()) << program.name << ": " << opened.error().detail;
      const auto kernels =
          std::ranges::count(capture.works, Capture::WorkKind::kernel, &Capture::Work::kind);
      EXPECT_EQ(std::ssize(opened->trace->kernels.start_ns), kernels) << program.name;
      EXPECT_EQ(opened->trace->nvtx.start_ns.size(), capture.ranges.size()) << program.name;
      EXPECT_EQ(opened->trace->api_calls.size(), capture.calls.size()) << program.name;
    }
  }
}

TEST(LabeledPrograms, DependOnTheSeed) {
  const auto ends = [](uint64_t seed) {
    std::vector<int64_t> all;
    for (const Capture::Work& work : random_program(seed).capture.works) all.push_back(work.end_ns);
    return all;
  };
  EXPECT_EQ(ends(3), ends(3));
  EXPECT_NE(ends(3), ends(4));
}

TEST(Capture, KeepDropsEventsOutsideTheWindow) {
  Capture capture;
  capture.threads.push_back({{1, 1}, "main"});
  capture.ranges = {{0, 40, 0, "opened before"}, {20, 30, 0, "inside"}, {35, 60, 0, "still open"}};
  capture.calls = {{5, 6, 0, "before"}, {25, 26, 0, "inside"}, {36, 37, 0, "inside"}};
  for (std::size_t call = 0; call < 3; ++call) {
    Capture::Work work;
    work.call = call;
    work.start_ns = capture.calls[call].end_ns;
    work.end_ns = work.start_ns + 10;
    capture.works.push_back(work);
  }
  capture.keep(10, 40);
  ASSERT_EQ(capture.ranges.size(), 2U);
  EXPECT_EQ(capture.ranges[0].end_ns, 30);
  EXPECT_EQ(capture.ranges[1].end_ns, std::nullopt);
  EXPECT_EQ(capture.calls.size(), 2U);
  ASSERT_EQ(capture.works.size(), 1U) << "the last one ends at 47";
  EXPECT_EQ(capture.calls[capture.works[0].call].start_ns, 25);
}

}  // namespace
}  // namespace dlview::generate::programs
