#include "aggregate/advice.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "profile/builder.h"

namespace dlview::aggregate {
namespace {

using profile::TensorCoreSupport;

// A PyTorch run of one iteration on one GPU that is busy for `busy_ns` of 1000 ns.
class Recording {
 public:
  explicit Recording(int64_t busy_ns = 900) {
    builder.system.mode = "pytorch";
    builder.add_device(
        {1, 0, "GPU", profile::Vendor::nvidia, 8, 0, 108, std::nullopt, std::nullopt});
    profile::KernelRow kernel;
    kernel.instance = op("work", TensorCoreSupport::none, "", 0, 1000);
    kernel.gpu_stop_ns = busy_ns;
    kernel.launch = builder.intern_launch({});
    builder.add_kernel(kernel);
  }
  profile::Row op(const std::string& type, TensorCoreSupport support, const std::string& data_type,
                  int64_t start_ns, int64_t stop_ns) {
    profile::OpRow row;
    row.type = row.name = builder.intern(type);
    row.data_type = builder.intern(data_type);
    row.tensor_core_support = support;
    profile::OpInstanceRow instance;
    instance.op = builder.add_op(row);
    instance.cpu_start_ns = start_ns;
    instance.cpu_stop_ns = stop_ns;
    instance.thread = builder.intern_thread({1, 1});
    return builder.add_instance(instance);
  }
  // The advice of one detector; empty problem when it is silent.
  Advice of(const std::string& detector, const std::string& key_op = "",
            const AdviceThresholds& thresholds = {}) {
    const auto built = std::make_shared<const profile::Profile>(std::move(builder).finish());
    const Selection all{{CutKind::start, key_op, 0}, {0, 1'000'000}};
    const Aggregation aggregation = make_cpu_aggregator(built)->aggregate(all);
    for (const Advice& advice : advise(*built, aggregation, thresholds)) {
      if (advice.detector == detector) return advice;
    }
    return {};
  }
  profile::ProfileBuilder builder;
};

TEST(Advice, CountsEligibleOpsWhenNoneUsesHalfPrecision) {
  Recording one;
  one.op("conv2d", TensorCoreSupport::eligible, "float32", 10, 20);
  EXPECT_EQ(one.of("amp_detector").problem,
            "1 op was eligible to use tensor cores but none are using FP16");
  Recording two;
  two.op("conv2d", TensorCoreSupport::eligible, "float32", 10, 20);
  two.op("linear", TensorCoreSupport::eligible, "float32", 30, 40);
  const Advice advice = two.of("amp_detector");
  EXPECT_EQ(advice.problem, "2 ops were eligible to use tensor cores but none are using FP16");
  EXPECT_EQ(advice.action, "ShowBadDataTypeOps");
}

TEST(Advice, IsSilentOnPrecisionWhenSomeEligibleOpUsesIt) {
  Recording run;
  run.op("conv2d", TensorCoreSupport::eligible, "float32", 10, 20);
  run.op("linear", TensorCoreSupport::eligible, "float16", 30, 40);
  EXPECT_EQ(run.of("amp_detector"), Advice{});
}

TEST(Advice, NamesTheLargestHostShareOfAnUnderutilizedGpu) {
  const Advice advice = Recording(300).of("underutilized_gpu_detector");
  EXPECT_EQ(advice.problem,
            "The GPU is underutilized: Only 30.0% of the profiled time is spent on GPU kernel "
            "operations");
  EXPECT_TRUE(advice.recommendation.starts_with("CPU has the highest (non-GPU) usage at 70.0%."));
  EXPECT_EQ(Recording(500).of("underutilized_gpu_detector"), Advice{});
}

TEST(Advice, ListsIdleGpusByDeviceId) {
  Recording run;
  run.builder.add_device(
      {2, 3, "GPU", profile::Vendor::nvidia, 8, 0, 108, std::nullopt, std::nullopt});
  run.builder.add_device(
      {3, 5, "GPU", profile::Vendor::nvidia, 8, 0, 108, std::nullopt, std::nullopt});
  const Advice advice = run.of("underutilized_gpu_detector");
  EXPECT_EQ(advice.problem, "The following GPU device IDs are not being used: 3 5");
  EXPECT_EQ(advice.recommendation,
            "Make sure to pass the necessary options to docker, the framework, and the model to "
            "use all available GPUs");
  EXPECT_TRUE(thresholds_of(advice).empty());
}

// Every text of DLProf that databases and logs in public show, to the letter.
TEST(Advice, SpeaksInDlprofsWords) {
  Recording tensorflow;
  tensorflow.builder.system.mode = "tensorflow2";
  EXPECT_EQ(tensorflow.of("no_fusion_detector").recommendation,
            "Try enabling XLA. See "
            "https://www.tensorflow.org/xla/#enable_xla_for_tensorflow_models for information on "
            "how to enable XLA.");
  Recording cudnn;
  cudnn.builder.system.model_config.emplace().cudnn_benchmark_disabled = true;
  cudnn.op("conv2d", TensorCoreSupport::eligible, "float16", 10, 20);
  const Advice benchmark = cudnn.of("cudnn_benchmark_detector");
  EXPECT_EQ(benchmark.problem,
            "Convolution operations were detected but torch.backends.cudnn.benchmark was not "
            "enabled.");
  EXPECT_EQ(benchmark.recommendation,
            "Try setting torch.backends.cudnn.benchmark = True in your network. For best "
            "performance, the input shapes should be relatively stable.");
  const auto with_loader = [](int64_t busy_ns) {
    Recording run(busy_ns);
    run.builder.system.mode = "tensorflow2";
    run.op("DataLoader", TensorCoreSupport::none, "", busy_ns, 1000);
    return run;
  };
  EXPECT_EQ(with_loader(127).of("underutilized_gpu_detector").recommendation,
            "Dataloader has the highest (non-GPU) usage at 87.3%. Investigate the dataloading "
            "pipeline as this often indicates too much time is being spent here");
  const Advice loader = with_loader(127).of("dataloader_detector");
  EXPECT_EQ(loader.problem,
            "87.3% of the aggregated run was spent in the dataloader while not simultaneously "
            "running on the GPU");
  EXPECT_EQ(loader.recommendation,
            "Focus on reducing time spent in the training data input process. This could be time "
            "spent in file reading, preprocessing and augmentation or file transfer.\nConsider "
            "using NVIDIA DALI, a library that is a high performance alternative to built-in data "
            "loaders and data iterators. Learn more here: https://developer.nvidia.com/DALI");
}

TEST(Advice, SuggestsDaliOnlyToPytorchRunsWithoutIt) {
  EXPECT_EQ(Recording().of("dataloader_detector").problem, "No DALI ops detected");
  Recording with_dali;
  with_dali.op("DALI", TensorCoreSupport::none, "", 10, 20);
  EXPECT_EQ(with_dali.of("dataloader_detector"), Advice{});
  Recording tensorflow;
  tensorflow.builder.system.mode = "tensorflow1";
  EXPECT_EQ(tensorflow.of("dataloader_detector"), Advice{});
}

// 40 iterations of 100 ns, of which the first three take `first_ns`.
Advice variation_of(int64_t first_ns, bool is_export) {
  profile::ProfileBuilder builder;
  const profile::Row step = [&] {
    profile::OpRow row;
    row.name = row.id = builder.intern("step");
    return builder.add_op(row);
  }();
  int64_t at = 0;
  for (int64_t i = 0; i < 41; ++i) {
    profile::OpInstanceRow instance;
    instance.op = step;
    instance.cpu_start_ns = at;
    instance.cpu_stop_ns = at + 10;
    instance.thread = builder.intern_thread({1, 1});
    builder.add_instance(instance);
    at += i < 3 ? first_ns : 100;
  }
  profile::Profile profile = std::move(builder).finish();
  if (is_export) profile.trace.emplace();
  const auto built = std::make_shared<const profile::Profile>(std::move(profile));
  const Aggregation aggregation =
      make_cpu_aggregator(built)->aggregate({{CutKind::start, "step", 0}, {0, 1'000}});
  for (const Advice& advice : aggregation.advice) {
    if (advice.detector == "iteration_variation_detector") return advice;
  }
  return {};
}

TEST(Advice, SuggestsASteadyRangeInDlprofsWords) {
  const Advice advice = variation_of(900, false);
  EXPECT_EQ(advice.problem,
            "The aggregated iteration range of 0 to 40 contains a lot of variation");
  EXPECT_EQ(advice.recommendation,
            "Try limiting the iteration range to a steady range by rerunning with the --database "
            "option and setting --iter_start=3 --iter_stop=39");
  EXPECT_EQ(advice.action_arguments, "3:39");
  EXPECT_EQ(variation_of(900, true).recommendation,
            "Try limiting the iteration range to a steady range by setting --iterations 3:39");
  EXPECT_EQ(variation_of(110, false), Advice{});
}

TEST(Advice, TellsHowMuchTimeTheDataLoaderTakes) {
  Recording run(600);
  run.builder.system.mode = "tensorflow2";
  run.op("DataLoader", TensorCoreSupport::none, "", 600, 850);
  EXPECT_TRUE(run.of("dataloader_detector").problem.starts_with("25.0% of the aggregated run"));
}

TEST(Advice, NamesTheKeyOpThatWasNotFound) {
  EXPECT_EQ(Recording().of("no_iterations_detector").problem,
            "Unable to split profile into training iterations: key op  not found");
  EXPECT_EQ(Recording().of("no_iterations_detector", "step").problem,
            "Unable to split profile into training iterations: key op step not found");
  EXPECT_EQ(Recording().of("no_iterations_detector", "work"), Advice{});
}

TEST(Advice, SuggestsALargerBatchWhileMemoryIsFree) {
  const auto with_memory = [](int64_t used) {
    Recording run;
    run.builder = profile::ProfileBuilder();
    run.builder.add_device({1, 0, "GPU", profile::Vendor::nvidia, 8, 0, 108, 1000, used});
    return run.of("batch_size_detector");
  };
  EXPECT_EQ(with_memory(239).problem,
            "GPU Memory is underutilized: Only 23% of GPU Memory is used");
  EXPECT_EQ(with_memory(239).recommendation,
            "Try increasing batch size by 4x to increase data throughput");
  EXPECT_EQ(with_memory(400).recommendation,
            "Try increasing batch size by 2x to increase data throughput");
  EXPECT_EQ(with_memory(500), Advice{});
  EXPECT_EQ(Recording().of("batch_size_detector"), Advice{});  // not recorded is not 0%
}

TEST(Advice, NamesNoFactorForWhichThereIsNoRoom) {
  Recording run;
  run.builder = profile::ProfileBuilder();
  run.builder.add_device({1, 0, "GPU", profile::Vendor::nvidia, 8, 0, 108, 1000, 800});
  AdviceThresholds thresholds;
  thresholds.gpu_memory = 90;
  EXPECT_EQ(run.of("batch_size_detector", "", thresholds).recommendation,
            "Try a larger batch size to increase data throughput");
}

TEST(Advice, PointsToTheCudnnSwitchOnlyWhereConvolutionsRan) {
  Recording run;
  run.builder.system.model_config.emplace().cudnn_benchmark_disabled = true;
  run.op("conv2d", TensorCoreSupport::eligible, "float16", 10, 20);
  EXPECT_FALSE(run.of("cudnn_benchmark_detector").problem.empty());
  Recording without_conv;
  without_conv.builder.system.model_config.emplace().cudnn_benchmark_disabled = true;
  EXPECT_EQ(without_conv.of("cudnn_benchmark_detector"), Advice{});
}

TEST(Percentile, TakesTheNearestRank) {
  const std::vector<int64_t> sorted{10, 20, 30, 40};
  EXPECT_EQ(percentile(sorted, 0.0), 10);
  EXPECT_EQ(percentile(sorted, 0.5), 20);
  EXPECT_EQ(percentile(sorted, 0.51), 30);
  EXPECT_EQ(percentile(sorted, 1.0), 40);
  EXPECT_EQ(percentile({}, 0.5), 0);
}

}  // namespace
}  // namespace dlview::aggregate
