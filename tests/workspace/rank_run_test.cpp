// The ranks of a run, read in the background: the same figures as one after another, damaged files
// among good ones, summaries with and without profiles beside them, and what names mean.
#include "workspace/rank_run.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generate/ranks.h"
#include "import/open.h"
#include "ranks/summary_file.h"
#include "support/test_data.h"
#include "workspace/rank_files.h"

namespace dlview::workspace {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

generate::RanksOptions four_ranks(bool one_file = false) {
  generate::RanksOptions options;
  options.ranks = 4;
  options.ranks_per_host = 4;
  options.iterations = 12;
  options.kernels = 12 * 60;
  options.one_file = one_file;
  options.skew = *generate::parse_skew("straggler=2:+30%:kernels");
  options.skew_text = "straggler=2:+30%:kernels";
  return options;
}

std::shared_ptr<const profile::Profile> opened(const fs::path& path) {
  base::Progress progress;
  auto profile = import::open_profile(path, progress);
  EXPECT_TRUE(profile.ok()) << path;
  return std::make_shared<const profile::Profile>(*std::move(profile));
}

class RankRunTest : public ::testing::Test {
 protected:
  void generate(const generate::RanksOptions& options) {
    base::Progress progress;
    const base::Status written = generate_ranks(run(), options, progress);
    ASSERT_TRUE(written) << base::to_text(written.error());
  }
  fs::path run() const { return folder_.path() / "run"; }
  std::vector<fs::path> files() const {
    const auto found = rank_files({run().string()}, false);
    EXPECT_TRUE(found.ok());
    return found ? *found : std::vector<fs::path>{};
  }
  const ReadRanks& read(const std::vector<fs::path>& of) {
    SelectionRequest request;
    request.use_cache = false;
    ranks_.open(of, request);
    while (ranks_.is_reading()) {
      ranks_.settle();
      ranks_.poll();
    }
    return *ranks_.read();
  }

  // The timelines of all four, read.
  const ReadLanes& timelines() {
    ranks_.want_timelines({0, 1, 2, 3});
    while (ranks_.is_busy()) {
      ranks_.settle();
      ranks_.poll();
    }
    lanes_ = ranks_.describe().lanes;
    return *lanes_;
  }

  testing::TemporaryFolder folder_;
  std::shared_ptr<const ReadLanes> lanes_;
  base::Scheduler scheduler_;
  RankRun ranks_{scheduler_};
};

TEST_F(RankRunTest, EqualsReadingOneByOne) {
  generate(four_ranks());
  const ReadRanks& shown = read(files());
  ASSERT_TRUE(shown.figures);
  RankReader reader({}, [](const fs::path& file) -> base::Result<RankReader::SharedProfile> {
    return opened(file);
  });
  for (const fs::path& file : files()) EXPECT_TRUE(reader.add(file).ok());
  const auto slow = reader.figures();
  ASSERT_TRUE(slow.ok());
  EXPECT_EQ(ranks::to_bytes(shown.figures->summary), ranks::to_bytes((*slow)->summary));
  EXPECT_EQ(shown.figures->sentence(), (*slow)->sentence());
  EXPECT_THAT(shown.figures->sentence(), HasSubstr("Rank 2"));
  EXPECT_TRUE(shown.is_whole);
  ASSERT_EQ(shown.paths.size(), 4U);
  EXPECT_EQ(shown.paths[2], files()[2].string());
}

TEST_F(RankRunTest, SomeRanksCanBeCompared) {
  generate(four_ranks());
  read(files());
  const auto whole = ranks_.read();
  const auto settle = [this] {
    while (ranks_.is_busy()) {
      ranks_.settle();
      ranks_.poll();
    }
  };
  ranks_.only_ranks(ranks::RankSet({1, 3}));
  EXPECT_EQ(ranks_.read(), whole) << "until the others are there";
  settle();
  ASSERT_TRUE(ranks_.read()->figures);
  EXPECT_THAT(ranks_.read()->figures->times.ranks, ElementsAre(1, 3));
  EXPECT_THAT(ranks_.read()->paths, ElementsAre(whole->paths[1], whole->paths[3]));
  EXPECT_EQ(ranks_.read()->by_path.at(whole->paths[3]), std::vector<std::size_t>{1});
  EXPECT_TRUE(ranks_.has(whole->paths[0])) << "is still a file of the run";
  ranks_.only_ranks({});
  settle();
  EXPECT_EQ(ranks_.read(), whole);
  // Of none of the run all are shown.
  ranks_.only_ranks(ranks::RankSet({9}));
  settle();
  EXPECT_EQ(ranks_.read(), whole);
  // Other files begin with all of theirs.
  ranks_.only_ranks(ranks::RankSet({1, 3}));
  EXPECT_EQ(read(files()).figures->rank_count(), 4U);
}

TEST_F(RankRunTest, DamagedFilesAreLeftOut) {
  generate(four_ranks());
  const std::vector<fs::path> all = files();
  fs::resize_file(all[1], fs::file_size(all[1]) / 8);
  const ReadRanks& shown = read(all);
  ASSERT_TRUE(shown.figures);
  EXPECT_THAT(shown.figures->times.ranks, ElementsAre(0, 2, 3));
  ASSERT_EQ(shown.left_out.size(), 1U);
  EXPECT_EQ(shown.left_out.front().file, all[1]);
}

TEST_F(RankRunTest, ARankTwiceIsLeftOut) {
  generate(four_ranks());
  std::vector<fs::path> all = files();
  generate::RanksOptions other = four_ranks();
  other.seed = 7;
  other.only_rank = 1;
  base::Progress progress;
  ASSERT_TRUE(generate_ranks(folder_.path() / "other", other, progress));
  for (const auto& entry : fs::directory_iterator(folder_.path() / "other")) {
    if (entry.path().extension() == ".sqlite") all.push_back(entry.path());
  }
  ASSERT_EQ(all.size(), 5U);
  const ReadRanks& shown = read(all);
  ASSERT_TRUE(shown.figures);
  EXPECT_EQ(shown.figures->rank_count(), 4U) << "what was read before stays";
  EXPECT_EQ(shown.left_out.size(), 1U);
}

TEST_F(RankRunTest, ShowsTheRunWithMostFiles) {
  generate(four_ranks());
  generate::RanksOptions pair = four_ranks();
  pair.ranks = 2;
  pair.skew = {};
  pair.skew_text.clear();
  base::Progress progress;
  ASSERT_TRUE(generate_ranks(folder_.path() / "other", pair, progress));
  const std::vector<fs::path> other = *rank_files({(folder_.path() / "other").string()}, false);
  const std::vector<fs::path> own = files();
  const auto both = [](std::vector<fs::path> first, const std::vector<fs::path>& then) {
    first.insert(first.end(), then.begin(), then.end());
    return first;
  };
  for (const auto& all : {both(own, other), both(other, own)}) {
    const ReadRanks& shown = read(all);
    ASSERT_TRUE(shown.figures);
    EXPECT_THAT(shown.figures->times.ranks, ElementsAre(0, 1, 2, 3));
    EXPECT_EQ(shown.paths[2], own[2].string());
    ASSERT_EQ(shown.left_out.size(), 2U);
    for (std::size_t i = 0; i < other.size(); ++i) {
      EXPECT_EQ(shown.left_out[i].file, other[i]);
      EXPECT_THAT(shown.left_out[i].error.title, HasSubstr("different runs"));
    }
  }
  // As many of each: those that are named first.
  const ReadRanks& shown = read(both(other, {own[2], own[3]}));
  ASSERT_TRUE(shown.figures);
  EXPECT_THAT(shown.figures->times.ranks, ElementsAre(0, 1));
}

// Its recorder starts within an iteration: the groups of a few calls are not recorded.
TEST_F(RankRunTest, KeepsALateRank) {
  for (const auto format : {generate::RanksFormat::nsys, generate::RanksFormat::pytorch}) {
    generate::RanksOptions options = four_ranks();
    options.iterations = 20;
    options.format = format;
    options.skew_text = "late=0:3,noise=0.3%";
    options.skew = *generate::parse_skew(options.skew_text);
    fs::remove_all(run());
    generate(options);
    const ReadRanks& shown = read(files());
    ASSERT_TRUE(shown.figures);
    EXPECT_TRUE(shown.left_out.empty()) << base::to_text(shown.left_out.front().error);
    EXPECT_THAT(shown.figures->times.ranks, ElementsAre(0, 1, 2, 3));
    EXPECT_EQ(shown.figures->times.numbers.size(), 17U);
  }
}

TEST_F(RankRunTest, RanksOfDatabasesHaveStoredIterations) {
  generate::RanksOptions options = four_ranks();
  options.format = generate::RanksFormat::dlprof;
  generate(options);
  const ReadRanks& shown = read(files());
  ASSERT_TRUE(shown.figures);
  EXPECT_TRUE(shown.left_out.empty()) << base::to_text(shown.left_out.front().error);
  EXPECT_EQ(shown.figures->rank_count(), 4U);
  EXPECT_EQ(shown.figures->summary.rules.cut, "stored");
}

TEST_F(RankRunTest, OneFileMayHaveSeveralRanks) {
  generate(four_ranks(true));
  const auto profile = opened(files().front());
  EXPECT_TRUE(has_several_ranks(*profile));
  ranks_.open(profile, files().front().string());
  EXPECT_TRUE(ranks_.is_reading());
  ranks_.settle();
  ranks_.poll();
  ASSERT_TRUE(ranks_.read()->figures);
  EXPECT_EQ(ranks_.read()->figures->rank_count(), 4U);
  ranks_.open(profile, files().front().string());
  EXPECT_FALSE(ranks_.is_reading()) << "it has been read";
}

TEST_F(RankRunTest, OneRankIsNotSeveral) {
  generate(four_ranks());
  EXPECT_FALSE(has_several_ranks(*opened(files().front())));
}

TEST_F(RankRunTest, SummariesFindProfilesBesideThem) {
  generate(four_ranks());
  const fs::path summary = run() / "run.dlsum";
  {
    const ReadRanks& shown = read(files());
    std::ofstream(summary, std::ios::binary) << ranks::to_bytes(shown.figures->summary);
  }
  fs::remove(files()[3]);
  const std::string third = files()[2].string();
  const ReadRanks& shown = read({summary});
  ASSERT_TRUE(shown.figures);
  EXPECT_EQ(shown.paths[2], third);
  EXPECT_EQ(shown.paths[3], "");
}

TEST_F(RankRunTest, CancelKeepsNothingUnread) {
  generate(four_ranks());
  ranks_.open(files(), {});
  ranks_.cancel();
  EXPECT_FALSE(ranks_.is_reading());
  EXPECT_TRUE(ranks_.describe().is_canceled);
  ranks_.read_again();
  ranks_.settle();
  ranks_.poll();
  EXPECT_TRUE(ranks_.read()->figures);
  EXPECT_FALSE(ranks_.describe().is_canceled);
}

TEST_F(RankRunTest, TimelinesHaveTheCollectivesOfTheSummary) {
  for (const bool one_file : {false, true}) {
    generate::RanksOptions options = four_ranks(one_file);
    generate(options);
    const ReadRanks& shown = read(files());
    ASSERT_TRUE(shown.figures);
    const auto& collectives = shown.figures->summary.collectives;
    const ReadLanes& lanes = timelines();
    ASSERT_EQ(lanes.size(), 4U) << one_file;
    for (const auto& [rank, read] : lanes) {
      ASSERT_TRUE(read.lanes) << rank << base::to_text(read.error.value_or(base::Error{}));
      EXPECT_EQ(read.lanes->rank, rank);
      std::size_t found = 0;
      for (const ranks::LaneCall& call : read.lanes->calls) {
        if (!call.is_synchronizing()) continue;
        const auto& group = read.lanes->groups[static_cast<std::size_t>(call.group)];
        EXPECT_TRUE(collectives.contains({group, call.place}));
        ++found;
      }
      EXPECT_EQ(found, collectives.size());
    }
    fs::remove_all(run());
  }
}

// Without iterations, too: the whole file is one.
TEST_F(RankRunTest, TimelinesNeedNoMarker) {
  generate(four_ranks(true));
  SelectionRequest request;
  request.key_op = "";
  request.use_cache = false;
  ranks_.open(files(), request);
  ranks_.settle();
  ranks_.poll();
  ASSERT_TRUE(ranks_.read()->figures);
  EXPECT_EQ(ranks_.read()->figures->times.numbers.size(), 1U);
  for (const auto& [rank, read] : timelines()) EXPECT_TRUE(read.lanes) << rank;
}

TEST_F(RankRunTest, TimelinesNameWhatCannotBeRead) {
  generate(four_ranks());
  read(files());
  fs::resize_file(files()[1], fs::file_size(files()[1]) / 8);
  const ReadLanes& lanes = timelines();
  EXPECT_TRUE(lanes.at(1).error);
  EXPECT_TRUE(lanes.at(2).lanes);
}

TEST_F(RankRunTest, ShownRankIsFoundByFileAndIterations) {
  generate(four_ranks());
  const ReadRanks& shown = read(files());
  EXPECT_EQ(rank_shown(shown, files()[2].string(), nullptr), 2U);
  EXPECT_EQ(rank_shown(shown, "elsewhere.sqlite", nullptr), std::nullopt);
  fs::remove_all(run());
  generate(four_ranks(true));
  const ReadRanks& together = read(files());
  aggregate::Iterations iterations;
  iterations.rows.push_back({.start_ns = together.figures->times.start_ns.at(3, 0)});
  EXPECT_EQ(rank_shown(together, files().front().string(), &iterations), 3U);
}

TEST_F(RankRunTest, NoRankSaysWhy) {
  const fs::path file = folder_.path() / "notes.txt";
  std::ofstream(file) << "no profile";
  const ReadRanks& shown = read({file});
  EXPECT_FALSE(shown.figures);
  ASSERT_TRUE(shown.error);
  EXPECT_THAT(shown.error->detail, HasSubstr("notes.txt"));
}

TEST_F(RankRunTest, NamesMeanRanks) {
  generate(four_ranks());
  EXPECT_TRUE(mean_ranks({run().string()}));
  EXPECT_TRUE(mean_ranks({(run() / "*.sqlite").string()}));
  EXPECT_FALSE(mean_ranks({files().front().string()}));
  EXPECT_TRUE(mean_ranks({"rank_0.sqlite", "rank_1.sqlite"}));
  EXPECT_FALSE(mean_ranks({"rank_0.sqlite", "other/rank_0.sqlite"}));
  EXPECT_FALSE(mean_ranks({"before_1.sqlite", "after_2.sqlite"})) << "two captures";
  EXPECT_FALSE(mean_ranks({}));
}

}  // namespace
}  // namespace dlview::workspace
