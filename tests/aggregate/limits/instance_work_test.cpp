#include "aggregate/limits/instance_work.h"

#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "aggregate/limits/counted_run.h"
#include "import/open.h"
#include "support/random_profile.h"
#include "support/sketched_run.h"
#include "support/test_data.h"

namespace dlview::aggregate {
namespace {

using profile::InstanceIndex;
using profile::KernelIndex;
using profile::Profile;
using testing::CountedRun;
using testing::EventSketch;
using testing::SketchedRun;

int64_t duration_of(const Profile& profile, KernelIndex kernel) {
  return profile.kernels.gpu_stop_ns[kernel] - profile.kernels.gpu_start_ns[kernel];
}

// What holds for every profile: parts add up, and each kernel has the group of one of them.
void expect_sound(const Profile& profile, const WorkIndex& index) {
  ASSERT_FALSE(index.works().empty());
  EXPECT_TRUE(index.works()[0].formula.empty());
  EXPECT_FALSE(index.works()[0].why_unknown.empty());
  std::vector<int64_t> parts_ns(profile.instances.size()), parts_kernels(profile.instances.size());
  InstanceIndex before{0};
  for (const WorkIndex::Part& part : index.parts()) {
    EXPECT_LE(before, part.instance);
    before = part.instance;
    EXPECT_EQ(index.groups()[part.group].op, profile.instances.op[part.instance]);
    EXPECT_GT(part.kernels, 0);
    parts_ns[part.instance] += part.kernel_ns;
    parts_kernels[part.instance] += part.kernels;
  }
  std::vector<int64_t> expected_ns(profile.instances.size()), expected(profile.instances.size());
  std::vector<int64_t> of_group(index.groups().size());
  for (KernelIndex kernel{0}; kernel < profile.kernels.size(); ++kernel) {
    const InstanceIndex instance = profile.kernels.instance[kernel];
    expected_ns[instance] += duration_of(profile, kernel);
    ++expected[instance];
    of_group[index.group_of_kernel()[kernel]] += duration_of(profile, kernel);
  }
  EXPECT_EQ(parts_ns, expected_ns);
  EXPECT_EQ(parts_kernels, expected);
  const InstanceIndex end(static_cast<profile::Row>(profile.instances.size()));
  for (std::size_t group = 0; group < index.groups().size(); ++group) {
    EXPECT_EQ(index.sums(group, InstanceIndex(0), end).kernel_ns, of_group[group]) << group;
    EXPECT_LT(index.groups()[group].work, index.works().size());
    if (group > 0) {
      EXPECT_LE(index.groups()[group - 1].op, index.groups()[group].op);
    }
  }
}

// Twin of sums() that looks at every part.
WorkIndex::Sums sums_one_by_one(const WorkIndex& index, std::size_t group, InstanceIndex first,
                                InstanceIndex last) {
  WorkIndex::Sums sums;
  for (const WorkIndex::Part& part : index.parts()) {
    if (part.group != group || part.instance < first || last <= part.instance) continue;
    ++sums.calls;
    sums.kernels += part.kernels;
    sums.kernel_ns += part.kernel_ns;
  }
  return sums;
}

TEST(WorkIndexTest, SumsMatchThoseOfParts) {
  for (unsigned seed = 1; seed < 6; ++seed) {
    const Profile profile = testing::random_profile({.seed = seed});
    const WorkIndex index(profile);
    expect_sound(profile, index);
    const auto count = static_cast<profile::Row>(profile.instances.size());
    for (std::size_t group = 0; group < index.groups().size(); ++group) {
      for (const auto& [first, last] : {std::pair<profile::Row, profile::Row>{0, count},
                                        {count / 3, count / 2},
                                        {count / 2, count / 2}}) {
        EXPECT_EQ(index.sums(group, InstanceIndex(first), InstanceIndex(last)),
                  sums_one_by_one(index, group, InstanceIndex(first), InstanceIndex(last)));
      }
    }
  }
}

TEST(WorkIndexTest, TellsCallsApartByShapes) {
  CountedRun run;
  const auto linear = run.op("linear");
  for (const char* shapes : {"[[8,4],[6,4]]", "[[16,4],[6,4]]", "[[8,4],[6,4]]"}) {
    run.kernel(run.call(linear, shapes), "gemm", 8);
  }
  const auto several = run.call(linear, "[[8,4],[6,4]]");
  run.kernel(several, "gemm", 8);
  run.kernel(several, "reduce", 8);
  run.call(linear, "[[8,4],[6,4]]");  // without kernels: no part
  const auto profile = std::move(run).finish();
  const WorkIndex index(*profile);
  expect_sound(*profile, index);
  ASSERT_EQ(index.groups().size(), 3U);
  EXPECT_EQ(index.works().size(), 3U) << "unknown, and one for each of the shapes";
  EXPECT_EQ(profile->text(index.groups()[0].kernel), "gemm");
  EXPECT_EQ(index.groups()[2].kernel, profile::kNoText) << "several kernels";
  EXPECT_EQ(index.works()[index.groups()[0].work].flops, 2 * 8 * 4 * 6);
  EXPECT_EQ(index.sums(0, InstanceIndex(0), InstanceIndex(5)).calls, 2);
}

// Older traces have no strides: the gradient of the output tells its size, unless two convolutions
// differ in it alone.
TEST(WorkIndexTest, TakesOutputsOfConvolutionsFromTheirGradients) {
  constexpr const char* kForward = "[[1,3,8,8],[4,3,2,2],[],[],[],[],[]]";
  const auto flops_with = [&](std::vector<const char*> backward_shapes) {
    CountedRun run;
    const auto forward = run.op("aten::conv2d"), backward = run.op("aten::convolution_backward");
    run.kernel(run.call(forward, kForward), "implicit_gemm", 8);
    for (const char* shapes : backward_shapes) run.kernel(run.call(backward, shapes), "dgrad", 8);
    const auto profile = std::move(run).finish();
    const WorkIndex index(*profile);
    const OpWork& work = index.works()[index.groups()[0].work];
    EXPECT_EQ(work.flops_least.has_value(), work.flops != 2 * 4 * 16 * 3 * 4);
    return work.flops.value();
  };
  constexpr const char* kStride2 = "[[1,4,4,4],[1,3,8,8],[4,3,2,2],[],[],[],[],[],[],[],[]]";
  constexpr const char* kStride1 = "[[1,4,7,7],[1,3,8,8],[4,3,2,2],[],[],[],[],[],[],[],[]]";
  constexpr const char* kOther = "[[1,4,2,2],[1,3,4,4],[4,3,2,2],[],[],[],[],[],[],[],[]]";
  EXPECT_EQ(flops_with({kStride2, kOther, kStride2}), 2 * 4 * 16 * 3 * 4);
  EXPECT_EQ(flops_with({}), 2 * 4 * 49 * 3 * 4);
  EXPECT_EQ(flops_with({kStride2, kStride1}), 2 * 4 * 49 * 3 * 4);
  EXPECT_EQ(flops_with({kOther}), 2 * 4 * 49 * 3 * 4);
}

TEST(WorkIndexTest, LeavesKernelsOutsideCallsUnknown) {
  EventSketch sketch;
  sketch.op("aten::linear", 100, 300);
  sketch.op("aten::addmm", 120, 220);
  sketch.launch("gemm", 130);
  sketch.launch("bias", 250);
  const SketchedRun run(std::move(sketch));
  const WorkIndex index(run.profile());
  expect_sound(run.profile(), index);
  for (const WorkGroup& group : index.groups()) {
    EXPECT_TRUE(index.works()[group.work].formula.empty()) << "no shapes are recorded";
  }
}

std::vector<std::filesystem::path> real_profiles() {
  std::vector<std::filesystem::path> paths;
  for (const char* folder : {"pytorch", "nsys", "dlprof/with_relu", "dlprof/no_relu"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(*testing::test_data_folder() / folder)) {
      const std::string name = entry.path().filename();
      const bool is_profile = name.ends_with(".gz") || name.ends_with(".json") ||
                              name.ends_with("dldb.sqlite") ||
                              entry.path().string().find("/nsys/") != std::string::npos;
      if (entry.is_regular_file() && is_profile) paths.push_back(entry.path());
    }
  }
  return paths;
}

TEST(WorkIndexTest, PartsAddUpInRealProfiles) {
  DLVIEW_REQUIRE_TEST_DATA();
  int opened_count = 0;
  std::map<std::string, bool> has_gemm;
  for (const std::filesystem::path& path : real_profiles()) {
    SCOPED_TRACE(path.filename().string());
    base::Progress progress;
    const auto opened = import::open_profile(path, progress);
    if (!opened.ok()) continue;
    ++opened_count;
    const WorkIndex index(*opened);
    expect_sound(*opened, index);
    for (const WorkGroup& group : index.groups()) {
      const OpWork& work = index.works()[group.work];
      if (work.kind == WorkKind::gemm) has_gemm[path.filename()] = true;
    }
  }
  EXPECT_GT(opened_count, 40);
  EXPECT_TRUE(has_gemm.contains("tracelens_mi300_qwen1.5-0.5b.json.gz"));
  EXPECT_TRUE(has_gemm.contains("dlprof_dldb.sqlite"));
}

}  // namespace
}  // namespace dlview::aggregate
