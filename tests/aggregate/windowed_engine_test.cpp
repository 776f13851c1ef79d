// The engines against the slow reference where windows begin and end beside runs of op instances,
// bit for bit.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/difference.h"
#include "aggregate/engines.h"
#include "aggregate/reference/reference.h"
#include "aggregate/run_windows.h"
#include "support/random_profile.h"
#include "support/seeds.h"

namespace dlview::aggregate {
namespace {

using profile::Profile;
using profile::Row;

class WindowedEngines : public ::testing::TestWithParam<EngineUnderTest> {
 protected:
  void open(std::shared_ptr<const Profile> profile, int64_t block_rows) {
    profile_ = std::move(profile);
    reference_ = make_reference_aggregator(profile_);
    engine_ = GetParam().make(profile_, block_rows);
  }
  void open(const testing::RandomProfileOptions& options) {
    // From a block for each row to one for all.
    open(std::make_shared<const Profile>(testing::random_profile(options)),
         int64_t{1} << 2 * (options.seed % 8));
  }
  void expect_agreement(const Selection& selection) {
    std::string filters;
    for (const Filter& filter : selection.filters) filters += to_text(filter) + " ";
    ASSERT_EQ(first_difference(engine_->aggregate(selection), reference_->aggregate(selection)), "")
        << "cut " << static_cast<int>(selection.cut.kind) << ", iterations "
        << selection.range.first << " to " << selection.range.last << ", only " << filters;
  }
  // Windows alone, and with another filter of each kind.
  void expect_agreement_in_windows(uint64_t seed, int selections) {
    expect_agreement_in_windows(seed, selections,
                                [](RunWindows& random) { return random.filters(); });
  }
  template <typename MakeWindows>
  void expect_agreement_in_windows(uint64_t seed, int selections, const MakeWindows& windows) {
    RunWindows random(*profile_, seed);
    const auto kernels = static_cast<int64_t>(profile_->kernels.size());
    for (int i = 0; i < selections; ++i) {
      const auto kernel = static_cast<Row>(random.below(kernels));
      const std::string name(profile_->text(profile_->kernels.name[kernel]));
      const auto op = profile_->instances.op[profile_->kernels.instance[kernel]];
      const std::string type(profile_->text(profile_->ops.type[op]));
      const Filter others[] = {
          {.kind = FilterKind::kernel, .text = name},
          {.kind = FilterKind::device, .number = 2 * random.below(3)},
          {.kind = FilterKind::tensor_core, .number = random.below(2)},
          {.kind = FilterKind::op_type, .text = type},
      };
      const int64_t first = random.below(60);
      Selection selection{{static_cast<CutKind>(random.below(3)), testing::kRandomKeyOp.data()},
                          {first, first + random.below(60)},
                          windows(random)};
      if (i % 5 != 4) selection.filters.push_back(others[i % 5]);
      expect_agreement(selection);
    }
  }

  std::shared_ptr<const Profile> profile_;
  std::unique_ptr<Aggregator> reference_, engine_;
};

TEST_P(WindowedEngines, AgreeBesideTheBoundsOfRuns) {
  for (uint64_t seed = 1; seed <= testing::seeds(8); ++seed) {
    SCOPED_TRACE(seed);
    open(many_runs(seed));
    expect_agreement_in_windows(seed, 15);
  }
}

TEST_P(WindowedEngines, AgreeWhereMostInstancesHaveNoEvents) {
  for (uint64_t seed = 100; seed < 100 + testing::seeds(6); ++seed) {
    SCOPED_TRACE(seed);
    testing::RandomProfileOptions options = many_runs(seed);
    options.kernels = 150;
    options.memory_ops = 20;
    open(options);
    expect_agreement_in_windows(seed, 20);
  }
}

TEST_P(WindowedEngines, AgreeInManyWindows) {
  constexpr int64_t kWindows = 200;
  for (uint64_t seed = 200; seed < 200 + testing::seeds(2); ++seed) {
    SCOPED_TRACE(seed);
    open(many_runs(seed));
    for (const int64_t longest_ns : {40, 400, 1'500}) {
      expect_agreement_in_windows(
          seed, 5, [&](RunWindows& random) { return random.scattered(kWindows, longest_ns); });
    }
    // So long that runs of instances lie inside them.
    expect_agreement_in_windows(seed, 5,
                                [](RunWindows& random) { return random.scattered(15, 12'000); });
  }
}

INSTANTIATE_TEST_SUITE_P(All, WindowedEngines, ::testing::ValuesIn(engines_under_test()),
                         [](const auto& engine) { return engine.param.name; });

}  // namespace
}  // namespace dlview::aggregate
