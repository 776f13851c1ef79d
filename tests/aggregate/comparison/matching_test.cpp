// Which ops and kernels of two runs are the same.
#include "aggregate/comparison/matching.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/comparison/compared_runs.h"
#include "aggregate/comparison/kernel_keys.h"
#include "support/sketch.h"

namespace dlview::aggregate {
namespace {

using profile::Profile;
using ::testing::ElementsAre;

struct PlacedOp {
  std::string name, type;
  int calls = 1;
};

// One iteration with these ops one after another, each with a kernel.
std::shared_ptr<const Profile> run_with_ops(const std::vector<PlacedOp>& ops) {
  testing::Sketch sketch;
  int64_t now = 0;
  for (const PlacedOp& placed : ops) {
    const profile::Row op = sketch.op(placed.name, placed.type);
    for (int call = 0; call < placed.calls; ++call, now += 20) {
      sketch.kernel(sketch.instance(op, now, now + 10), now, now + 10);
    }
  }
  return sketch.finish();
}

MatchSide side_of_run(const std::shared_ptr<const Profile>& profile) {
  return {*profile,
          {0, profile->last_ns, profile::InstanceIndex(0),
           profile::InstanceIndex(static_cast<profile::Row>(profile->instances.size()))}};
}

// "before = after (step)", and ops without a partner.
std::vector<std::string> matched(const std::vector<PlacedOp>& before,
                                 const std::vector<PlacedOp>& after,
                                 const MatchOptions& options = {}) {
  const auto from = run_with_ops(before), to = run_with_ops(after);
  const OpMatching matching(side_of_run(from), side_of_run(to), options);
  std::vector<std::string> lines;
  for (const OpMatch& match : matching.matches()) {
    lines.push_back(fmt::format("{} = {} ({})", from->text(from->ops.name[match.before]),
                                to->text(to->ops.name[match.after]), to_text(match.by)));
    EXPECT_EQ(matching.of_before(match.before), matching.of_after(match.after));
  }
  return lines;
}

TEST(Matching, TrustsIdsOnlyWithTheirPaths) {
  // The ids of a sketch are OP_1, OP_2, ...
  EXPECT_THAT(matched({{"/a", "conv"}, {"/b", "conv"}}, {{"/a", "conv"}, {"/b", "conv"}}),
              ElementsAre("/a = /a (id)", "/b = /b (id)"));
  EXPECT_THAT(matched({{"/a", "conv"}, {"/b", "conv"}}, {{"/b", "conv"}, {"/a", "conv"}}),
              ElementsAre("/a = /a (path)", "/b = /b (path)"));
}

TEST(Matching, PairsEqualPathsInTheirOrder) {
  const auto from = run_with_ops({{"/a", "add"}, {"/a", "add"}, {"/a", "add"}}),
             to = run_with_ops({{"/x", "mul"}, {"/a", "add"}, {"/a", "add"}, {"/a", "add"}});
  const OpMatching matching(side_of_run(from), side_of_run(to));
  ASSERT_EQ(matching.matches().size(), 3U);
  for (const OpMatch& match : matching.matches()) EXPECT_EQ(match.after, match.before + 1);
}

TEST(Matching, LeavesUnevenPathsToLaterSteps) {
  MatchOptions options;
  options.uses.fill(false);
  options.uses[static_cast<std::size_t>(MatchedBy::path)] = true;
  EXPECT_TRUE(matched({{"/a", "add"}, {"/a", "add"}}, {{"/a", "add"}}, options).empty());
  options.uses[static_cast<std::size_t>(MatchedBy::layer)] = true;
  EXPECT_THAT(matched({{"/a", "add"}, {"/a", "add"}}, {{"/a", "add"}}, options),
              ElementsAre("/a = /a (layer)"));
}

TEST(Matching, IgnoresRunningNumbersOfLayers) {
  EXPECT_THAT(matched({{"/blocks.22.attn", "mm"}, {"/blocks.23.attn", "mm"}},
                      {{"/blocks.3.attn", "mm"}, {"/blocks.4.attn", "mm"}}),
              ElementsAre("/blocks.22.attn = /blocks.3.attn (layer)",
                          "/blocks.23.attn = /blocks.4.attn (layer)"));
}

TEST(Matching, KeepsNumbersThatArePartOfNames) {
  EXPECT_EQ(without_running_numbers("/layer1/conv2d_3/x[12]/0"), "/layer1/conv2d_#/x[#]/#");
  EXPECT_EQ(without_running_numbers("/h.10.mlp"), "/h.#.mlp");
  EXPECT_EQ(without_running_numbers("conv1"), "conv1");
  EXPECT_EQ(without_running_numbers(""), "");
}

TEST(Matching, UsesThePlaceBetweenNeighbors) {
  EXPECT_THAT(
      matched({{"/in", "load"}, {"/enc/first", "conv"}, {"/enc/act", "relu"}, {"/out", "loss"}},
              {{"/in", "load"}, {"/stem/zero", "conv"}, {"/stem/act", "gelu"}, {"/out", "loss"}}),
      ElementsAre("/in = /in (id)", "/enc/first = /stem/zero (place)", "/out = /out (id)"));
}

// A conv before the loss is no partner of a conv after it.
TEST(Matching, DoesNotCrossMatchedNeighbors) {
  MatchOptions options;
  options.uses[static_cast<std::size_t>(MatchedBy::name)] = false;
  EXPECT_THAT(matched({{"/first", "conv"}, {"/loss", "loss"}},
                      {{"/loss", "loss"}, {"/other", "conv"}}, options),
              ElementsAre("/loss = /loss (path)"));
}

TEST(Matching, FindsRenamedOpsByTheirWords) {
  MatchOptions options;
  options.uses[static_cast<std::size_t>(MatchedBy::place)] = false;
  EXPECT_THAT(matched({{"/net/encoder/self/attn/query", "mm"}},
                      {{"/model/encoder/self/attn/query", "mm"}}, options),
              ::testing::SizeIs(0));  // 4 of 6 words
  EXPECT_THAT(matched({{"/net/encoder/self/attn/query/proj/out", "mm"}},
                      {{"/net/encoder/self/attn/query/proj", "mm"}}, options),
              ElementsAre("/net/encoder/self/attn/query/proj/out = "
                          "/net/encoder/self/attn/query/proj (name)"));
  // Two likely partners are none.
  EXPECT_TRUE(
      matched({{"/a/b/c/d/e/f/g", "mm"}}, {{"/a/b/c/d/e/f", "mm"}, {"/a/b/c/d/e/g", "mm"}}, options)
          .empty());
  // Far more calls, and time.
  EXPECT_TRUE(matched({{"/a/b/c/d/e", "mm"}}, {{"/a/b/c/d/e/f", "mm", 3}}, options).empty());
}

TEST(Matching, PutsPairsByHandFirst) {
  MatchOptions options;
  options.pairs = {{"/a", "/z"}};
  EXPECT_THAT(matched({{"/a", "conv"}}, {{"/a", "conv"}, {"/z", "pool"}}, options),
              ElementsAre("/a = /z (hand)"));
}

TEST(Matching, ReadsStepsAndPairs) {
  const auto steps = parse_match_steps("path,layer");
  ASSERT_TRUE(steps);
  EXPECT_TRUE(steps->uses[static_cast<std::size_t>(MatchedBy::layer)]);
  EXPECT_FALSE(steps->uses[static_cast<std::size_t>(MatchedBy::place)]);
  EXPECT_FALSE(parse_match_steps("path,").ok());
  EXPECT_FALSE(parse_match_steps("hand").ok());
  EXPECT_THAT(parse_match_steps("laye").error().title, ::testing::HasSubstr("\"laye\""));

  const auto before = run_with_ops({{"a=b", "x"}}), after = run_with_ops({{"c", "x"}});
  const auto pair = parse_pair(*before, *after, "a=b=c");
  ASSERT_TRUE(pair);
  EXPECT_EQ(*pair, (std::pair<std::string, std::string>("a=b", "c")));
  EXPECT_FALSE(parse_pair(*before, *after, "a=b").ok());
  EXPECT_FALSE(parse_pair(*before, *after, "c").ok());
}

TEST(Matching, RateIsAShareOfTime) {
  const auto from = compared_run(run_with_ops({{"/a", "conv"}, {"/b", "pool", 3}}), {}),
             to = compared_run(run_with_ops({{"/a", "conv"}}), {});
  const RunPair runs(from, to);
  const MatchRate rate = runs.rate_before({0, 0});
  EXPECT_EQ(rate.gpu.all_ns, 40);
  EXPECT_EQ(rate.gpu.matched_ns, 10);
  EXPECT_DOUBLE_EQ(rate.gpu.rate(), 0.25);
  EXPECT_EQ(runs.rate_after({0, 0}).gpu.rate(), 1);
}

TEST(KernelFamily, LeavesOutTuning) {
  EXPECT_EQ(kernel_family("ampere_sgemm_128x64_tn"), kernel_family("volta_sgemm_64x64_nn"));
  EXPECT_EQ(kernel_family("sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x64x32_stage4"),
            kernel_family("sm80_xmma_gemm_f16f16_f16f32_f32_nn_n_tilesize256x128x32_stage3"));
  EXPECT_EQ(kernel_family("void vectorized_elementwise_kernel<4, Add>(int)"),
            kernel_family("void vectorized_elementwise_kernel<2, Mul>(int)"));
  EXPECT_NE(kernel_family("flash_fwd_kernel"), kernel_family("flash_bwd_kernel"));
}

std::shared_ptr<const Profile> run_with_kernels(
    const std::vector<std::pair<std::string, std::string>>& names) {
  testing::Sketch sketch;
  const profile::Row instance = sketch.instance(sketch.op("step"), 0, 10);
  int64_t now = 0;
  for (const auto& [name, long_name] : names) {
    sketch.kernel(instance, now, now + 5, 0, name, false, long_name);
    now += 10;
  }
  return sketch.finish();
}

// A run's only kernel of a short name bears that; with others it has a longer one.
TEST(KernelKeys, MatchKernelsByTheirIdentity) {
  const auto before = run_with_kernels({{"k", "void k<Add<float>>(T1)"}}),
             after = run_with_kernels(
                 {{"k<add>", "void k<Add<float>>(T1)"}, {"k<mul>", "void k<Mul<float>>(T1)"}});
  const KernelKeys keys(*before, *after);
  const auto name = [](const Profile& profile, std::size_t kernel) {
    return profile.kernels.name[profile::KernelIndex(static_cast<profile::Row>(kernel))];
  };
  EXPECT_EQ(keys.before(name(*before, 0)), keys.after(name(*after, 0)));
  EXPECT_NE(keys.before(name(*before, 0)), keys.after(name(*after, 1)));
  EXPECT_EQ(keys.name(keys.before(name(*before, 0))), "k<add>");
}

// A DLProf database has one name for several functions.
TEST(KernelKeys, UseTheNameOfSeveralFunctions) {
  const auto before = run_with_kernels(
                 {{"k", "void k<Add<float>>(T1)"}, {"k", "void k<Mul<float>>(T1)"}}),
             after = run_with_kernels({{"k", "void k<Add<float>>(T1)"}});
  const KernelKeys keys(*before, *after);
  EXPECT_EQ(keys.size(), 1U);
}

}  // namespace
}  // namespace dlview::aggregate
