// What the palette, "Go to" and the list of files find.
#include <algorithm>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "support/sketch.h"
#include "ui/palette/search.h"
#include "ui/palette/subject.h"

namespace dlview::ui {
namespace {

TEST(FuzzyScore, NeedsEveryWordWithItsLettersInOrder) {
  EXPECT_TRUE(fuzzy_score("", "anything"));
  EXPECT_TRUE(fuzzy_score("kd", "Kernel Details"));
  EXPECT_TRUE(fuzzy_score("details kern", "Kernel Details"));
  EXPECT_TRUE(fuzzy_score("  kernel ", "Kernel Details"));
  EXPECT_FALSE(fuzzy_score("dk", "Kernel Details"));
  EXPECT_FALSE(fuzzy_score("kernel x", "Kernel Details"));
}

TEST(FuzzyScore, PrefersWholeTextsThenWordsThenPieces) {
  const auto whole = fuzzy_score("conv", "Conv");
  const auto word = fuzzy_score("conv", "net/conv_1");
  const auto inside = fuzzy_score("conv", "deconv");
  const auto scattered = fuzzy_score("conv", "clean over");
  EXPECT_GT(whole, word);
  EXPECT_GT(word, inside);
  EXPECT_GT(inside, scattered);
  EXPECT_GT(fuzzy_score("conv", "a conv"), fuzzy_score("conv", "a conv that is longer"));
}

TEST(FindCommands, ListsAllInOrderWithoutAQueryAndDisabledOnesLast) {
  const std::vector<CommandInfo> commands{{"a", "Quit", "", "File", "Closes it.", false},
                                          {"b", "Open", "", "File", "Opens a file.", true},
                                          {"c", "Dark", "", "View", "Changes colors.", true}};
  const auto all = find_commands(commands, "");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0]->id, "b");
  EXPECT_EQ(all[1]->id, "c");
  EXPECT_EQ(all[2]->id, "a");
}

TEST(FindCommands, FindsByTitleBeforeHelp) {
  const std::vector<CommandInfo> commands{{"a", "Larger", "", "View", "Not the theme.", true},
                                          {"b", "Theme", "", "View", "Changes colors.", true}};
  const auto found = find_commands(commands, "theme");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0]->id, "b");
  EXPECT_TRUE(find_commands(commands, "zebra").empty());
}

TEST(FindCommands, FindsNoLettersScatteredOverTheHelp) {
  const std::vector<CommandInfo> commands{
      {"a", "Reduce motion", "", "View", "Show complete notices at pace.", true},
      {"b", "Compare iterations", "", "Iterations", "Compare two.", false}};
  const auto found = find_commands(commands, "compa");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]->id, "b");
}

// Twenty steps; kernels "gemm" of one op and "relu" of another.
class JumpTest : public ::testing::Test {
 protected:
  JumpTest() {
    testing::Sketch sketch;
    const auto step = sketch.op("train/step");
    const auto conv = sketch.op("net/conv", "conv2d", true);
    for (int i = 0; i < 20; ++i) {
      sketch.instance(step, 100 + 100 * i, 110 + 100 * i);
      const auto call = sketch.instance(conv, 120 + 100 * i, 180 + 100 * i);
      sketch.kernel(call, 130 + 100 * i, 170 + 100 * i, 0, "gemm", true);
    }
    model_.profile = sketch.finish();
    model_.aggregation = std::make_shared<const aggregate::Aggregation>(
        aggregate::make_cpu_aggregator(model_.profile)
            ->aggregate({{aggregate::CutKind::start, "train/step", 0}, {0, 1000}}));
    model_.selection = model_.aggregation->selection;
    index_.emplace(model_.profile);
  }
  SubjectCard card(const JumpTarget& target) const {
    return prepare_subject(*model_.profile, *model_.aggregation, model_.unknown_use.get(), target);
  }

  Model model_;
  std::optional<JumpIndex> index_;
};

TEST_F(JumpTest, FindsAnIterationByItsNumber) {
  const auto found = index_->find(model_, "7");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].kind, JumpKind::iteration);
  EXPECT_EQ(found[0].iteration, 7);
  EXPECT_EQ(found[0].title, "Iteration 7");
  EXPECT_TRUE(index_->find(model_, "4711").empty());
}

TEST_F(JumpTest, FindsOpsAndKernelsByTheirNamesEachOnce) {
  const auto ops = index_->find(model_, "conv");
  ASSERT_EQ(ops.size(), 1u);
  EXPECT_EQ(ops[0].kind, JumpKind::op);
  EXPECT_EQ(ops[0].title, "net/conv");
  const auto kernels = index_->find(model_, "GEMM");
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].kind, JumpKind::kernel);
  EXPECT_TRUE(index_->find(model_, "zebra").empty());
}

TEST(JumpIndex, TellsForwardAndBackwardOpsApart) {
  testing::Sketch sketch;
  for (const char* direction : {"fprop", "bprop"}) {
    sketch.instance(sketch.op("net/conv", direction), 0, 10);
  }
  auto profile = std::make_shared<profile::Profile>(*sketch.finish());
  profile->ops.direction = profile->ops.type;
  Model model;
  model.profile = profile;
  model.aggregation = std::make_shared<const aggregate::Aggregation>(
      aggregate::make_cpu_aggregator(model.profile)->aggregate({}));
  const auto found = JumpIndex(model.profile).find(model, "conv");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].detail, "fprop op · OP_1");
  EXPECT_EQ(found[1].detail, "bprop op · OP_2");
}

TEST_F(JumpTest, OffersTheOutliersWithoutAQuery) {
  EXPECT_TRUE(index_->find(model_, "").empty());
  aggregate::Outliers outliers;
  outliers.rows.push_back(
      {.iteration = 3, .kind = aggregate::OutlierClass::warm_up, .difference_ns = 50});
  model_.outliers = std::make_shared<const aggregate::Outliers>(outliers);
  const auto found = index_->find(model_, "");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].iteration, 3);
  EXPECT_NE(found[0].detail.find("warm-up"), std::string::npos) << found[0].detail;
}

TEST_F(JumpTest, TellsOfAnOpWithItsKernelsAndOfAKernelWithItsOps) {
  const SubjectCard op = card(index_->find(model_, "conv")[0]);
  EXPECT_EQ(op.kind, "Op");
  EXPECT_FALSE(op.key_op.empty());
  ASSERT_EQ(op.partners.size(), 1u);
  EXPECT_EQ(op.partners[0].title, "gemm");
  EXPECT_EQ(op.partners[0].value, "800\u202fns · 20 ×");
  const SubjectCard kernel = card(index_->find(model_, "gemm")[0]);
  EXPECT_EQ(kernel.facts[0].value, "20");
  ASSERT_EQ(kernel.partners.size(), 1u);
  EXPECT_EQ(kernel.partners[0].title, "net/conv");
  EXPECT_TRUE(kernel.key_op.empty());
}

TEST(SubjectCard, SaysUnknownOfAnOpWhoseKernelsNoRuleKnows) {
  testing::Sketch sketch;
  const auto fused = sketch.instance(sketch.op("fused", "linear", true), 0, 100);
  sketch.kernel(fused, 0, 90, 0, "triton_poi_fused_add");
  auto profile = std::make_shared<profile::Profile>(*sketch.finish());
  profile->source.by_tensor_core_rules = true;
  const auto aggregation = aggregate::make_cpu_aggregator(profile)->aggregate({});
  const aggregate::UnknownTensorCoreUse unknown(*profile);
  JumpTarget target;
  target.kind = JumpKind::op;
  target.op = profile::OpIndex{0};
  const SubjectCard card = prepare_subject(*profile, aggregation, &unknown, target);
  const auto use = std::ranges::find(card.facts, "Tensor Cores", &SubjectCard::Fact::title);
  ASSERT_NE(use, card.facts.end());
  EXPECT_TRUE(use->value.starts_with("unknown")) << use->value;
}

FolderListing folder() {
  FolderListing listing;
  listing.path = "/data/runs";
  listing.entries = {{"old", true, 0}, {"a.sqlite", false, 2048}, {"notes.txt", false, 1}};
  return listing;
}

TEST(FindFiles, ListsRecentFilesTheFolderAboveAndTheEntries) {
  const std::vector<std::string> recent{"/home/me/last.sqlite"};
  const auto rows = find_files(folder(), recent, "", "/home/me");
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[0].kind, FileRow::Kind::recent);
  EXPECT_EQ(rows[0].title, "last.sqlite");
  EXPECT_EQ(rows[1].kind, FileRow::Kind::folder);
  EXPECT_EQ(rows[1].path, "/data");
  EXPECT_EQ(rows[2].title, "old/");
  EXPECT_EQ(rows[3].path, "/data/runs/a.sqlite");
  EXPECT_EQ(rows[3].kind, FileRow::Kind::file);
}

TEST(FindFiles, KeepsWhatAnswersTheQuery) {
  const auto rows = find_files(folder(), {}, "sqli", "/home/me");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].title, "a.sqlite");
}

TEST(FindFiles, TakesAPathAsItIs) {
  EXPECT_EQ(find_files(folder(), {}, "/tmp/x.sqlite", "/home/me")[0].path, "/tmp/x.sqlite");
  EXPECT_EQ(find_files(folder(), {}, "~/x.sqlite", "/home/me")[0].path, "/home/me/x.sqlite");
}

TEST(FindFiles, OffersFilesOfTheWantedKind) {
  FolderListing listing;
  listing.entries = {{"nightly", true, 0},
                     {"run.sqlite", false, 1},
                     {"budget.toml", false, 1},
                     {"baseline.json", false, 1}};
  const auto names = [&listing](FileUse use) {
    std::vector<std::string> offered;
    for (const auto& entry : offered_files(listing, use).entries) offered.push_back(entry.name);
    return offered;
  };
  EXPECT_EQ(names(FileUse::budgets), (std::vector<std::string>{"nightly", "budget.toml"}));
  EXPECT_EQ(names(FileUse::baseline), (std::vector<std::string>{"nightly", "baseline.json"}));
  EXPECT_EQ(names(FileUse::captures).size(), 4U);
}

TEST(FindFiles, EndsAtTheRoot) {
  FolderListing root;
  root.path = "/";
  root.entries = {{"data", true, 0}};
  const auto rows = find_files(root, {}, "", "");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].path, "/data");
}

}  // namespace
}  // namespace dlview::ui
