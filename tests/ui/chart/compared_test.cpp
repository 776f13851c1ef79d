#include <gtest/gtest.h>

#include "ui/chart/iteration_name.h"
#include "ui/view_fixture.h"

namespace dlview::ui {
namespace {

class ComparedTest : public testing::ViewFixture {
 protected:
  ComparedTest() { open(testing::run_of_twenty_steps(), "train/step"); }
};

TEST_F(ComparedTest, AreTheSlowestAndTheTypicalOneWhereNobodyChose) {
  const auto compared = compared_iterations(model, 10);
  ASSERT_TRUE(compared);
  EXPECT_EQ(*compared, (ComparedIterations{10, model.outliers->typical, true, true}));
  EXPECT_EQ(describe_compared(*compared), "Slowest of the range: iteration 10 vs. the typical " +
                                              std::to_string(model.outliers->typical));
}

TEST_F(ComparedTest, AreThoseThatWereChosen) {
  model.compared = {4, 7};
  EXPECT_EQ(compared_iterations(model, 10), (ComparedIterations{4, 7, false, false}));
  EXPECT_EQ(describe_compared({4, 7, false, false}), "Iteration 4 vs. 7");
  EXPECT_EQ(describe_compared({4, 4, false, true}), "Iteration 4 is the typical one");
}

TEST_F(ComparedTest, AreCalledWhatTheyHappenToBe) {
  model.compared = {10, model.outliers->typical};
  EXPECT_EQ(compared_iterations(model, 10),
            (ComparedIterations{10, model.outliers->typical, true, true}));
}

TEST_F(ComparedTest, AreNoneAsLongAsTheTypicalOneIsNotKnown) {
  model.outliers.reset();
  EXPECT_FALSE(compared_iterations(model, 10));
}

}  // namespace
}  // namespace dlview::ui
