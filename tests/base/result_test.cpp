#include "base/result.h"

#include <memory>

#include <gtest/gtest.h>

#include "base/progress.h"
#include "base/value_table.h"

namespace dlview::base {
namespace {

TEST(Result, HoldsAValueOrAnError) {
  const Result<int> good = 7;
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(*good, 7);
  const Result<int> bad = Error{"No such file", "run.sqlite", "Check the path"};
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().title, "No such file");
}

TEST(Result, MovesOutWhatCannotBeCopied) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(3);
  const std::unique_ptr<int> value = std::move(result).value();
  EXPECT_EQ(*value, 3);
}

TEST(Error, PrintsItsPartsOnLinesOfTheirOwn) {
  EXPECT_EQ(to_text(Error{"No such file", "run.sqlite", "Check the path"}),
            "No such file\n  run.sqlite\n  Check the path");
  EXPECT_EQ(to_text(Error{"Canceled", "", "Open it again."}), "Canceled\n  Open it again.");
}

TEST(Error, LeavesOutAnEmptyDetail) {
  const Error named{"Invalid --engine: \"gpu\"", "", "Valid values: auto, cpu, cuda"};
  EXPECT_EQ(without_advice(named), "Invalid --engine: \"gpu\"");
  EXPECT_EQ(one_line(named), "Invalid --engine: \"gpu\". Valid values: auto, cpu, cuda");
  const Error full{"No such file", "run.sqlite", "Check the path"};
  EXPECT_EQ(without_advice(full), "No such file: run.sqlite");
  EXPECT_EQ(one_line(full), "No such file: run.sqlite. Check the path");
}

TEST(Progress, TellsStageAndFractionAndPassesOnCancel) {
  Progress progress;
  progress.begin_stage("Reading kernels", 200);
  progress.add_done(50);
  EXPECT_EQ(progress.snapshot().stage, "Reading kernels");
  EXPECT_FLOAT_EQ(progress.snapshot().fraction(), 0.25F);
  progress.begin_stage("Sorting");
  EXPECT_FLOAT_EQ(progress.snapshot().fraction(), 0.0F);
  EXPECT_FALSE(progress.canceled());
  progress.cancel();
  EXPECT_TRUE(progress.canceled());
}

TEST(Value, PrintsRealsWithSixDecimalsAsDlprofStoresThem) {
  EXPECT_EQ(to_text(Value{}), "NULL");
  EXPECT_EQ(to_text(Value{int64_t{-4}}), "-4");
  EXPECT_EQ(to_text(Value{78.857059}), "78.857059");
  EXPECT_EQ(to_text(Value{std::string("conv2d")}), "conv2d");
}

}  // namespace
}  // namespace dlview::base
