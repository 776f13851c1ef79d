// Rows that are to be shown in the Timeline: where there are many events they are looked for beside
// the frame.
#include <atomic>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "support/python_frames_sketch.h"
#include "support/sketch.h"
#include "ui/view_fixture.h"
#include "ui/views/tables/row_places.h"

namespace dlview::ui {
namespace {

class PlaceSearchTest : public ::testing::Test {
 protected:
  void open(int kernels) {
    testing::Sketch sketch;
    const auto instance = sketch.instance(sketch.op("net/conv"), 0, 10 + kernels);
    for (int k = 0; k < kernels; ++k) sketch.kernel(instance, k, k + 1);
    model.profile = sketch.finish();
    model.view = ViewId::ops;
    data = std::make_shared<const TableData>(TableData{model.profile, nullptr, {}});
  }
  void ask(std::size_t row) {
    tables.in_timeline = {data, row, [this](const TableData&, std::size_t wanted) {
                            ++looks;
                            return timeline::Request{.window = {},
                                                     .iteration = static_cast<int64_t>(wanted)};
                          }};
  }

  std::optional<timeline::Request> take() { return search.take(model, tables, host); }

  Model model;
  testing::AnsweringHost host{model};
  base::Scheduler scheduler;
  Tables tables{scheduler};
  std::shared_ptr<const TableData> data;
  std::atomic<int> looks = 0;
  PlaceSearch search;
};

constexpr int kMany = 60'000;

TEST_F(PlaceSearchTest, AmongFewEventsARowIsFoundAtOnceAndOnce) {
  open(10);
  EXPECT_FALSE(take());
  ask(3);
  const auto found = take();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->iteration, 3);
  EXPECT_FALSE(take());
}

TEST_F(PlaceSearchTest, AmongManyItIsFoundInTheBackground) {
  open(kMany);
  ask(3);
  {
    const base::Scheduler::Hold hold(scheduler);
    EXPECT_FALSE(take());
    EXPECT_EQ(looks, 0);
    ask(4);
    EXPECT_FALSE(take());
  }
  tables.background.wait_until_idle();
  const auto found = take();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->iteration, 4) << "the last that was asked for";
  EXPECT_EQ(looks, 1);
}

TEST_F(PlaceSearchTest, AmongManyFramesItIsFoundInTheBackground) {
  open(10);
  testing::FrameSketch frames({{1, 1}});
  for (int i = 0; i < 3000; ++i) frames.frame("f", i, i + 1);
  auto with_frames = std::make_shared<TableData>(*data);
  with_frames->python_frames =
      std::make_shared<const profile::PythonFrames>(std::move(frames).finish());
  data = with_frames;
  ask(3);
  EXPECT_FALSE(take());
  tables.background.wait_until_idle();
  EXPECT_TRUE(take());
}

TEST_F(PlaceSearchTest, ItIsForgottenWhenAnotherViewIsShownMeanwhile) {
  open(kMany);
  ask(3);
  EXPECT_FALSE(take());
  model.view = ViewId::groups;
  tables.background.wait_until_idle();
  EXPECT_FALSE(take());
  model.view = ViewId::ops;
  EXPECT_FALSE(take());
}

TEST_F(PlaceSearchTest, ItIsForgottenWithItsFile) {
  open(kMany);
  ask(3);
  EXPECT_FALSE(take());
  model.profile = std::make_shared<const profile::Profile>(*model.profile);
  tables.background.wait_until_idle();
  EXPECT_FALSE(take());
}

TEST_F(PlaceSearchTest, ItIsForgottenWhenTheRangeChangesMeanwhile) {
  open(kMany);
  ask(3);
  EXPECT_FALSE(take());
  model.aggregation = std::make_shared<const aggregate::Aggregation>();
  tables.background.wait_until_idle();
  EXPECT_FALSE(take());
}

TEST_F(PlaceSearchTest, ARowThatLiesNowhereIsSaidToDoSo) {
  open(10);
  tables.in_timeline = {
      data, 3, [](const TableData&, std::size_t) { return std::optional<timeline::Request>(); }};
  EXPECT_FALSE(take());
  EXPECT_FALSE(host.notice.empty());
}

}  // namespace
}  // namespace dlview::ui
