// What the Dashboard says first of runs whose problem is known: cause, size and fix stand in the
// first finding, on screen as the file opens.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "app/program_support.h"
#include "generate/capture.h"
#include "generate/programs/problems.h"
#include "support/test_data.h"
#include "workspace/open_request.h"

namespace dlview::app {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class FirstLines : public ProgramTest {
 protected:
  void open_file(const std::filesystem::path& path) {
    open(workspace::file_request(path.string(), {}, workspace::EngineChoice::automatic));
    ASSERT_EQ(state()["state"], "open");
    values_ = state()["values"];
  }
  void open_real(const char* name) { open_file(*testing::test_data_folder() / "nsys" / name); }
  // The named program with its planted problem.
  void open_planted(std::string_view name) {
    const std::filesystem::path path = folder_.path() / "run.sqlite";
    base::Progress progress;
    ASSERT_TRUE(generate::write_capture(planted(name).make(kSeed, true).capture,
                                        generate::NsysSchema::v2026, path, progress)
                    .ok());
    open_file(path);
  }
  // What the problem adds to a step.
  static double cost_ns(std::string_view name) {
    return generate::programs::usual_step_ns(planted(name).make(kSeed, true)) -
           generate::programs::usual_step_ns(planted(name).make(kSeed, false));
  }
  static const generate::programs::PlannedProblem& planted(std::string_view name) {
    return *std::ranges::find(generate::programs::planned_problems(), name,
                              &generate::programs::PlannedProblem::name);
  }
  std::string value(const std::string& name) const { return values_.value(name, ""); }
  std::string first(const std::string& what) const { return value("dashboard/advice/0/" + what); }
  // The savings that the window shows, in ns.
  double first_stake_ns() const {
    const std::string text = first("stake");
    const double number = std::strtod(text.c_str(), nullptr);
    return text.ends_with("ms") ? number * 1e6 : text.ends_with("µs") ? number * 1e3 : number * 1e9;
  }
  // Not below the window's lower edge at its smallest usual size.
  bool is_on_screen(const std::string& item) {
    const Json rect = state()["items"].value(item, Json());
    return rect.is_array() && rect[1].get<double>() > 0 && rect[3].get<double>() < 776;
  }

  static constexpr uint64_t kSeed = 77;
  testing::TemporaryFolder folder_;
  Json values_;
};

TEST_F(FirstLines, OfARunThatWaitsForDataNameTheInputPipeline) {
  DLVIEW_REQUIRE_TEST_DATA();
  open_real("2023.4_dataloader_bound_59_steps.sqlite");
  EXPECT_THAT(first("problem"), StartsWith("GPU idle for 623\u202fms per iteration (82.6%)"));
  EXPECT_EQ(first("stake"), "623\u202fms");
  EXPECT_THAT(first("advice"),
              HasSubstr("waiting for data that pin-memory thread 114211 prepares"));
  EXPECT_THAT(first("advice"), HasSubstr("more DataLoader workers"));
  EXPECT_THAT(first("places/0"), HasSubstr("asleep · waits for the pin-memory thread"));
  EXPECT_TRUE(is_on_screen("dashboard/advice/0/places/0"));
}

TEST_F(FirstLines, OfADataParallelRunNameTransposesAndTheirLayout) {
  DLVIEW_REQUIRE_TEST_DATA();
  open_real("2023.4_ddp_rank0_of_4xa100_59_steps.sqlite");
  EXPECT_THAT(first("problem"),
              StartsWith("Layout transposes: 4.12\u202fms per iteration (13.5%)"));
  EXPECT_THAT(first("advice"), HasSubstr("channels_last"));
  EXPECT_TRUE(is_on_screen("dashboard/advice/0/places/0"));
  for (const auto& [name, text] : values_.items()) {
    if (!name.starts_with("dashboard/advice/") || !name.ends_with("/problem")) continue;
    EXPECT_THAT(text.get<std::string>(), ::testing::Not(HasSubstr("pageable"))) << name;
  }
  // The thread that launches runs on a CPU during the longest gaps.
  for (const auto& [name, text] : values_.items()) {
    if (!name.starts_with("dashboard/advice/") || !name.ends_with("/advice")) continue;
    EXPECT_THAT(text.get<std::string>(), ::testing::Not(HasSubstr("waiting for data"))) << name;
  }
}

TEST_F(FirstLines, OfARunThatReadsScalarsSayHowToKeepThemOut) {
  open_planted("item_in_every_third_layer");
  EXPECT_THAT(first("problem"), StartsWith("GPU idle for "));
  EXPECT_THAT(first("advice"), HasSubstr(".item()"));
  EXPECT_THAT(first("parts/0/problem"),
              HasSubstr("Scalar reads block the host 4 times per iteration"));
  EXPECT_NEAR(first_stake_ns(), cost_ns("item_in_every_third_layer"),
              0.2 * cost_ns("item_in_every_third_layer"));
  EXPECT_THAT(first("places/0"), HasSubstr("cuda"));  // the call, not what follows it
  EXPECT_TRUE(is_on_screen("dashboard/advice/0/action"));
}

TEST_F(FirstLines, OfARunThatCopiesInItsComputeStreamSayToCopyAhead) {
  open_planted("batch_on_the_compute_stream");
  EXPECT_THAT(first("problem"), HasSubstr("host-to-device copies"));
  EXPECT_THAT(first("advice"), HasSubstr("Prefetch the next batch"));
  EXPECT_NEAR(first_stake_ns(), cost_ns("batch_on_the_compute_stream"),
              0.1 * cost_ns("batch_on_the_compute_stream"));
  EXPECT_TRUE(is_on_screen("dashboard/advice/0/places/0"));
}

}  // namespace
}  // namespace dlview::app
