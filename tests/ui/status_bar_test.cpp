#include "ui/status_bar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "profile/recorded.h"
#include "support/sketch.h"

namespace dlview::ui {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Model open_model() {
  testing::Sketch sketch;
  sketch.kernel(sketch.instance(sketch.op("a"), 0, 10), 2, 5);
  Model model;
  auto facts = std::make_shared<profile::Profile>(*sketch.finish());
  facts->source.format = "DLProf 1.8.0";
  facts->source.file_bytes = 2048;
  model.profile = facts;
  model.aggregation = std::make_shared<aggregate::Aggregation>(
      aggregate::make_cpu_aggregator(facts)->aggregate({}));
  model.file_name = "/data/run.sqlite";
  model.engine = "CPU";
  model.aggregation_ms = 1.3;
  return model;
}

TEST(StatusBar, TellsFileIterationsKernelsAndTheLastAggregation) {
  EXPECT_THAT(prepare_status(open_model()).left,
              ElementsAre("run.sqlite · DLProf 1.8.0", "1 iteration", "1 kernel · 2.00\u202fKiB",
                          "computed on CPU · 1.30\u202fms"));
}

TEST(StatusBar, LeavesTheTimeOutWhereItIsNotToBeShown) {
  Model model = open_model();
  model.aggregation_ms = -1;
  EXPECT_EQ(prepare_status(model).left.back(), "computed on CPU");
}

TEST(StatusBar, SaysOfKeptNumbersWhatWillAnswer) {
  Model model = open_model();
  model.aggregation_ms = 0;
  model.engine_reason = "Too few kernels for a GPU to be faster";
  EXPECT_EQ(prepare_status(model).left.back(), "cached numbers · changes computed on CPU");
  EXPECT_EQ(prepare_status(model).engine_reason,
            "Numbers from the last time the file was open; dlview is checking them\n"
            "Too few kernels for a GPU to be faster");
  model.engine.clear();
  model.aggregating = true;
  EXPECT_EQ(prepare_status(model).left.back(), "cached numbers · …");
}

TEST(StatusBar, CountsUnusableRowsAndWhatIsNotRecorded) {
  Model model = open_model();
  auto facts = std::make_shared<profile::Profile>(*model.profile);
  facts->quality = {{"t", "r", 2, ""}, {"u", "s", 1, ""}};
  facts->not_recorded = {{"I/O", ""}};
  model.profile = facts;
  EXPECT_EQ(prepare_status(model).quality, "3 rows skipped · 1 item not recorded");
}

TEST(StatusBar, SaysThatTheFileIsDamaged) {
  Model model = open_model();
  auto facts = std::make_shared<profile::Profile>(*model.profile);
  facts->quality = {{"traceEvents", std::string(profile::kTruncated), 0, "all is missing"}};
  model.profile = facts;
  EXPECT_EQ(prepare_status(model).quality, "damaged file");
}

TEST(StatusBar, IsQuietWhenNothingIsOpen) {
  EXPECT_THAT(prepare_status(Model{}).left, IsEmpty());
}

}  // namespace
}  // namespace dlview::ui
