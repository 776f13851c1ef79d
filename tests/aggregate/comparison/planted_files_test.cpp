// Changes that `dlview generate` plants, in real files: the comparison finds each with its word and
// its size.
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/comparison/compared_runs.h"
#include "aggregate/comparison/comparison.h"
#include "generate/dlprof.h"
#include "generate/nsys.h"
#include "import/open.h"
#include "support/test_data.h"

namespace dlview::aggregate {
namespace {

using generate::DemoTruth;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;

enum class PlantedFormat { dlprof, nsys };

struct PlantedRun {
  std::shared_ptr<const ComparedRun> run;
  DemoTruth truth;
};

// 60 iterations on two GPUs, and noise as of a machine that is quiet.
PlantedRun planted_run(PlantedFormat format, uint64_t seed, const std::string& change) {
  generate::DemoOptions options{.iterations = 60,
                                .kernels = 24'000,
                                .gpus = 2,
                                .seed = seed,
                                .noise = generate::PlantedNoise{3'000, 10'000}};
  if (!change.empty()) {
    const auto parsed = generate::parse_change(change);
    EXPECT_TRUE(parsed.ok()) << change;
    if (parsed) options.changes.push_back(*parsed);
  }
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "run.sqlite";
  base::Progress progress;
  PlantedRun result;
  const base::Status written =
      format == PlantedFormat::dlprof
          ? generate::generate_dlprof(path, options, progress, generate::IfExists::fail,
                                      &result.truth)
          : generate::generate_nsys(path, options, generate::NsysSchema::v2026, progress,
                                    generate::IfExists::fail, {}, &result.truth);
  EXPECT_TRUE(written.ok());
  auto profile = import::open_profile(path, progress);
  EXPECT_TRUE(profile.ok());
  if (!profile) return result;
  result.run = compared_run(std::make_shared<const profile::Profile>(*std::move(profile)),
                            {.key_op = "/module/Trainer::train_step/begin"});
  return result;
}

using Kinds = std::map<ChangeKind, int>;

class PlantedFiles : public ::testing::TestWithParam<PlantedFormat> {
 protected:
  // The unchanged run; its truth counts batch_norm.
  static const PlantedRun& before() {
    static std::map<PlantedFormat, PlantedRun> runs;
    PlantedRun& run = runs[GetParam()];
    if (!run.run) run = planted_run(GetParam(), 1, "slower-op=batch_norm:1");
    return run;
  }

  // Another capture of the same state, but for `change`.
  void compare_with(const std::string& change) {
    after_ = planted_run(GetParam(), 2, change);
    const auto runs = std::make_shared<const RunPair>(before().run, after_.run);
    found_ = compare(runs, runs->usual_ranges());
  }

  template <typename Value>
  static int64_t in_range(const DemoTruth& truth, const IterationRange& range, const Value& value) {
    int64_t sum = 0;
    for (int64_t i = range.first; i <= range.last; ++i) {
      sum += value(truth.steps[static_cast<std::size_t>(i)]);
    }
    return sum;
  }
  template <typename Value>
  int64_t truth_before(const Value& value) const {
    return in_range(before().truth, found_.ranges.before, value);
  }
  template <typename Value>
  int64_t truth_after(const Value& value) const {
    return in_range(after_.truth, found_.ranges.after, value);
  }
  static int64_t changed_ns(const DemoTruth::Step& step) { return step.changes[0].ns; }
  static int64_t exposed_ns(const DemoTruth::Step& step) { return step.exposed_communication_ns; }

  // By how much noise alone makes the run after slower.
  double level_ratio() const {
    return static_cast<double>(after_.truth.run_level_ppm) /
           static_cast<double>(before().truth.run_level_ppm);
  }

  std::string_view type_of(const OpBar& op) const {
    const profile::Profile& profile =
        *(op.is_only_before() ? found_.runs->before() : found_.runs->after()).profile;
    return profile.text(profile.ops.type[op.is_only_before() ? op.before : op.after]);
  }

  // Bars of GPU parts.
  template <typename Visit>
  void for_bars(const Visit& visit) const {
    for (std::size_t p = 0; p < kStackPartCount; ++p) {
      if (!is_gpu_part(kStackParts[p])) continue;
      for (std::size_t o = 0; o < found_.waterfall.parts[p].ops.size(); ++o) {
        visit(found_.waterfall.parts[p].ops[o], found_.judgment.parts[p].ops[o]);
      }
    }
  }
  // What became of the ops that are judged, but for those of a type.
  Kinds kinds_without(std::string_view type) const {
    Kinds kinds;
    for_bars([&](const OpBar& op, const JudgedBar& judged) {
      if (type_of(op) == type || judged.kind == ChangeKind::not_judged) return;
      ++kinds[judged.kind];
    });
    return kinds;
  }
  // The noise is planted: it can make the run inconclusive, but no change.
  void expect_no_verdict() const {
    ASSERT_TRUE(found_.judgment.iteration);
    EXPECT_THAT(found_.judgment.iteration->verdict,
                AnyOf(Verdict::no_difference, Verdict::inconclusive));
  }
  void expect_no_change_but(std::string_view type) const {
    for (const auto& [kind, count] : kinds_without(type)) {
      EXPECT_THAT(kind, AnyOf(ChangeKind::same, ChangeKind::inconclusive)) << to_text(kind);
    }
  }

  void expect_true_partners() const {
    std::map<std::string, std::string> names;
    for (const auto& [before, after] : after_.truth.changes[0].names) names[after] = before;
    std::size_t renamed = 0;
    const profile::Profile &from = *found_.runs->before().profile,
                           &to = *found_.runs->after().profile;
    for (const OpMatch& match : found_.runs->matching().matches()) {
      const std::string after(to.text(to.ops.name[match.after]));
      const auto name = names.find(after);
      renamed += name == names.end() ? 0 : 1;
      EXPECT_EQ(from.text(from.ops.name[match.before]), name == names.end() ? after : name->second)
          << to_text(match.by);
    }
    EXPECT_GE(renamed, names.size());
    EXPECT_EQ(found_.rate_before.gpu.rate(), 1);
    EXPECT_EQ(found_.rate_after.gpu.rate(), 1);
  }
  double share_of(MatchedBy step) const {
    const MatchShare& gpu = found_.rate_after.gpu;
    return static_cast<double>(gpu.by_step_ns[static_cast<std::size_t>(step)]) /
           static_cast<double>(gpu.all_ns);
  }

  PlantedRun after_;
  Comparison found_;
};

TEST_P(PlantedFiles, OneStateShowsNoChange) {
  compare_with("");
  expect_no_verdict();
  expect_no_change_but("");
  EXPECT_FALSE(found_.comparability.uniform);
}

TEST_P(PlantedFiles, SlowerOpIsFound) {
  compare_with("slower-op=batch_norm:1.1");
  int64_t before_ns = 0, after_ns = 0, slower_ns = 0;
  for_bars([&](const OpBar& op, const JudgedBar& judged) {
    if (type_of(op) != "batch_norm") return;
    EXPECT_THAT(judged.kind,
                AnyOf(ChangeKind::slower, ChangeKind::inconclusive, ChangeKind::not_judged))
        << to_text(judged.kind);
    if (judged.kind == ChangeKind::slower) slower_ns += op.after_sum_ns;
    before_ns += op.before_sum_ns;
    after_ns += op.after_sum_ns;
  });
  EXPECT_GT(slower_ns, after_ns * 3 / 4);
  EXPECT_EQ(before_ns, truth_before(changed_ns));
  EXPECT_EQ(after_ns, truth_after(changed_ns));
  const double change = static_cast<double>(after_ns) / static_cast<double>(before_ns);
  EXPECT_NEAR(change, 1.1 * level_ratio(), 0.01);
  expect_no_change_but("batch_norm");
}

TEST_P(PlantedFiles, ReplacedKernelIsFound) {
  compare_with("replaced-kernel");
  int64_t replaced_ns = 0;
  std::set<ChangeKind> kinds;
  for_bars([&](const OpBar& op, const JudgedBar& judged) {
    for (const KernelBar& kernel : op.kernels) {
      if (kernel.pairing != KernelPairing::replaced) continue;
      EXPECT_NE(found_.runs->keys().name(kernel.before), found_.runs->keys().name(kernel.after));
      replaced_ns += kernel.after_sum_ns;
      kinds.insert(judged.kind);
    }
  });
  EXPECT_EQ(kinds, std::set{ChangeKind::replaced});
  EXPECT_EQ(replaced_ns, truth_after(changed_ns));
  expect_no_change_but("conv2d");
}

TEST_P(PlantedFiles, ExposedCommunicationIsFound) {
  compare_with("exposed-communication");
  const auto part = static_cast<std::size_t>(StackPart::exposed_communication);
  EXPECT_EQ(found_.waterfall.parts[part].before_sum_ns, truth_before(exposed_ns));
  EXPECT_EQ(found_.waterfall.parts[part].after_sum_ns, truth_after(exposed_ns));
  EXPECT_EQ(found_.judgment.parts[part].kind, ChangeKind::slower);
  // What ran beside other kernels before: the op takes no more time, it moved.
  int64_t moved_ns = 0;
  for (std::size_t o = 0; o < found_.waterfall.parts[part].ops.size(); ++o) {
    const ChangeKind kind = found_.judgment.parts[part].ops[o].kind;
    EXPECT_THAT(kind, AnyOf(ChangeKind::moved, ChangeKind::same, ChangeKind::inconclusive));
    if (kind != ChangeKind::moved) continue;
    moved_ns += found_.waterfall.parts[part].ops[o].difference_ns();
  }
  EXPECT_GT(moved_ns, found_.waterfall.parts[part].difference_ns() * 9 / 10);
}

TEST_P(PlantedFiles, FewerIterationsChangeNothing) {
  compare_with("fewer-iterations=14");
  EXPECT_LT(found_.waterfall.iterations_after, found_.waterfall.iterations_before);
  expect_no_verdict();
  expect_no_change_but("");
}

TEST_P(PlantedFiles, OtherGpuIsNamed) {
  compare_with("other-gpu");
  EXPECT_EQ(found_.comparability.level(), Comparability::with_care);
  EXPECT_THAT(found_.comparability.reasons,
              Contains(AllOf(Field(&Reason::id, "gpu"),
                             Field(&Reason::text, HasSubstr("H100 80GB HBM3 (9.0) after")))));
}

TEST_P(PlantedFiles, RenamedLayersMatch) {
  compare_with("renamed-layers");
  expect_true_partners();
  EXPECT_GT(share_of(MatchedBy::shape) + share_of(MatchedBy::place) + share_of(MatchedBy::name),
            0.5);
  const Kinds kinds = kinds_without("");
  EXPECT_EQ(kinds.count(ChangeKind::added), 0U);
  EXPECT_EQ(kinds.count(ChangeKind::moved), 0U);
  EXPECT_GT(kinds.count(ChangeKind::renamed), 0U);
}

TEST_P(PlantedFiles, RenumberedLayersMatch) {
  compare_with("renumbered-layers");
  expect_true_partners();
  EXPECT_GT(share_of(MatchedBy::layer), 0.05);
  expect_no_change_but("");
}

TEST_P(PlantedFiles, LowerClocksAreFound) {
  compare_with("clocks=0.97");
  ASSERT_TRUE(found_.comparability.uniform);
  EXPECT_NEAR(found_.comparability.uniform->factor, level_ratio() / 0.97, 0.006);
  EXPECT_THAT(found_.comparability.reasons, Contains(Field(&Reason::id, "uniform_change")));
}

INSTANTIATE_TEST_SUITE_P(Formats, PlantedFiles,
                         ::testing::Values(PlantedFormat::dlprof, PlantedFormat::nsys),
                         [](const auto& format) {
                           return format.param == PlantedFormat::dlprof ? "dlprof" : "nsys";
                         });

}  // namespace
}  // namespace dlview::aggregate
