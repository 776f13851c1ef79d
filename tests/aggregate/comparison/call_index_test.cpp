#include "aggregate/comparison/call_index.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "support/random_profile.h"
#include "support/seeds.h"

namespace dlview::aggregate {
namespace {

using profile::InstanceIndex;
using profile::OpIndex;
using profile::Row;

TEST(CallIndexTest, CountsAsAPassDoes) {
  for (uint64_t seed = 1; seed <= testing::seeds(9); ++seed) {
    const profile::Profile profile = testing::random_profile({.seed = seed, .processes = 2});
    const CallIndex index(profile);
    const auto& instances = profile.instances;
    const auto& kernels = profile.kernels;
    ASSERT_EQ(index.op_count(), profile.ops.size());
    std::mt19937 random(static_cast<uint32_t>(seed));
    for (int trial = 0; trial < 20; ++trial) {
      const auto size = static_cast<uint32_t>(instances.size());
      const auto [first, last] = std::minmax({random() % (size + 1), random() % (size + 1)});
      const InstanceSpan span{InstanceIndex(static_cast<Row>(first)),
                              InstanceIndex(static_cast<Row>(last))};
      const auto is_within = [&](InstanceIndex i) { return i >= span.first && i < span.last; };
      for (OpIndex op{0}; op < profile.ops.size(); ++op) {
        int64_t calls = 0;
        for (InstanceIndex i{0}; i < instances.size(); ++i) {
          calls += instances.op[i] == op && is_within(i);
        }
        EXPECT_EQ(index.calls(op, span), calls);
      }
      if (kernels.size() == 0) continue;
      const profile::KernelIndex some(static_cast<Row>(random() % kernels.size()));
      const OpIndex op = instances.op[kernels.instance[some]];
      int64_t launches = 0;
      for (profile::KernelIndex k{0}; k < kernels.size(); ++k) {
        launches += kernels.name[k] == kernels.name[some] &&
                    instances.op[kernels.instance[k]] == op && is_within(kernels.instance[k]);
      }
      EXPECT_EQ(index.launches(op, kernels.name[some], span), launches);
    }
  }
}

}  // namespace
}  // namespace dlview::aggregate
