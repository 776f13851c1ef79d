// Planted changes: what the truth says is in the file, measured from its columns.
#include "generate/changes.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generate/dlprof.h"
#include "generate/nsys.h"
#include "generate/pytorch.h"
#include "import/open.h"
#include "support/test_data.h"

namespace dlview::generate {
namespace {

using profile::InstanceIndex;
using profile::KernelIndex;
using profile::Profile;
using ::testing::HasSubstr;

constexpr std::string_view kMarker = "/module/Trainer::train_step/begin";

enum class File { dlprof, nsys };

struct Made {
  std::shared_ptr<const Profile> profile;
  DemoTruth truth;
};

DemoOptions options_with(const std::vector<std::string>& changes) {
  DemoOptions options{.iterations = 20, .kernels = 8'000, .gpus = 2};
  for (const std::string& text : changes) {
    const auto change = parse_change(text);
    EXPECT_TRUE(change.ok()) << text;
    if (change) options.changes.push_back(*change);
  }
  return options;
}

// Written to a file and read back.
Made made(const DemoOptions& options, File file = File::dlprof) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "run.sqlite";
  base::Progress progress;
  Made result;
  const base::Status status =
      file == File::dlprof ? generate_dlprof(path, options, progress, IfExists::fail, &result.truth)
                           : generate_nsys(path, options, NsysSchema::v2026, progress,
                                           IfExists::fail, {}, &result.truth);
  EXPECT_TRUE(status.ok());
  auto profile = import::open_profile(path, progress);
  EXPECT_TRUE(profile.ok());
  if (profile) result.profile = std::make_shared<const Profile>(*std::move(profile));
  return result;
}

std::string_view op_name(const Profile& profile, InstanceIndex instance) {
  return profile.text(profile.ops.name[profile.instances.op[instance]]);
}

// The number of the iteration in which each instance begins.
std::vector<std::size_t> steps_of(const Profile& profile) {
  std::vector<int64_t> starts_ns;
  for (InstanceIndex i{0}; i < profile.instances.size(); ++i) {
    if (op_name(profile, i) == kMarker) starts_ns.push_back(profile.instances.cpu_start_ns[i]);
  }
  std::ranges::sort(starts_ns);
  std::vector<std::size_t> steps;
  for (InstanceIndex i{0}; i < profile.instances.size(); ++i) {
    const int64_t start_ns = profile.instances.cpu_start_ns[i];
    steps.push_back(static_cast<std::size_t>(std::ranges::upper_bound(starts_ns, start_ns) -
                                             starts_ns.begin()));
  }
  return steps;
}

int64_t duration_ns(const Profile& profile, KernelIndex k) {
  return profile.kernels.gpu_stop_ns[k] - profile.kernels.gpu_start_ns[k];
}

// Sums of kernel durations in each iteration, of kernels that `is_counted`.
template <typename IsCounted>
std::vector<int64_t> kernel_sums(const Profile& profile, const IsCounted& is_counted) {
  const std::vector<std::size_t> steps = steps_of(profile);
  std::vector<int64_t> sums(*std::ranges::max_element(steps) + 1);
  for (KernelIndex k{0}; k < profile.kernels.size(); ++k) {
    if (is_counted(k)) sums[steps[profile.kernels.instance[k]]] += duration_ns(profile, k);
  }
  return sums;
}

std::vector<int64_t> sums_of_ops(const Profile& profile, const std::vector<std::string>& names) {
  return kernel_sums(profile, [&](KernelIndex k) {
    return names.empty() ||
           std::ranges::find(names, op_name(profile, profile.kernels.instance[k])) != names.end();
  });
}

bool is_communication(const Profile& profile, KernelIndex k) {
  return profile.text(profile.kernels.name[k]).starts_with("nccl");
}

// Communication of each iteration while no other kernel of its GPU runs. The kernels of each kind
// follow one another.
std::vector<int64_t> exposed_sums(const Profile& profile) {
  std::vector<int64_t> exposed =
      kernel_sums(profile, [&](KernelIndex k) { return is_communication(profile, k); });
  const std::vector<std::size_t> steps = steps_of(profile);
  for (KernelIndex a{0}; a < profile.kernels.size(); ++a) {
    if (!is_communication(profile, a)) continue;
    for (KernelIndex b{0}; b < profile.kernels.size(); ++b) {
      if (is_communication(profile, b)) continue;
      if (profile.device_of_kernel(a) != profile.device_of_kernel(b)) continue;
      const int64_t start =
          std::max(profile.kernels.gpu_start_ns[a], profile.kernels.gpu_start_ns[b]);
      const int64_t stop = std::min(profile.kernels.gpu_stop_ns[a], profile.kernels.gpu_stop_ns[b]);
      exposed[steps[profile.kernels.instance[a]]] -= std::max<int64_t>(0, stop - start);
    }
  }
  return exposed;
}

template <typename Value>
std::vector<int64_t> of_steps(const DemoTruth& truth, const Value& value) {
  std::vector<int64_t> values;
  for (const DemoTruth::Step& step : truth.steps) values.push_back(value(step));
  return values;
}

int64_t sum(const std::vector<int64_t>& values) {
  int64_t result = 0;
  for (const int64_t value : values) result += value;
  return result;
}

class PlantedChanges : public ::testing::TestWithParam<File> {
 protected:
  // The truth of change 0 agrees with the columns of this run and of the run without changes.
  static void expect_truth(const Made& run, const Made& usual) {
    const std::vector<std::string>& ops = run.truth.changes[0].ops;
    std::vector<std::string> ops_before = ops;
    if (run.truth.changes[0].change.kind == PlantedKind::renamed_layers ||
        run.truth.changes[0].change.kind == PlantedKind::renumbered_layers) {
      ops_before.clear();
      for (const auto& names : run.truth.changes[0].names) ops_before.push_back(names.first);
    }
    EXPECT_EQ(sums_of_ops(*run.profile, ops),
              of_steps(run.truth, [](const DemoTruth::Step& step) { return step.changes[0].ns; }));
    EXPECT_EQ(sums_of_ops(*usual.profile, ops_before),
              of_steps(run.truth,
                       [](const DemoTruth::Step& step) { return step.changes[0].unchanged_ns; }));
    EXPECT_EQ(sums_of_ops(*run.profile, {}),
              of_steps(run.truth, [](const DemoTruth::Step& step) { return step.all.ns; }));
    EXPECT_EQ(sums_of_ops(*usual.profile, {}), of_steps(run.truth, [](const DemoTruth::Step& step) {
                return step.all.unchanged_ns;
              }));
  }
  static double ratio(const DemoTruth& truth) {
    const auto changed = of_steps(truth, [](const auto& step) { return step.changes[0].ns; });
    const auto usual =
        of_steps(truth, [](const auto& step) { return step.changes[0].unchanged_ns; });
    return static_cast<double>(sum(changed)) / static_cast<double>(sum(usual));
  }
};

TEST_P(PlantedChanges, SlowTheNamedOp) {
  const Made usual = made(options_with({}), GetParam());
  const Made run = made(options_with({"slower-op=batch_norm:1.1"}), GetParam());
  expect_truth(run, usual);
  EXPECT_NEAR(ratio(run.truth), 1.1, 1e-4);
  EXPECT_GT(run.truth.changes[0].ops.size(), 3U);
  // One op by its name, forward and backward.
  const std::string name = "/module/ResNet::forward/fc/linear";
  const Made one = made(options_with({"slower-op=" + name + ":0.5"}), GetParam());
  expect_truth(one, usual);
  EXPECT_EQ(one.truth.changes[0].ops, std::vector<std::string>{name});
  EXPECT_NEAR(ratio(one.truth), 0.5, 1e-3);
}

TEST_P(PlantedChanges, LowerTheClocks) {
  const Made usual = made(options_with({}), GetParam());
  const Made run = made(options_with({"clocks=0.97"}), GetParam());
  EXPECT_TRUE(run.truth.changes[0].ops.empty());
  expect_truth(run, usual);
  EXPECT_NEAR(ratio(run.truth), 1 / 0.97, 1e-4);
}

TEST_P(PlantedChanges, ReplaceAKernel) {
  const Made usual = made(options_with({}), GetParam());
  const Made run = made(options_with({"replaced-kernel"}), GetParam());
  ASSERT_EQ(run.truth.changes[0].names.size(), 1U);
  const auto& [before, after] = run.truth.changes[0].names[0];
  const auto of_kernel = [](const Profile& profile, const std::string& name) {
    return kernel_sums(
        profile, [&](KernelIndex k) { return profile.text(profile.kernels.long_name[k]) == name; });
  };
  const auto truth = of_steps(run.truth, [](const auto& step) { return step.changes[0].ns; });
  EXPECT_GT(sum(truth), 0);
  EXPECT_EQ(of_kernel(*run.profile, after), truth);
  EXPECT_EQ(sum(of_kernel(*usual.profile, after)), 0);
  EXPECT_EQ(sum(of_kernel(*usual.profile, before)) - sum(of_kernel(*run.profile, before)),
            sum(truth));
  EXPECT_EQ(sums_of_ops(*run.profile, {}), sums_of_ops(*usual.profile, {}));
}

TEST_P(PlantedChanges, ExposeCommunication) {
  const Made usual = made(options_with({}), GetParam());
  const Made run = made(options_with({"exposed-communication"}), GetParam());
  const auto changed = [](const auto& step) { return step.changes[0].ns; };
  EXPECT_EQ(
      kernel_sums(*run.profile, [&](KernelIndex k) { return is_communication(*run.profile, k); }),
      of_steps(run.truth, changed));
  const auto exposed = [](const auto& step) { return step.exposed_communication_ns; };
  const auto all = [](const auto& step) { return step.communication_ns; };
  EXPECT_EQ(exposed_sums(*usual.profile), of_steps(usual.truth, exposed));
  EXPECT_EQ(exposed_sums(*run.profile), of_steps(run.truth, exposed));
  EXPECT_EQ(of_steps(run.truth, exposed), of_steps(run.truth, all));
  EXPECT_LT(sum(of_steps(usual.truth, exposed)), sum(of_steps(usual.truth, all)) * 3 / 4);
}

TEST_P(PlantedChanges, RenameLayers) {
  const Made usual = made(options_with({}), GetParam());
  for (const char* const text : {"renamed-layers", "renumbered-layers"}) {
    SCOPED_TRACE(text);
    const Made run = made(options_with({text}), GetParam());
    expect_truth(run, usual);
    EXPECT_GT(sum(of_steps(run.truth, [](const auto& step) { return step.changes[0].ns; })), 0);
    for (const auto& [before, after] : run.truth.changes[0].names) EXPECT_NE(before, after);
  }
  const Made both = made(options_with({"renamed-layers", "renumbered-layers"}), GetParam());
  EXPECT_THAT(both.truth.changes[0].ops,
              ::testing::Contains(HasSubstr("/Sequential::stage2/ResidualUnit::forward[18]/")));
}

TEST_P(PlantedChanges, EndTheRunEarly) {
  const Made usual = made(options_with({}), GetParam());
  const Made run = made(options_with({"fewer-iterations=12"}), GetParam());
  ASSERT_EQ(run.truth.steps.size(), 13U);
  std::vector<int64_t> sums = sums_of_ops(*usual.profile, {});
  sums.resize(13);
  EXPECT_EQ(sums_of_ops(*run.profile, {}), sums);
}

TEST_P(PlantedChanges, NameAnotherGpu) {
  const Made run = made(options_with({"other-gpu"}), GetParam());
  for (const profile::Device& device : run.profile->devices) {
    EXPECT_EQ(device.name, "NVIDIA H100 80GB HBM3");
    EXPECT_EQ(device.compute_capability_major, 9);
  }
  EXPECT_EQ(run.truth.changes[0].names, (std::vector<std::pair<std::string, std::string>>{
                                            {"NVIDIA A100-SXM4-40GB", "NVIDIA H100 80GB HBM3"}}));
  EXPECT_EQ(sums_of_ops(*run.profile, {}),
            sums_of_ops(*made(options_with({}), GetParam()).profile, {}));
}

INSTANTIATE_TEST_SUITE_P(Files, PlantedChanges, ::testing::Values(File::dlprof, File::nsys),
                         [](const auto& file) {
                           return file.param == File::dlprof ? "dlprof" : "nsys";
                         });

TEST(PlantedChange, AddsUpWithOthers) {
  const Made run = made(options_with({"slower-op=relu_:2", "clocks=0.5", "replaced-kernel=add_"}));
  int64_t kernels = 0;
  for (const DemoTruth::Step& step : run.truth.steps) {
    EXPECT_NEAR(static_cast<double>(step.changes[0].ns),
                4 * static_cast<double>(step.changes[0].unchanged_ns),
                static_cast<double>(4 * step.changes[0].kernels));
    kernels += step.changes[2].kernels;
    EXPECT_EQ(step.changes[2].ns, 2 * step.changes[2].unchanged_ns);
  }
  EXPECT_GT(kernels, 0);
  EXPECT_EQ(run.truth.changes[2].names.size(), 1U);
  EXPECT_THAT(run.profile->system.original_command, HasSubstr("--change 'slower-op=relu_:2'"));
}

TEST(PlantedChange, WorksInTensorFlowRuns) {
  DemoOptions options = options_with({"slower-op=Conv2D:1.1", "renumbered-layers", "renamed-layers",
                                      "other-gpu", "replaced-kernel"});
  options.framework = Framework::tensorflow;
  const Made run = made(options);
  EXPECT_THAT(run.truth.changes[1].ops,
              ::testing::Contains("resnet50/stage1/unit_17/conv1/Conv2D"));
  EXPECT_EQ(run.profile->devices[0].name, "NVIDIA A100-SXM4-40GB");
  EXPECT_EQ(sum(sums_of_ops(*run.profile, run.truth.changes[0].ops)),
            sum(of_steps(run.truth, [](const auto& step) { return step.changes[0].ns; })));
}

struct MadeTrace {
  std::shared_ptr<const Profile> profile;
  PytorchTruth truth;
  int64_t kernels_ns() const {
    int64_t sum_ns = 0;
    for (KernelIndex k{0}; k < profile->kernels.size(); ++k) sum_ns += duration_ns(*profile, k);
    return sum_ns;
  }
};

MadeTrace made_trace(const std::vector<std::string>& changes) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "run.json";
  base::Progress progress;
  PytorchOptions options{.iterations = 5, .kernels = 2'000};
  options.changes = options_with(changes).changes;
  MadeTrace result;
  const auto truth = generate_pytorch(path, options, progress);
  EXPECT_TRUE(truth.ok());
  auto profile = import::open_profile(path, progress);
  EXPECT_TRUE(profile.ok());
  if (!truth || !profile) return result;
  result.truth = *truth;
  result.profile = std::make_shared<const Profile>(*std::move(profile));
  return result;
}

TEST(PlantedChange, WorksInTraces) {
  const MadeTrace usual = made_trace({}), slow = made_trace({"slower-op=aten::linear:1.5"}),
                  clocks = made_trace({"clocks=0.8"}), other = made_trace({"other-gpu"});
  const auto of_linear = [](const MadeTrace& trace) {
    return static_cast<double>(trace.truth.ops.at("aten::linear").gpu_total_ns);
  };
  EXPECT_GT(of_linear(usual), 0);
  EXPECT_NEAR(of_linear(slow) / of_linear(usual), 1.5, 0.001);
  EXPECT_NEAR(static_cast<double>(slow.kernels_ns() - usual.kernels_ns()), of_linear(usual) / 2,
              1'000);
  EXPECT_NEAR(static_cast<double>(clocks.kernels_ns()) / static_cast<double>(usual.kernels_ns()),
              1.25, 1e-3);
  EXPECT_EQ(usual.profile->devices[0].name, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(other.profile->devices[0].name, "NVIDIA A100-SXM4-80GB");
  EXPECT_EQ(other.kernels_ns(), usual.kernels_ns());
}

TEST(PlantedChange, RefusesWhatTracesLack) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "run.json";
  base::Progress progress;
  for (const char* const text : {"replaced-kernel", "slower-op=conv2d:2", "fewer-iterations=3"}) {
    PytorchOptions options{.iterations = 5, .kernels = 2'000};
    options.changes = options_with({text}).changes;
    EXPECT_FALSE(generate_pytorch(path, options, progress).ok()) << text;
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(PlantedChange, RefusesWhatTheRunLacks) {
  base::Progress progress;
  DemoOptions options = options_with({"slower-op=attention:1.1"});
  const auto unknown = make_demo_profile(options, progress);
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().title, "Invalid --change: \"slower-op=attention:1.1\"");
  EXPECT_THAT(unknown.error().advice, HasSubstr("batch_norm, conv2d"));
  options = options_with({"exposed-communication"});
  options.gpus = 1;
  const auto alone = make_demo_profile(options, progress);
  ASSERT_FALSE(alone.ok());
  EXPECT_EQ(alone.error().advice, "Use --gpus 2 or more");
  EXPECT_FALSE(make_demo_profile(options_with({"fewer-iterations=20"}), progress).ok());
  options = options_with({"renamed-layers"});
  options.kernels = 10;
  EXPECT_FALSE(make_demo_profile(options, progress).ok());
}

TEST(PlantedChange, IsReadFromItsText) {
  const PlantedChange slower{PlantedKind::slower_op, "a:b=c", 1'250'000};
  EXPECT_EQ(parse_change("slower-op=a:b=c:1.25").value(), slower);
  EXPECT_EQ(parse_change("slower-op=a:b=c:125%").value(), slower);
  EXPECT_EQ(to_text(slower), "slower-op=a:b=c:1.25");
  for (const char* const text :
       {"slower-op=conv2d:1.1", "replaced-kernel", "replaced-kernel=fc", "exposed-communication",
        "other-gpu", "renamed-layers", "renumbered-layers", "fewer-iterations=12", "clocks=0.97",
        "clocks=1.000001"}) {
    EXPECT_EQ(to_text(parse_change(text).value()), text);
  }
  for (const char* const text : {"",
                                 "slow",
                                 "slower-op",
                                 "slower-op=",
                                 "slower-op=conv2d",
                                 "slower-op=:2",
                                 "slower-op=a:0",
                                 "slower-op=a:11",
                                 "slower-op=a:1.0000001",
                                 "slower-op=a:1.1.1",
                                 "slower-op=a:-1",
                                 "clocks",
                                 "clocks=",
                                 "clocks=x",
                                 "clocks=%",
                                 "other-gpu=H100",
                                 "replaced-kernel=",
                                 "fewer-iterations",
                                 "fewer-iterations=0",
                                 "fewer-iterations=1.5",
                                 "fewer-iterations=100%"}) {
    EXPECT_FALSE(parse_change(text).ok()) << text;
  }
  EXPECT_EQ(parse_change("slow").error().advice, "Valid values: " + known_changes());
}

// --- Noise ---------------------------------------------------------------------------------------

TEST(PlantedNoise, IsReadFromItsText) {
  EXPECT_EQ(parse_noise("between=0.7%,within=1.3%").value(), (PlantedNoise{7'000, 13'000}));
  EXPECT_EQ(parse_noise("within=0.02").value(), (PlantedNoise{0, 20'000}));
  EXPECT_EQ(to_text(PlantedNoise{7'000, 13'000}), "between=0.007,within=0.013");
  for (const char* const text : {"", "0.7%", "between", "between=", "between=11%", "with=1%",
                                 "between=1%,", "between=1%;within=1%"}) {
    EXPECT_FALSE(parse_noise(text).ok()) << text;
  }
}

double deviation(const std::vector<double>& values) {
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

DemoTruth truth_of(const DemoOptions& options) {
  base::Progress progress;
  DemoTruth truth;
  EXPECT_TRUE(make_demo_profile(options, progress, &truth).ok());
  return truth;
}

// The relative standard error is 8% for 80 values and 5% for 200: the bounds lie 4 of them away.
TEST(PlantedNoise, HasTheAskedSpreads) {
  std::vector<double> levels, iterations;
  for (uint64_t seed = 1; seed <= 80; ++seed) {
    levels.push_back(static_cast<double>(
        truth_of({.iterations = 1, .kernels = 10, .seed = seed, .noise = PlantedNoise{7'000, 0}})
            .run_level_ppm));
  }
  EXPECT_NEAR(deviation(levels), 7'000, 2'200);
  for (const DemoTruth::Step& step :
       truth_of({.iterations = 216, .kernels = 64'800, .noise = PlantedNoise{0, 13'000}}).steps) {
    if (step.all.kernels > 250) iterations.push_back(static_cast<double>(step.all.ns));
  }
  ASSERT_GT(iterations.size(), 150U);
  double mean = 0;
  for (const double ns : iterations) mean += ns / static_cast<double>(iterations.size());
  // The noise of each kernel adds a little.
  EXPECT_NEAR(deviation(iterations) / mean, 0.0135, 0.003);
}

TEST(PlantedNoise, GivesSeedsDifferentLevels) {
  const auto truth = [](uint64_t seed) {
    return truth_of(
        {.iterations = 20, .kernels = 6'000, .seed = seed, .noise = PlantedNoise{50'000, 1'000}});
  };
  const DemoTruth a = truth(1), b = truth(2);
  const double ratio =
      static_cast<double>(sum(of_steps(b, [](const auto& s) { return s.all.ns; }))) /
      static_cast<double>(sum(of_steps(a, [](const auto& s) { return s.all.ns; })));
  EXPECT_NE(a.run_level_ppm, b.run_level_ppm);
  EXPECT_NEAR(ratio, static_cast<double>(b.run_level_ppm) / static_cast<double>(a.run_level_ppm),
              0.002);
}

TEST(DemoTruth, IsWrittenAsJson) {
  DemoOptions options = options_with({"slower-op=relu_:1.1"});
  options.iterations = 1;
  options.kernels = 30;
  options.noise = PlantedNoise{7'000, 0};
  const std::string json = to_json(truth_of(options));
  EXPECT_THAT(json, HasSubstr("\"key_op\": \"TRAIN_STEP_1\", \"seed\": 1, \"gpus\": 2"));
  EXPECT_THAT(json, HasSubstr("\"noise\": {\"between\": 0.007, \"within\": 0, \"run_level\": "));
  EXPECT_THAT(json, HasSubstr("{\"change\": \"slower-op=relu_:1.1\", \"kind\": \"slower-op\", "
                              "\"factor\": 1.1"));
  EXPECT_THAT(json, HasSubstr("\"/module/ResNet::forward/relu/relu_\""));
  EXPECT_THAT(json, HasSubstr("{\"kind\": \"normal\", \"kernels\": 29, \"ns\": "));
}

}  // namespace
}  // namespace dlview::generate
