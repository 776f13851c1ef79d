// Which ops and kernels of two runs are the same.
#include "aggregate/comparison/matching.h"

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aggregate/comparison/common_subsequence.h"
#include "aggregate/comparison/compared_runs.h"
#include "aggregate/comparison/kernel_keys.h"
#include "aggregate/comparison/matching_names.h"
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
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

TEST(Pairs, AreReadWithTheirEqualsSigns) {
  const auto before = run_with_ops({{"a=b", "x"}}), after = run_with_ops({{"c", "x"}});
  const auto read = [&](const std::vector<std::string>& texts) {
    return parse_pairs(*before, *after, texts);
  };
  EXPECT_EQ(*read({"a=b=c"}), (Pairs{{"a=b", "c"}}));
  EXPECT_EQ(*read({"OP_1=OP_1"}), (Pairs{{"OP_1", "OP_1"}}));
  EXPECT_TRUE(read({})->empty());
  EXPECT_FALSE(read({"a=b"}).ok());
  EXPECT_FALSE(read({"c"}).ok());
}

TEST(Pairs, RefuseNamesOfSeveralOps) {
  const auto before = run_with_ops({{"/a", "x"}, {"/b", "x"}, {"/a", "x"}}),
             after = run_with_ops({{"/a", "x"}});
  const auto read = [&](const std::string& text) {
    return parse_pairs(*before, *after, std::vector<std::string>{text});
  };
  const auto several = read("/a=/a");
  ASSERT_FALSE(several.ok());
  EXPECT_THAT(several.error().title, ::testing::HasSubstr("2 ops are named \"/a\""));
  EXPECT_THAT(several.error().detail, ::testing::HasSubstr("OP_1, OP_3"));
  EXPECT_EQ(*read("OP_3=/a"), (Pairs{{"OP_3", "/a"}}));
}

TEST(Pairs, RefuseTwoReadings) {
  const auto before = run_with_ops({{"a", "x"}, {"a=b", "x"}}),
             after = run_with_ops({{"c", "x"}, {"b=c", "x"}});
  const auto read = parse_pairs(*before, *after, std::vector<std::string>{"a=b=c"});
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(read.error().title, ::testing::StartsWith("Ambiguous --pair"));
}

TEST(Pairs, RefuseAnOpInTwoPairs) {
  const auto before = run_with_ops({{"/a", "x"}, {"/b", "x"}}),
             after = run_with_ops({{"/c", "x"}, {"/d", "x"}});
  // By its name and by its id.
  const auto read = parse_pairs(*before, *after, std::vector<std::string>{"/a=/c", "OP_1=/d"});
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(read.error().detail, ::testing::HasSubstr("in \"/a=/c\" already"));
  EXPECT_FALSE(parse_pairs(*before, *after, std::vector<std::string>{"/a=/c", "/b=/c"}).ok());
  EXPECT_TRUE(parse_pairs(*before, *after, std::vector<std::string>{"/a=/c", "/b=/d"}).ok());
}

// Only the run after numbers its first layer.
TEST(Matching, PairsLayersWithoutAFirstNumber) {
  EXPECT_THAT(matched({{"/layer", "mm"}, {"/layer_1", "mm"}, {"/layer_2", "mm"}},
                      {{"/layer_7", "mm"}, {"/layer_8", "mm"}, {"/layer_9", "mm"}}),
              ElementsAre("/layer = /layer_7 (layer)", "/layer_1 = /layer_8 (layer)",
                          "/layer_2 = /layer_9 (layer)"));
  EXPECT_THAT(matched({{"/blocks.5.attn", "mm"}, {"/blocks.6.attn", "mm"}},
                      {{"/blocks.attn", "mm"}, {"/blocks.1.attn", "mm"}}),
              ElementsAre("/blocks.5.attn = /blocks.attn (layer)",
                          "/blocks.6.attn = /blocks.1.attn (layer)"));
}

// Near misses: equal names stay together, and a layer more on one side is no shift.
TEST(Matching, KeepsNumberedLayersInPlace) {
  std::vector<PlacedOp> from, to;
  std::vector<std::string> expected;
  for (int block = 0; block < 6; ++block) {
    from.push_back({fmt::format("/blocks.{}.attn", block), "mm"});
    to.push_back({fmt::format("/blocks.{}.attn", block + 1), "mm"});
  }
  MatchOptions options;
  options.uses[static_cast<std::size_t>(MatchedBy::id)] = false;
  EXPECT_THAT(matched(from, to, options), ElementsAre("/blocks.0.attn = /blocks.6.attn (layer)",
                                                      "/blocks.1.attn = /blocks.1.attn (path)",
                                                      "/blocks.2.attn = /blocks.2.attn (path)",
                                                      "/blocks.3.attn = /blocks.3.attn (path)",
                                                      "/blocks.4.attn = /blocks.4.attn (path)",
                                                      "/blocks.5.attn = /blocks.5.attn (path)"));
  EXPECT_THAT(matched({{"/layer", "mm"}, {"/layer_1", "mm"}},
                      {{"/layer", "mm"}, {"/layer_4", "mm"}}, options),
              ElementsAre("/layer = /layer (path)", "/layer_1 = /layer_4 (layer)"));
}

std::vector<std::pair<profile::Row, profile::Row>> rows_of(const OpMatching& matching,
                                                           bool is_swapped) {
  std::vector<std::pair<profile::Row, profile::Row>> rows;
  for (const OpMatch& match : matching.matches()) {
    rows.emplace_back(is_swapped ? match.after : match.before,
                      is_swapped ? match.before : match.after);
  }
  std::ranges::sort(rows);
  return rows;
}

// All names are equal: only types and the order of calls tell the runs apart.
TEST(Matching, BreaksTiesAlikeWhenSwapped) {
  std::mt19937_64 random(3);
  const std::vector<std::string> types{"conv", "relu", "mm"};
  int changed = 0;
  for (int i = 0; i < 60; ++i) {
    const auto made = [&] {
      std::vector<PlacedOp> ops;
      for (int op = 0; op < 8; ++op) {
        ops.push_back({fmt::format("/op{}x", op), types[random() % types.size()],
                       1 + static_cast<int>(random() % 2)});
      }
      return run_with_ops(ops);
    };
    const auto a = made(), b = made();
    const auto there = rows_of(OpMatching(side_of_run(a), side_of_run(b)), false),
               back = rows_of(OpMatching(side_of_run(b), side_of_run(a)), true);
    EXPECT_EQ(there, back);
    changed += there.size() < 8 ? 1 : 0;
  }
  EXPECT_GT(changed, 10);
}

TEST(Matching, SaysWhichNamesAreNotCompared) {
  testing::Sketch sketch;
  for (int op = 0; op < 5000; ++op) sketch.op(fmt::format("/net/op{}x", op), "mm");
  testing::Sketch other;
  for (int op = 0; op < 5000; ++op) other.op(fmt::format("/other/op{}y", op), "mm");
  const auto from = sketch.finish(), to = other.finish();
  EXPECT_EQ(OpMatching({*from, {}}, {*to, {}}).skipped(), 10'000);
  MatchOptions options;
  options.uses[static_cast<std::size_t>(MatchedBy::name)] = false;
  EXPECT_EQ(OpMatching({*from, {}}, {*to, {}}, options).skipped(), 0);
}

// Two sequences that a table of all cells would be too large for.
TEST(Matching, UsesPlacesOfThousandsOfOps) {
  std::vector<PlacedOp> from, to;
  std::mt19937_64 random(5);
  for (int op = 0; op < 2400; ++op) {
    const std::string type = fmt::format("t{}", random() % 40);
    from.push_back({fmt::format("/before/x{}y", op), type});
    if (op % 10 != 0) to.push_back({fmt::format("/after/z{}w", op), type});
  }
  const auto before = run_with_ops(from), after = run_with_ops(to);
  const OpMatching matching(side_of_run(before), side_of_run(after));
  EXPECT_EQ(matching.matches().size(), to.size());
}

// The slow twin: a table of all lengths.
std::size_t slow_length(const std::vector<uint32_t>& from, const std::vector<uint32_t>& to) {
  std::vector<std::vector<std::size_t>> longest(from.size() + 1,
                                                std::vector<std::size_t>(to.size() + 1));
  for (std::size_t i = 1; i <= from.size(); ++i) {
    for (std::size_t j = 1; j <= to.size(); ++j) {
      longest[i][j] = from[i - 1] == to[j - 1] ? longest[i - 1][j - 1] + 1
                                               : std::max(longest[i - 1][j], longest[i][j - 1]);
    }
  }
  return longest[from.size()][to.size()];
}

TEST(CommonSubsequence, IsAsLongAsATableOfAllLengths) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 300; ++i) {
    const auto made = [&] {
      std::vector<uint32_t> values(random() % 150);
      const uint64_t kinds = 1 + random() % 12;
      for (uint32_t& value : values) value = static_cast<uint32_t>(random() % kinds);
      return values;
    };
    const std::vector<uint32_t> from = made(), to = made();
    for (const std::size_t most_bits : {std::size_t{1} << 20U, std::size_t{500}, std::size_t{1}}) {
      const auto pairs = common_subsequence(from, to, most_bits);
      ASSERT_EQ(pairs.size(), slow_length(from, to)) << i << " " << most_bits;
      for (std::size_t p = 0; p < pairs.size(); ++p) {
        ASSERT_EQ(from[pairs[p].first], to[pairs[p].second]);
        if (p == 0) continue;
        ASSERT_LT(pairs[p - 1].first, pairs[p].first);
        ASSERT_LT(pairs[p - 1].second, pairs[p].second);
      }
    }
  }
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
