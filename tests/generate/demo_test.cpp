#include "generate/demo.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "aggregate/reference/reference.h"

namespace dlview::generate {
namespace {

using profile::Profile;
using profile::Row;

std::shared_ptr<const Profile> make(const DemoOptions& options) {
  base::Progress progress;
  auto made = make_demo_profile(options, progress);
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : base::to_text(made.error()));
  return std::make_shared<const Profile>(*std::move(made));
}

aggregate::Aggregation whole_run(std::shared_ptr<const Profile> profile, Framework framework) {
  aggregate::Selection selection;
  selection.cut.key_op = demo_key_op(framework);
  selection.range = {0, INT64_MAX - 1};
  return aggregate::make_reference_aggregator(std::move(profile))->aggregate(selection);
}

struct Size {
  int64_t iterations, kernels;
  int gpus;
};

class DemoCounts : public ::testing::TestWithParam<std::tuple<Size, Framework>> {};

TEST_P(DemoCounts, AreExact) {
  const auto& [size, framework] = GetParam();
  const auto profile = make({size.iterations, size.kernels, size.gpus, framework, 5});
  EXPECT_EQ(std::ssize(profile->kernels.name.span()), size.kernels);
  EXPECT_EQ(std::ssize(profile->devices), size.gpus);
  const aggregate::Aggregation run = whole_run(profile, framework);
  EXPECT_EQ(run.iteration_table->iterations.key_instances, size.iterations);
  EXPECT_EQ(std::ssize(run.iteration_table->iterations.rows), size.iterations + 1);
  EXPECT_EQ(run.kernel_launches, size.kernels);
}

std::string name_of_size(const ::testing::TestParamInfo<DemoCounts::ParamType>& parameter) {
  const auto& [size, framework] = parameter.param;
  return fmt::format("{}_iterations_{}_kernels_{}_gpus_{}", size.iterations, size.kernels,
                     size.gpus, framework == Framework::pytorch ? "pytorch" : "tensorflow");
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, DemoCounts,
    ::testing::Combine(::testing::Values(Size{0, 0, 1}, Size{0, 1, 1}, Size{0, 5'000, 2},
                                         Size{1, 0, 1}, Size{1, 1, 4}, Size{1, 3'000, 1},
                                         Size{7, 10, 2}, Size{50, 49, 3}, Size{50, 1'999, 1},
                                         Size{100, 12'345, 4}, Size{20, 20'000, 8}),
                       ::testing::Values(Framework::pytorch, Framework::tensorflow)),
    name_of_size);

TEST(Demo, HasTheRequestedKernelsPerOp) {
  for (const Framework framework : {Framework::pytorch, Framework::tensorflow}) {
    DemoOptions options{20, 20'000, 2, framework, 1};
    const auto usual = make(options);
    options.kernels_per_op = 6;
    const auto profile = make(options);
    EXPECT_EQ(profile->kernels.size(), 20'000U);
    EXPECT_LT(2 * profile->instances.size(), usual->instances.size());
    const auto& first_kernel = profile->instances.first_kernel;
    int64_t launching = 0, with_fewer = 0;
    for (Row i = 0; i < profile->instances.size(); ++i) {
      const Row kernels = first_kernel[i + 1] - first_kernel[i];
      launching += kernels > 0 ? 1 : 0;
      with_fewer += kernels > 0 && kernels < 6 ? 1 : 0;
    }
    EXPECT_GT(launching, 2'000);
    // Before the first step, and where the kernels of a step are used up.
    EXPECT_LT(with_fewer, launching / 20);
  }
}

TEST(Demo, RefusesSizesThatMakeNoSense) {
  base::Progress progress;
  EXPECT_FALSE(make_demo_profile({1, 10, 1, Framework::pytorch, 1, -1}, progress).ok());
  EXPECT_FALSE(make_demo_profile({1, 10, 1, Framework::pytorch, 1, 1'001}, progress).ok());
  EXPECT_FALSE(make_demo_profile({-1, 10, 1, Framework::pytorch, 1}, progress).ok());
  EXPECT_FALSE(make_demo_profile({1, -10, 1, Framework::pytorch, 1}, progress).ok());
  EXPECT_FALSE(make_demo_profile({1, 10, 0, Framework::pytorch, 1}, progress).ok());
  const auto many = make_demo_profile({1, 10, kMostGpus + 1, Framework::pytorch, 1}, progress);
  ASSERT_FALSE(many.ok());
  EXPECT_EQ(many.error().title, "Invalid --gpus: 17");
  EXPECT_EQ(many.error().advice, "Valid values: 1 to 16");
}

TEST(Demo, CountsStepsAndStopsOnCancel) {
  base::Progress progress;
  ASSERT_TRUE(make_demo_profile({7, 500, 1, Framework::pytorch, 1}, progress).ok());
  EXPECT_EQ(progress.snapshot().stage, "Generating a profile");
  EXPECT_EQ(progress.snapshot().done, progress.snapshot().total);
  EXPECT_GE(progress.snapshot().total, 7);

  progress.cancel();
  const auto made = make_demo_profile({1'000'000, 100'000'000, 1, Framework::pytorch, 1}, progress);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().title, "Canceled");
  EXPECT_EQ(progress.snapshot().done, 0);
}

// The run that most people see first.
class DemoStory : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const DemoOptions options{100, 39'000, 2, Framework::pytorch, 1};
    profile_ = make(options);
    run_ = whole_run(profile_, options.framework);
  }
  static void TearDownTestSuite() { profile_.reset(); }

  static int64_t duration_ns(std::size_t iteration) {
    return run_.iteration_table->iterations.rows[iteration].duration_ns();
  }
  static int64_t median_ns() { return aggregate::percentile(sorted_durations(run_), 0.5); }
  static const aggregate::IterationFacts& facts(std::size_t iteration) {
    return run_.iteration_table->facts[iteration];
  }

  static std::shared_ptr<const Profile> profile_;
  static aggregate::Aggregation run_;
};
std::shared_ptr<const Profile> DemoStory::profile_;
aggregate::Aggregation DemoStory::run_;

TEST_F(DemoStory, BeginsWithALongWarmUp) {
  EXPECT_GT(duration_ns(1), 5 * median_ns());
  EXPECT_GT(duration_ns(2), duration_ns(4));
  EXPECT_LT(duration_ns(20), median_ns() * 11 / 10);
}

TEST_F(DemoStory, HasOneNearlyEmptyIteration) {
  int empty = 0;
  for (std::size_t i = 1; i <= 100; ++i) {
    if (facts(i).kernels.count > 0) continue;
    ++empty;
    EXPECT_LT(duration_ns(i), median_ns() / 5);
  }
  EXPECT_EQ(empty, 1);
}

TEST_F(DemoStory, HasOneIterationWaitingForData) {
  int waiting = 0;
  for (std::size_t i = 1; i <= 100; ++i) {
    if (facts(i).per_device[aggregate::Category::data_loader] > median_ns()) ++waiting;
  }
  EXPECT_EQ(waiting, 1);
}

TEST_F(DemoStory, MissesTensorCoresInOneConvolution) {
  EXPECT_GT(run_.tensor_core_efficiency(), 50.0);
  EXPECT_LT(run_.tensor_core_efficiency(), 99.0);
  int eligible_without = 0;
  for (const aggregate::OpAggregate& op : run_.ops) {
    const bool eligible =
        profile_->ops.tensor_core_support[op.op] == profile::TensorCoreSupport::eligible;
    EXPECT_TRUE(eligible || !op.uses_tensor_cores());
    if (!eligible || op.uses_tensor_cores()) continue;
    ++eligible_without;
    EXPECT_EQ(profile_->text(profile_->ops.data_type[op.op]), "float32");
    EXPECT_EQ(profile_->text(profile_->ops.name[op.op]), "/module/ResNet::forward/conv1/conv2d");
  }
  EXPECT_EQ(eligible_without, 2);  // forward and backward
}

TEST_F(DemoStory, FillsEveryCategoryButInputOutput) {
  for (const aggregate::Category category : aggregate::kCategories) {
    if (category == aggregate::Category::io) continue;
    EXPECT_GT(run_.share(category), 0.5) << static_cast<int>(category);
  }
}

TEST_F(DemoStory, OverlapsAllReducesWithBackward) {
  for (const aggregate::DeviceAggregate& device : run_.devices) {
    EXPECT_GT(device.communication.overlapped_ns(), 0);
    EXPECT_GT(device.communication.exposed_ns, 0);
  }
}

TEST_F(DemoStory, NumbersOpsByFirstExecution) {
  std::map<std::string, int64_t> first_start;
  for (Row i = 0; i < profile_->instances.size(); ++i) {
    first_start.emplace(profile_->text(profile_->ops.id[profile_->instances.op[i]]),
                        profile_->instances.cpu_start_ns[i]);
  }
  EXPECT_EQ(first_start.size(), profile_->ops.size()) << "ids are unique, every op runs";
  EXPECT_LT(first_start.at("CONV2D_1"), first_start.at("CONV2D_2"));
  EXPECT_LT(first_start.at("CONV2D_2"), first_start.at("CONV2D_10"));
  EXPECT_TRUE(first_start.contains("RELU__1"));
}

TEST_F(DemoStory, SeparatesInstancesOfAThread) {
  std::map<Row, int64_t> free_from;
  for (Row i = 0; i < profile_->instances.size(); ++i) {
    int64_t& free_ns = free_from[profile_->instances.thread[i]];
    EXPECT_GE(profile_->instances.cpu_start_ns[i], free_ns);
    EXPECT_GE(profile_->instances.cpu_stop_ns[i], profile_->instances.cpu_start_ns[i]);
    free_ns = profile_->instances.cpu_stop_ns[i];
  }
  EXPECT_EQ(free_from.size(), 5u);  // main, and two for each GPU
}

TEST_F(DemoStory, LaunchesKernelsInsideTheirInstances) {
  const auto& kernels = profile_->kernels;
  for (Row i = 0; i < kernels.size(); ++i) {
    const Row instance = kernels.instance[i];
    EXPECT_GE(kernels.api_start_ns[i], profile_->instances.cpu_start_ns[instance]);
    EXPECT_LE(kernels.api_stop_ns[i], profile_->instances.cpu_stop_ns[instance]);
    EXPECT_GT(kernels.gpu_start_ns[i], kernels.api_start_ns[i]);
    EXPECT_GT(kernels.gpu_stop_ns[i], kernels.gpu_start_ns[i]);
  }
}

TEST(Demo, LeavesFourOfEightGpusIdle) {
  const auto profile = make({10, 4'000, 8, Framework::pytorch, 1});
  std::set<Row> used;
  for (profile::KernelIndex i{0}; i < profile->kernels.size(); ++i)
    used.insert(profile->device_of_kernel(i));
  EXPECT_EQ(used, (std::set<Row>{0, 1, 2, 3}));
}

}  // namespace
}  // namespace dlview::generate
