// Rows that are to be shown in the Timeline: where there are many events they are looked for beside
// the frame.
#include "ui/views/tables/place_search.h"

#include <atomic>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "support/sketch.h"

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

  Model model;
  Tables tables{[] {}};
  std::shared_ptr<const TableData> data;
  std::atomic<int> looks = 0;
  PlaceSearch search;
};

constexpr int kMany = 60'000;

TEST_F(PlaceSearchTest, AmongFewEventsARowIsFoundAtOnceAndOnce) {
  open(10);
  EXPECT_FALSE(search.take(model, tables));
  ask(3);
  const auto found = search.take(model, tables);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->iteration, 3);
  EXPECT_FALSE(search.take(model, tables));
}

TEST_F(PlaceSearchTest, AmongManyItIsFoundBesideTheFrame) {
  open(kMany);
  ask(3);
  {
    const Background::Hold hold(tables.background);
    EXPECT_FALSE(search.take(model, tables));
    EXPECT_EQ(looks, 0);
    ask(4);
    EXPECT_FALSE(search.take(model, tables));
  }
  tables.background.wait_until_idle();
  const auto found = search.take(model, tables);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->iteration, 4) << "the last that was asked for";
  EXPECT_EQ(looks, 1);
}

TEST_F(PlaceSearchTest, ItIsForgottenWhenAnotherViewIsShownMeanwhile) {
  open(kMany);
  ask(3);
  EXPECT_FALSE(search.take(model, tables));
  model.view = ViewId::groups;
  tables.background.wait_until_idle();
  EXPECT_FALSE(search.take(model, tables));
  model.view = ViewId::ops;
  EXPECT_FALSE(search.take(model, tables));
}

TEST_F(PlaceSearchTest, ItIsForgottenWithItsFile) {
  open(kMany);
  ask(3);
  EXPECT_FALSE(search.take(model, tables));
  model.profile = std::make_shared<const profile::Profile>(*model.profile);
  tables.background.wait_until_idle();
  EXPECT_FALSE(search.take(model, tables));
}

}  // namespace
}  // namespace dlview::ui
