// The GPU's algorithms on the host, against the slow reference, bit for bit.

#include <memory>

#include <gtest/gtest.h>

#include "aggregate/engine/engine_aggregator.h"
#include "aggregate/thrust/thrust_engine.h"

#include "aggregate/difference.h"
#include "aggregate/reference/reference.h"
#include "support/random_profile.h"

namespace dlview::aggregate {
namespace {
TEST(ThrustEngine, Smoke) {
  for (uint64_t seed = 1; seed < 20; ++seed) {
    const auto profile = std::make_shared<const profile::Profile>(testing::random_profile({.seed = seed}));
    auto e = make_engine_aggregator(profile, [](const profile::Profile& p, std::shared_ptr<const ProfileIndex> i) { return std::make_unique<ThrustEngine<HostSpace>>(p, i); });
    auto r = make_reference_aggregator(profile);
    Selection s{{CutKind::start, std::string(testing::kRandomKeyOp)}, {2, 6}};
    EXPECT_EQ(first_difference(e->aggregate(s), r->aggregate(s)), "");
    for (auto f : {Filter{.kind=FilterKind::tensor_core,.number=1}, Filter{.kind=FilterKind::op_type,.text="conv2d"}, Filter{.kind=FilterKind::time,.window={5000,20000}}}) {
      s.filters = {f};
      EXPECT_EQ(first_difference(e->aggregate(s), r->aggregate(s)), "") << to_text(f);
    }
  }
}
}  // namespace
}  // namespace dlview::aggregate
