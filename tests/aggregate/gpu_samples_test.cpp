// Samples of GPU metrics against planted values, a real capture and slow sums.

#include "aggregate/limits/gpu_samples.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "generate/nsys.h"
#include "generate/nsys/sampled_tables.h"
#include "import/nsys/test_export.h"

namespace dlview::aggregate {
namespace {

using profile::DeviceIndex;
using profile::GpuMetric;
using profile::InstanceIndex;
using profile::KernelIndex;
using profile::OpIndex;
using profile::Profile;
using profile::Row;
using ::testing::HasSubstr;

constexpr int64_t kPeriod = 100'000;
constexpr std::size_t kRead = 7, kWrite = 8, kTensor = 4, kActive = 2;  // in kSampledMetrics

Aggregation whole(const std::shared_ptr<const Profile>& profile, const std::string& key = "") {
  const auto aggregator = make_cpu_aggregator(profile);
  const Cut cut{CutKind::start, key, 0};
  const int64_t last = std::ssize(cut_iterations(*profile, cut).rows) - 1;
  return aggregator->aggregate({cut, {0, last}});
}

base::Interval time_of(const Profile& profile, KernelIndex kernel) {
  return {profile.kernels.gpu_start_ns[kernel], profile.kernels.gpu_stop_ns[kernel]};
}

OpIndex op_of(const Profile& profile, KernelIndex kernel) {
  return profile.instances.op[profile.kernels.instance[kernel]];
}

// The vectorAdd of 50 million elements that runs longest: 54.0% read and 26.8% written of the
// bandwidth (expected.json, gpu_metrics).
TEST(GpuSamplesOfRealCapture, GiveBandwidthWithoutVerdict) {
  DLVIEW_REQUIRE_TEST_DATA();
  base::Result<Profile> opened = testing::open_for_test(
      *testing::test_data_folder() / "ncu/nsys_gpu_metrics_a100pcie_vecadd.sqlite");
  ASSERT_TRUE(opened.ok()) << testing::error_of(opened);
  const auto profile = std::make_shared<const Profile>(std::move(*opened));
  const GpuSamples samples(*profile);
  EXPECT_EQ(samples.metrics().size(), 14U);
  EXPECT_EQ(samples.period_ns(DeviceIndex{0}), 102'176);
  const KernelIndex kernel = [&] {
    for (KernelIndex each{0}; each < profile->kernels.size(); ++each) {
      const base::Interval time = time_of(*profile, each);
      if (time.stop_ns - time.start_ns == 386'397) return each;
    }
    return KernelIndex();
  }();
  ASSERT_NE(kernel, profile::kNoRow);
  EXPECT_EQ(profile->text(profile->kernels.name[kernel]), "vectorAdd");
  const KernelSamples found = samples.of_kernel(kernel);
  EXPECT_EQ(found.state, SampleState::shown);
  EXPECT_EQ(found.samples.samples, 4);
  EXPECT_DOUBLE_EQ(found.samples.of(GpuMetric::dram_read).value(), 54.0);
  EXPECT_DOUBLE_EQ(found.samples.of(GpuMetric::dram_write).value(), 26.75);
  EXPECT_NEAR(found.samples.dram().value(), 80.8, 0.051);
  EXPECT_EQ(found.samples.limit(), Limit::unknown) << "four samples";
  EXPECT_EQ(to_text(found), "4 samples, too few to name a limit");

  const std::vector<SampledRow> rows = samples.by_kernel(whole(profile));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].launches, 1010);
  EXPECT_EQ(rows[0].samples.samples, 3751);
  EXPECT_NEAR(rows[0].samples.dram().value(), 54.32 + 27.17, 0.01);
  EXPECT_LE(rows[0].samples.of(GpuMetric::tensor_active).value(), kTensorNoisePercent);
  EXPECT_EQ(rows[0].samples.limit(), Limit::memory);
  EXPECT_DOUBLE_EQ(rows[0].coverage(), 100);
}

class PlantedSamples : public ::testing::Test {
 protected:
  void SetUp() override {
    generate::DemoOptions demo;
    demo.iterations = 12;
    demo.kernels = 3'000;
    demo.gpus = 2;
    base::Progress progress;
    const auto made = generate::make_demo_profile(demo, progress);
    ASSERT_TRUE(made.ok());
    const std::filesystem::path path = folder_.path() / "run.sqlite";
    ASSERT_TRUE(generate::write_nsys_export(*made, generate::demo_key_op(demo.framework),
                                            generate::NsysSchema::v2026, path, progress,
                                            generate::IfExists::fail,
                                            {.metric_period_ns = kPeriod, .memory_usage = true})
                    .ok());
    for (Row device = 0; device < 2; ++device) {
      planted_.push_back(generate::nsys::planted_samples(*made, DeviceIndex(device), kPeriod));
    }
    base::Result<Profile> opened = testing::open_for_test(path);
    ASSERT_TRUE(opened.ok()) << testing::error_of(opened);
    profile_ = std::make_shared<const Profile>(std::move(*opened));
    samples_ = std::make_unique<GpuSamples>(*profile_);
  }

  struct Sum {
    int64_t samples = 0;
    std::map<std::size_t, int64_t> values;
  };
  void add(Sum& sum, DeviceIndex device, const base::Interval& time) const {
    for (const auto& sample : planted_[device]) {
      if (sample.time_ns <= time.start_ns || sample.time_ns > time.stop_ns) continue;
      ++sum.samples;
      for (const std::size_t i : {kRead, kWrite, kTensor, kActive}) {
        sum.values[i] += sample.values[i];
      }
    }
  }
  static void expect_same(const SampleMeans& means, const Sum& sum) {
    ASSERT_EQ(means.samples, sum.samples);
    if (sum.samples == 0) return;
    const std::pair<GpuMetric, std::size_t> metrics[] = {{GpuMetric::dram_read, kRead},
                                                         {GpuMetric::dram_write, kWrite},
                                                         {GpuMetric::tensor_active, kTensor},
                                                         {GpuMetric::sm_active, kActive}};
    for (const auto& [metric, place] : metrics) {
      EXPECT_EQ(means.of(metric).value(),
                static_cast<double>(sum.values.at(place)) / static_cast<double>(sum.samples));
    }
  }
  // Slowly: by looking at all kernels.
  bool has_neighbor(KernelIndex kernel, const base::Interval& time, bool of_other_op) const {
    for (KernelIndex other{0}; other < profile_->kernels.size(); ++other) {
      if (other == kernel ||
          profile_->device_of_kernel(other) != profile_->device_of_kernel(kernel)) {
        continue;
      }
      if (of_other_op && op_of(*profile_, other) == op_of(*profile_, kernel)) continue;
      const base::Interval its = time_of(*profile_, other);
      if (its.start_ns < time.stop_ns && its.stop_ns > time.start_ns) return true;
    }
    return false;
  }

  testing::TemporaryFolder folder_;
  std::vector<std::vector<generate::nsys::PlantedSample>> planted_;
  std::shared_ptr<const Profile> profile_;
  std::unique_ptr<GpuSamples> samples_;
};

TEST_F(PlantedSamples, AreThoseOfKernelsRunningAlone) {
  std::map<profile::StringId, Sum> names;
  int shown = 0, shared = 0, short_ones = 0;
  for (KernelIndex kernel{0}; kernel < profile_->kernels.size(); ++kernel) {
    const KernelSamples found = samples_->of_kernel(kernel);
    const base::Interval time = time_of(*profile_, kernel);
    Sum sum;
    add(sum, profile_->device_of_kernel(kernel), time);
    Sum& of_name = names[profile_->kernels.name[kernel]];
    if (has_neighbor(kernel, time, false)) {
      EXPECT_EQ(found.state, SampleState::other_kernels);
      ++shared;
    } else if (sum.samples < 2) {
      EXPECT_EQ(found.state, SampleState::too_short);
      EXPECT_THAT(to_text(found), HasSubstr("; this kernel lasts "));
      ++short_ones;
    } else {
      EXPECT_EQ(found.state, sum.samples < 10 ? SampleState::shown : SampleState::verdict);
      expect_same(found.samples, sum);
      add(of_name, profile_->device_of_kernel(kernel), time);
      ++shown;
    }
  }
  EXPECT_GT(shown, 0);
  EXPECT_GT(short_ones, 0);
  int64_t kernels = 0;
  for (const SampledRow& row :
       samples_->by_kernel(whole(profile_, generate::demo_key_op(generate::Framework::pytorch)))) {
    expect_same(row.samples, names.at(row.kernel));
    EXPECT_LE(row.sampled_ns, row.time_ns);
    kernels += row.launches;
  }
  EXPECT_EQ(kernels, std::ssize(profile_->kernels.name));
  RecordProperty("shared", shared);
}

TEST_F(PlantedSamples, AreThoseOfStretchesOfOps) {
  std::map<OpIndex, Sum> ops;
  std::map<OpIndex, int64_t> sampled_ns;
  for (Row device = 0; device < 2; ++device) {
    std::vector<KernelIndex> kernels;
    for (KernelIndex kernel{0}; kernel < profile_->kernels.size(); ++kernel) {
      if (profile_->device_of_kernel(kernel) == device) kernels.push_back(kernel);
    }
    std::ranges::sort(kernels, {}, [&](KernelIndex kernel) {
      return std::pair(time_of(*profile_, kernel).start_ns, kernel);
    });
    for (std::size_t first = 0; first < kernels.size();) {
      base::Interval time = time_of(*profile_, kernels[first]);
      int64_t ns = time.stop_ns - time.start_ns;
      std::size_t next = first + 1;
      for (; next < kernels.size(); ++next) {
        const base::Interval more = time_of(*profile_, kernels[next]);
        if (op_of(*profile_, kernels[next]) != op_of(*profile_, kernels[first])) break;
        if (more.start_ns > time.stop_ns + kPeriod) break;
        time.stop_ns = std::max(time.stop_ns, more.stop_ns);
        ns += more.stop_ns - more.start_ns;
      }
      Sum sum;
      add(sum, DeviceIndex(device), time);
      const OpIndex op = op_of(*profile_, kernels[first]);
      if (sum.samples >= 2 && !has_neighbor(kernels[first], time, true)) {
        add(ops[op], DeviceIndex(device), time);
        sampled_ns[op] += ns;
      }
      first = next;
    }
  }
  EXPECT_FALSE(ops.empty());
  for (const SampledRow& row :
       samples_->by_op(whole(profile_, generate::demo_key_op(generate::Framework::pytorch)))) {
    expect_same(row.samples, ops[row.op]);
    EXPECT_EQ(row.sampled_ns, sampled_ns[row.op]);
  }
}

TEST_F(PlantedSamples, AreThoseOfIterations) {
  const Aggregation aggregation =
      whole(profile_, generate::demo_key_op(generate::Framework::pytorch));
  const std::vector<SampledRow> rows = samples_->by_iteration(aggregation);
  const auto& iterations = aggregation.iteration_table->iterations.rows;
  ASSERT_EQ(rows.size(), 2 * iterations.size());
  for (const SampledRow& row : rows) {
    const Iteration& iteration = iterations[static_cast<std::size_t>(row.iteration)];
    Sum sum;
    add(sum, row.device, {iteration.start_ns, iteration.stop_ns});
    expect_same(row.samples, sum);
    if (sum.samples > 2) {
      EXPECT_GT(row.coverage(), 50);
      EXPECT_LE(row.coverage(), 100);
    }
  }
}

// One kernel of process 80 on GPU 0 from 1300 to 1700, sampled every 50 ns.
class SamplesOfExport : public testing::ExportTest {
 protected:
  KernelSamples kernel(const std::string& changes) {
    std::filesystem::remove(path());
    profile_ = open_with(
        "CREATE TABLE TARGET_INFO_GPU_METRICS(typeId INTEGER, metricId INTEGER, metricName TEXT);"
        "INSERT INTO TARGET_INFO_GPU_METRICS VALUES(256, 0, 'SM Active');"
        "CREATE TABLE GPU_METRICS(timestamp INTEGER, typeId INTEGER, metricId INTEGER, "
        "value INTEGER);"
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 100) "
        "INSERT INTO GPU_METRICS SELECT 50 * i, 256, 0, 90 FROM n;" +
        changes);
    const GpuSamples samples(profile_);
    for (KernelIndex each{0}; each < profile_.kernels.size(); ++each) {
      if (time_of(profile_, each).start_ns == 1300) return samples.of_kernel(each);
    }
    ADD_FAILURE() << "the kernel is missing";
    return {};
  }
  Profile profile_;
};

TEST_F(SamplesOfExport, CountBehindTheStart) {
  const KernelSamples found = kernel("");
  EXPECT_EQ(found.state, SampleState::shown);
  EXPECT_EQ(found.samples.samples, 8);
  EXPECT_EQ(found.samples.of(GpuMetric::sm_active).value(), 90);
  EXPECT_EQ(found.samples.dram(), std::nullopt) << "not recorded";
}

TEST_F(SamplesOfExport, NeedKernelsOnTheirOwn) {
  const std::string one_more =
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT {}, {}, deviceId, contextId, NULL, 9, 99, "
      "globalPid, demangledName, shortName, mangledName, 32, 1, 1, 1, 1, 1, 1, 0, 0, NULL FROM "
      "CUPTI_ACTIVITY_KIND_KERNEL WHERE start = 1300;";
  EXPECT_EQ(kernel(fmt::format(fmt::runtime(one_more), 1690, 1800)).state,
            SampleState::other_kernels);
  EXPECT_EQ(kernel(fmt::format(fmt::runtime(one_more), 1100, 1301)).state,
            SampleState::other_kernels);
  EXPECT_EQ(kernel(fmt::format(fmt::runtime(one_more), 1100, 1300)).state, SampleState::shown)
      << "ends where the other one begins";
}

TEST_F(SamplesOfExport, AllowCopiesOfTheSameProcess) {
  const std::string copy =
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(1400, 1500, 0, 1, 8, 77, {}, 64, 1, 0, 2);"
      "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES(0, 3, 70);";
  const KernelSamples found = kernel(fmt::format(fmt::runtime(copy), testing::exported_id(80)));
  EXPECT_EQ(found.state, SampleState::shown);
  EXPECT_TRUE(found.has_copies);
  EXPECT_THAT(to_text(found), HasSubstr("copies run at the same time"));
  const std::string of_other =
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(1400, 1500, 3, 1, 8, 77, {}, 64, 1, 0, 2);"
      "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES(0, 3, 70);";
  EXPECT_EQ(kernel(fmt::format(fmt::runtime(of_other), testing::exported_id(70))).state,
            SampleState::other_process);
}

TEST_F(SamplesOfExport, OfAnotherGpuSayNothing) {
  EXPECT_EQ(kernel("UPDATE GPU_METRICS SET typeId = 257;"
                   "UPDATE TARGET_INFO_GPU_METRICS SET typeId = 257;")
                .state,
            SampleState::none);
  EXPECT_EQ(kernel("DELETE FROM GPU_METRICS WHERE timestamp > 1350;").state, SampleState::too_short)
      << "one sample";
}

TEST(SampleMeans, GiveVerdictsFromTenSamples) {
  SampleMeans means{10, {}};
  const auto set = [&means](GpuMetric metric, double value) {
    means.means[static_cast<std::size_t>(metric)] = value;
  };
  EXPECT_EQ(means.limit(), Limit::unknown);
  set(GpuMetric::dram_read, 40);
  EXPECT_EQ(means.limit(), Limit::unknown) << "what is written is unknown";
  set(GpuMetric::dram_write, 30);
  EXPECT_EQ(means.limit(), Limit::memory);
  set(GpuMetric::tensor_active, 70);
  EXPECT_EQ(means.limit(), Limit::both);
  means.samples = 9;
  EXPECT_EQ(means.limit(), Limit::unknown);
  means.samples = 10;
  set(GpuMetric::dram_write, 2);
  EXPECT_EQ(means.limit(), Limit::math);
}

}  // namespace
}  // namespace dlview::aggregate
