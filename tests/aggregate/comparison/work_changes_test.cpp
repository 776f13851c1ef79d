// What a comparison says of work that is other work now: words of kernels, counts in the summary,
// input shapes and the number of GPUs.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/comparison/comparability.h"
#include "aggregate/comparison/compared_runs.h"
#include "aggregate/comparison/comparison.h"

namespace dlview::aggregate {
namespace {

using ::testing::AnyOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

Comparison changed_training(TrainingOptions changed, const TrainingOptions& first = {}) {
  changed.seed += 1000;
  return compare(
      std::make_shared<const RunPair>(compared_training(first), compared_training(changed)),
      {{1, 38}, {1, 38}});
}

using WordsOfKernels = std::map<ChangeKind, std::map<ChangeKind, int>>;

// The words of the kernels of GPU parts, by that of their op.
WordsOfKernels words_of_kernels(const Comparison& comparison) {
  WordsOfKernels words;
  for (std::size_t p = 0; p < kStackPartCount; ++p) {
    if (!is_gpu_part(kStackParts[p])) continue;
    const JudgedPart& part = comparison.judgment.parts[p];
    for (std::size_t o = 0; o < part.ops.size(); ++o) {
      for (const ChangeKind kernel : part.kernels[o]) ++words[part.ops[o].kind][kernel];
    }
  }
  return words;
}

TEST(KernelWords, AreThoseOfTheOp) {
  TrainingOptions options;
  options.linear = 1.1;
  const WordsOfKernels slower = words_of_kernels(changed_training(options));
  EXPECT_EQ(slower.at(ChangeKind::slower), (std::map<ChangeKind, int>{{ChangeKind::slower, 6}}));
  for (const auto& [kernel, count] : slower.at(ChangeKind::same)) {
    EXPECT_EQ(kernel, ChangeKind::same) << count;
  }
  options.linear = 1;
  options.exposes_communication = true;
  const WordsOfKernels moved = words_of_kernels(changed_training(options));
  EXPECT_EQ(moved.at(ChangeKind::moved), (std::map<ChangeKind, int>{{ChangeKind::moved, 1}}));
}

TEST(KernelWords, FollowTheVerdictOfRenamedOps) {
  TrainingOptions options;
  options.model = "net";
  const WordsOfKernels words = words_of_kernels(changed_training(options));
  for (const auto& [kernel, count] : words.at(ChangeKind::renamed)) {
    EXPECT_THAT(kernel, AnyOf(ChangeKind::same, ChangeKind::inconclusive)) << count;
  }
}

// One more launch in a run is no more calls: launches take longer, or the op does not differ.
TEST(KernelWords, NeedTheLargerPartOfTheDifference) {
  const auto run = [](int64_t kernel_ns, int more) {
    testing::Sketch sketch;
    const profile::Row step = sketch.op("step", "step"), op = sketch.op("/net/conv", "conv2d");
    int64_t now = 1'000'000;
    for (int i = 0; i < 20; ++i) {
      sketch.instance(step, now, now + 100);
      const profile::Row instance = sketch.instance(op, now + 1'000, now + 5'000);
      for (int k = 0; k < (i == 10 ? 10 + more : 10); ++k) {
        sketch.kernel(instance, now + 10'000 + k * 50'000, now + 10'000 + k * 50'000 + kernel_ns);
      }
      now += 700'000;
    }
    sketch.instance(step, now, now + 100);
    return compared_run(sketch.finish(), {.key_op = "step"});
  };
  const auto words = [&](int64_t kernel_ns, int more) {
    return words_of_kernels(compare(
        std::make_shared<const RunPair>(run(20'000, 0), run(kernel_ns, more)), {{1, 18}, {1, 18}}));
  };
  const WordsOfKernels longer = words(30'000, 1);
  EXPECT_EQ(longer.at(ChangeKind::slower).count(ChangeKind::slower), 1U);
  const WordsOfKernels unchanged = words(20'000, 1);
  EXPECT_EQ(unchanged.at(ChangeKind::same).count(ChangeKind::same), 1U);
}

TEST(ChangesText, CountsReplacedAndRenamedWork) {
  TrainingOptions options;
  options.replaces_kernel = true;
  options.has_dropout = true;
  EXPECT_THAT(changes_text(changed_training(options)),
              EndsWith("; 6 kernels replaced, 6 ops added"));
  EXPECT_THAT(changes_text(changed_training({}, options)),
              EndsWith("; 6 kernels replaced, 6 ops removed"));
  TrainingOptions renamed;
  renamed.model = "net";
  EXPECT_EQ(changes_text(changed_training(renamed)), "12 ops renamed");
}

TEST(ChangesText, SaysWhatWasOverlapped) {
  TrainingOptions options;
  options.exposes_communication = true;
  EXPECT_THAT(main_changes_text(changed_training(options).waterfall),
              HasSubstr(" (overlapped −400"));
}

const Reason* reason_of(const Comparison& comparison, std::string_view id) {
  const auto& reasons = comparison.comparability.reasons;
  const auto found = std::ranges::find(reasons, id, &Reason::id);
  return found == reasons.end() ? nullptr : &*found;
}

// A run that recorded these input shapes of each op instance.
std::shared_ptr<const ComparedRun> run_with_shapes(std::string_view shapes) {
  profile::Profile profile = *training_run({});
  profile::StringTableBuilder texts;
  for (std::size_t id = 0; id < profile.strings.size(); ++id) {
    texts.intern(profile.strings[static_cast<profile::StringId>(id)]);
  }
  const profile::StringId id = texts.intern(shapes);
  profile.strings = std::move(texts).finish();
  profile.instances.input_shapes = std::vector<profile::StringId>(profile.instances.size(), id);
  return compared_run(std::make_shared<const profile::Profile>(std::move(profile)),
                      {.key_op = "step"});
}

Comparison compared_shapes(std::string_view before, std::string_view after) {
  return compare(std::make_shared<const RunPair>(run_with_shapes(before), run_with_shapes(after)),
                 {{1, 18}, {20, 37}});
}

TEST(InputShapes, DifferOnOneLine) {
  const Comparison compared = compared_shapes("[[128,2048],\n [1000,2048]]\n", "[[64,2048]]");
  const Reason* const reason = reason_of(compared, "shapes");
  ASSERT_NE(reason, nullptr);
  EXPECT_THAT(reason->text, HasSubstr(": [[128,2048],[1000,2048]] before, [[64,2048]] after)."));
  EXPECT_EQ(reason->text.find('\n'), std::string::npos);
}

TEST(InputShapes, AreComparedWithoutWhiteSpace) {
  EXPECT_EQ(reason_of(compared_shapes("[[128,2048]]\n", "[[128, 2048]]"), "shapes"), nullptr);
}

TEST(InputShapes, OfOneSideDoNotDiffer) {
  const Comparison compared = compared_shapes("[[128,2048]]\n", "null\n");
  EXPECT_EQ(reason_of(compared, "shapes"), nullptr);
  const Reason* const reason = reason_of(compared, "recorded");
  ASSERT_NE(reason, nullptr);
  EXPECT_EQ(reason->text, "Input shapes were recorded only before.");
  EXPECT_EQ(reason_of(compared_shapes("null", ""), "recorded"), nullptr);
}

// Each GPU with ops of its own, as in a process that drives several.
std::shared_ptr<const ComparedRun> run_on_gpus(int gpus, std::string_view other_path = {}) {
  testing::Sketch sketch(gpus);
  const profile::Row step = sketch.op("step", "step");
  std::vector<profile::Row> ops;
  for (int gpu = 0; gpu < gpus; ++gpu) {
    const bool is_other = gpu > 0 && !other_path.empty();
    ops.push_back(sketch.op(is_other ? fmt::format("{}{}", other_path, gpu) : "/net/conv",
                            is_other ? fmt::format("other{}", gpu) : "conv2d"));
  }
  int64_t now = 1'000'000;
  for (int i = 0; i < 20; ++i) {
    sketch.instance(step, now, now + 100);
    for (int gpu = 0; gpu < gpus; ++gpu) {
      const profile::Row instance = sketch.instance(
          ops[static_cast<std::size_t>(gpu)], now + 1'000 + gpu * 5'000, now + 5'000 + gpu * 5'000);
      sketch.kernel(instance, now + 50'000, now + 250'000, static_cast<profile::Row>(gpu));
    }
    now += 300'000;
  }
  sketch.instance(step, now, now + 100);
  return compared_run(sketch.finish(), {.key_op = "step"});
}

TEST(MatchRate, NamesTheNumberOfGpus) {
  const auto compared = [](int before, int after, std::string_view path) {
    return compare(std::make_shared<const RunPair>(run_on_gpus(before), run_on_gpus(after, path)),
                   {{1, 18}, {1, 18}});
  };
  const Comparison more = compared(1, 4, {}), other = compared(1, 4, "/elsewhere/");
  ASSERT_NE(reason_of(more, "match_rate"), nullptr);
  EXPECT_EQ(
      reason_of(more, "match_rate")->text,
      "Only 25.0% of the GPU time has matching ops: 1 GPU before, 4 GPUs after, and each GPU has "
      "its own ops.");
  EXPECT_THAT(reason_of(compared(4, 1, {}), "match_rate")->text, HasSubstr("4 GPUs before, 1 GPU"));
  ASSERT_NE(reason_of(other, "match_rate"), nullptr);
  EXPECT_THAT(reason_of(other, "match_rate")->text, EndsWith("another program."));
}

}  // namespace
}  // namespace dlview::aggregate
