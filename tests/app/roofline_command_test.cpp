// `dlview roofline` as scripts see it.

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/command_support.h"
#include "app/commands/commands.h"
#include "base/progress.h"
#include "generate/limits.h"
#include "generate/pytorch.h"
#include "support/file_contents.h"
#include "support/test_data.h"

namespace dlview::app {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Runs `dlview roofline FILE ARGUMENTS`.
Outcome roofline(const fs::path& file, std::vector<std::string> arguments = {}) {
  CLI::App program{"dlview", "dlview"};
  ChosenCommand chosen;
  bind_roofline(program, chosen);
  arguments.insert(arguments.begin(), {"roofline", file.string()});
  return run_command_line(program, chosen, std::move(arguments));
}

// The cells of a column of the table that `dlview roofline` printed as JSON.
nlohmann::json column(const Outcome& printed, const std::string& name) {
  const auto table = nlohmann::json::parse(printed.out);
  nlohmann::json cells = nlohmann::json::array();
  for (std::size_t i = 0; i < table.at("columns").size(); ++i) {
    if (table["columns"][i].at("name") != name) continue;
    for (const auto& row : table.at("rows")) cells.push_back(row.at(i));
  }
  return cells;
}

class RooflineCommand : public ::testing::Test {
 protected:
  // A run with planted limits, and its counters beside it.
  fs::path planted() {
    generate::LimitsOptions options;
    options.format = generate::LimitsFormat::pytorch;
    options.gpu = generate::LimitsGpu::h100;
    options.counters_path = counters();
    auto truth = generate::generate_limits(folder_.path() / "run.json", options, progress_);
    EXPECT_TRUE(truth.ok());
    if (truth) truth_ = *std::move(truth);
    return folder_.path() / "run.json";
  }
  fs::path counters() const { return folder_.path() / "run.csv"; }
  fs::path demo(generate::PytorchOptions options) {
    options.kernels = 300;
    EXPECT_TRUE(generate::generate_pytorch(folder_.path() / "demo.json", options, progress_).ok());
    return folder_.path() / "demo.json";
  }

  testing::TemporaryFolder folder_;
  base::Progress progress_;
  generate::LimitsTruth truth_;
};

TEST_F(RooflineCommand, PrintsTimesOfThePlantedOps) {
  const fs::path run = planted();
  const Outcome printed = roofline(run, {"--by", "kernel", "--format", "json"});
  EXPECT_EQ(printed.code, kExitSuccess);
  EXPECT_THAT(printed.err, IsEmpty());
  int64_t time_ns = 0, planted_ns = 0;
  for (const auto& cell : column(printed, "limit_time")) time_ns += cell.get<int64_t>();
  for (const auto& op : truth_.ops) planted_ns += op.time_ns;
  EXPECT_EQ(time_ns, planted_ns);
  EXPECT_GT(planted_ns, 0);
}

TEST_F(RooflineCommand, KeepsRowsOfANumberFormat) {
  const fs::path run = planted();
  const auto types = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--by", "kernel", "--format", "json"});
    return column(roofline(run, std::move(arguments)), "math_type");
  };
  const auto tensor = types({"--type", "fp16 tensor"});
  ASSERT_FALSE(tensor.empty());
  EXPECT_LT(tensor.size(), types({}).size());
  for (const auto& type : tensor) EXPECT_EQ(type, "FP16 Tensor");
}

// Nsight Compute's rule names other limits than FLOP/s.
TEST_F(RooflineCommand, ShowsTheLimitOfARule) {
  const fs::path run = planted();
  const Outcome printed =
      roofline(run, {"--by", "kernel", "--rule", "s", "--ncu", counters().string()});
  EXPECT_EQ(printed.code, kExitSuccess);
  EXPECT_THAT(printed.out, HasSubstr("High Compute Throughput"));
  EXPECT_THAT(roofline(run, {"--by", "kernel"}).out, Not(HasSubstr("Throughput")));
}

TEST_F(RooflineCommand, WritesThePlotOfTheRowsItPrints) {
  const fs::path run = planted(), file = folder_.path() / "plot.svg";
  const Outcome printed =
      roofline(run, {"--type", "fp16 tensor", "--format", "json", "--svg", file.string()});
  EXPECT_EQ(printed.code, kExitSuccess) << printed.err;
  const std::string svg = testing::contents_of(file);
  EXPECT_THAT(svg, AllOf(HasSubstr("</svg>"), HasSubstr("Limits by op · GPU NVIDIA H100"),
                         HasSubstr("FP16 Tensor 989")));
  const auto names = column(printed, "limit_name");
  ASSERT_FALSE(names.empty());
  for (const auto& name : names) EXPECT_THAT(svg, HasSubstr(name.get<std::string>()));
  EXPECT_THAT(svg, Not(HasSubstr("FP32")));
}

TEST_F(RooflineCommand, DoesNotWriteThePlotIntoTheProfile) {
  const fs::path run = planted();
  const std::string before = testing::contents_of(run);
  const Outcome refused = roofline(run, {"--svg", run.string()});
  EXPECT_EQ(refused.code, kExitUnusable);
  EXPECT_THAT(refused.err, HasSubstr("Choose another name for the plot"));
  EXPECT_EQ(testing::contents_of(run), before);
}

TEST_F(RooflineCommand, RefusesUnknownNumberFormat) {
  const Outcome refused = roofline("run.json", {"--type", "fp15"});
  EXPECT_EQ(refused.code, kExitUnusable);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("unknown number format"), HasSubstr("TF32 Tensor")));
}

TEST_F(RooflineCommand, SaysWhatToRecordWithoutShapesAndCounters) {
  const fs::path run = demo({});
  for (const char* by : {"op", "kernel", "group"}) {
    const Outcome printed = roofline(run, {"--by", by});
    EXPECT_EQ(printed.code, kExitSuccess);
    EXPECT_THAT(printed.err, AllOf(HasSubstr("record_shapes=True"), HasSubstr("--ncu FILE"))) << by;
  }
}

TEST_F(RooflineCommand, AsksForPeaksOfAnUnknownGpu) {
  generate::PytorchOptions options;
  options.record_shapes = true;
  options.gpu = generate::PytorchGpu::amd;
  EXPECT_THAT(roofline(demo(options)).err, HasSubstr("--peaks FILE"));
}

}  // namespace
}  // namespace dlview::app
