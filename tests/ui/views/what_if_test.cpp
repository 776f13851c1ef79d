#include "ui/views/dashboard/what_if.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/recorded.h"
#include "support/random_profile.h"
#include "support/sketch.h"

namespace dlview::ui {
namespace {

using aggregate::WhatIfChange;
using aggregate::WhatIfKind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class WhatIfContentTest : public ::testing::Test {
 protected:
  // A conv of 40 ns on Tensor Cores, a relu of 20, a copy of 10; the rest of 100 is the data
  // loader.
  WhatIfContentTest() {
    testing::Sketch sketch;
    const auto conv = sketch.instance(sketch.op("net/conv", "conv2d", true), 0, 0);
    const auto relu = sketch.instance(sketch.op("net/relu"), 0, 0);
    sketch.instance(sketch.op("read", "DataLoader"), 0, 30);
    sketch.kernel(conv, 30, 70, 0, "xmma", true);
    sketch.kernel(relu, 70, 90);
    sketch.copy(relu, 90, 100);
    use(sketch.finish(), {});
  }
  void use(std::shared_ptr<const profile::Profile> profile, const aggregate::Cut& cut) {
    profile_ = std::move(profile);
    const aggregate::RuleIndex rules(*profile_);
    const aggregate::ExclusiveIndex index(*profile_, rules,
                                          aggregate::cut_iterations(*profile_, cut), cut);
    sums_ = index.sums({0, index.iteration_count() - 1});
  }
  WhatIfContent content(const std::vector<WhatIfChange>& on = {}) const {
    return prepare_what_if(*profile_, sums_, on, {});
  }
  std::shared_ptr<const profile::Profile> profile_;
  aggregate::PartSums sums_;
};

std::vector<std::string> texts(const std::vector<WhatIfRow>& rows) {
  std::vector<std::string> found;
  for (const WhatIfRow& row : rows) {
    found.push_back(row.label + ": " + row.share + (row.is_on ? " " + row.gain : ""));
  }
  return found;
}

TEST_F(WhatIfContentTest, ListsWhatHasTime) {
  const WhatIfContent all = content();
  EXPECT_THAT(texts(all.waits), ElementsAre("Data loader time: 30.0%", "Exposed copies: 10.0%"));
  EXPECT_THAT(texts(all.gaps), IsEmpty());
  EXPECT_THAT(texts(all.faster), ElementsAre("Tensor Core kernels: 40.0%", "Other kernels: 20.0%",
                                             "conv2d: 40.0%", "DataLoader: 30.0%", "relu: 30.0%",
                                             "net/conv: 40.0%", "net/relu: 30.0%", "read: 30.0%"));
  EXPECT_EQ(all.gain, "");
  EXPECT_THAT(all.new_time, HasSubstr("Now 100"));
}

TEST_F(WhatIfContentTest, SaysAtMostWhatIsGained) {
  const WhatIfContent two =
      content({{WhatIfKind::op_type, "conv2d", 2000}, {WhatIfKind::part, "data_loader", 0}});
  EXPECT_EQ(two.gain, "50.0%");
  EXPECT_EQ(two.least_ns, 50);
  EXPECT_EQ(two.most_ns, 50);
  EXPECT_THAT(two.new_time, HasSubstr("50\u202fns per iteration, now 100"));
  EXPECT_THAT(texts(two.waits),
              ElementsAre("Data loader time: 30.0% 30.0%", "Exposed copies: 10.0%"));
  EXPECT_THAT(texts(two.faster), ::testing::Contains("conv2d: 40.0% 20.0%"));
  EXPECT_THAT(two.full_gain, HasSubstr("100\u202fns − 50\u202fns = 50\u202fns"));
}

TEST_F(WhatIfContentTest, PutsNumbersIntoFormulas) {
  const WhatIfContent faster = content({{WhatIfKind::op_type, "conv2d", 4000}});
  const auto conv = std::ranges::find(faster.faster, "op_type/conv2d", &WhatIfRow::id);
  ASSERT_NE(conv, faster.faster.end());
  EXPECT_EQ(conv->full_gain, "(1 − 1/4) × 40\u202fns = 30\u202fns of 100\u202fns · 30.000000%");
  EXPECT_THAT(faster.after.front().full, "40\u202fns − 30\u202fns = 10\u202fns");
}

TEST_F(WhatIfContentTest, KeepsARowThatIsOn) {
  const WhatIfContent on = content({{WhatIfKind::kernel, "xmma", 2000}});
  ASSERT_FALSE(on.faster.empty());
  EXPECT_EQ(on.faster.back().id, "kernel/xmma");
  EXPECT_EQ(on.faster.back().gain, "20.0%");
}

TEST_F(WhatIfContentTest, AddsUpToTheIteration) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    testing::RandomProfileOptions options;
    options.seed = seed;
    use(std::make_shared<const profile::Profile>(testing::random_profile(options)),
        {.key_op = std::string(testing::kRandomKeyOp)});
    const WhatIfContent found = content({{WhatIfKind::part, "cpu", 1300}});
    const auto sum = [](const std::vector<WhatIfPart>& parts) {
      return std::accumulate(parts.begin(), parts.end(), int64_t{0},
                             [](int64_t ns, const WhatIfPart& part) { return ns + part.ns; });
    };
    EXPECT_EQ(sum(found.before), found.mean_ns);
    EXPECT_EQ(sum(found.after), found.least_ns);
    EXPECT_LE(found.least_ns, found.most_ns);
  }
}

//   0        10        20
//   a |-----------------|
//   b |-----------------|
TEST_F(WhatIfContentTest, ShowsARangeForStreamsSideBySide) {
  testing::Sketch sketch;
  sketch.kernel(sketch.instance(sketch.op("net/a"), 0, 0), 0, 20);
  sketch.kernel(sketch.instance(sketch.op("net/b"), 0, 0), 0, 20);
  use(sketch.finish(), {});
  const WhatIfContent found = content({{WhatIfKind::op, "OP_1", 2000}});
  EXPECT_EQ(found.least_ns, 10);
  EXPECT_EQ(found.most_ns, 20);
  EXPECT_THAT(found.new_time, HasSubstr("10\u202fns to 20\u202fns per iteration"));
}

TEST_F(WhatIfContentTest, SaysThatDataLoaderTimeIsNotRecorded) {
  testing::Sketch sketch;
  sketch.kernel(sketch.instance(sketch.op("net/a"), 0, 0), 0, 20);
  auto profile = std::make_shared<profile::Profile>(*sketch.finish());
  profile->not_recorded.push_back({std::string(profile::kNoDataLoader), ""});
  use(std::move(profile), {});
  const WhatIfContent found = content();
  ASSERT_EQ(found.waits.size(), 1U);
  EXPECT_FALSE(found.waits[0].is_recorded);
  EXPECT_THAT(texts(found.waits), ElementsAre("Data loader time: not recorded"));
  EXPECT_THAT(found.waits[0].about, HasSubstr("idle cause Data loading"));
}

TEST_F(WhatIfContentTest, SaysWhatEachRowCounts) {
  const WhatIfContent all = content();
  EXPECT_THAT(all.waits[0].about, HasSubstr("ops inside it included"));
  for (const WhatIfRow& row : all.faster) EXPECT_NE(row.about, "") << row.id;
  const auto loader = std::ranges::find(all.faster, "op_type/DataLoader", &WhatIfRow::id);
  ASSERT_NE(loader, all.faster.end());
  EXPECT_THAT(loader->about, HasSubstr("GPU idle time in which they run on the host"));
}

TEST_F(WhatIfContentTest, TellsOpsOfOneNameApart) {
  testing::Sketch sketch;
  sketch.kernel(sketch.instance(sketch.op("net/a"), 0, 0), 0, 20);
  sketch.kernel(sketch.instance(sketch.op("net/a"), 0, 0), 20, 30);
  use(sketch.finish(), {});
  EXPECT_THAT(texts(content().faster),
              ::testing::IsSupersetOf({"net/a (OP_1): 66.7%", "net/a (OP_2): 33.3%"}));
}

TEST_F(WhatIfContentTest, SaysWhyThereIsNothing) {
  use(testing::Sketch(0).finish(), {});
  EXPECT_THAT(content().why_none, HasSubstr("No GPUs recorded"));
}

}  // namespace
}  // namespace dlview::ui
