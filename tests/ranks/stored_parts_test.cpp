#include "ranks/stored_parts.h"

#include <filesystem>
#include <fstream>
#include <random>
#include <unistd.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ranks/run_figures.h"
#include "ranks/summarized_ranks.h"
#include "ranks/summary_file.h"

namespace dlview::ranks {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

// 130 ranks fill two blocks, and begin a third.
RunSummary many_ranks() {
  std::vector<RunSummary> ranks;
  for (int64_t rank = 0; rank < 130; ++rank) {
    ranks.push_back(random_summary(static_cast<uint64_t>(rank % 5) + 1, rank));
    ranks.back().parts.front().head.checksum += static_cast<uint64_t>(rank);
  }
  return merged(std::move(ranks));
}

class StoredPartsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = fs::temp_directory_path() / fmt::format("dlview_stored_{}.dlsum", getpid());
  }
  void TearDown() override { fs::remove(path_); }
  void write(const RunSummary& summary) const {
    const std::string bytes = to_bytes(summary);
    std::ofstream(path_, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

  fs::path path_;
};

std::vector<const RankMatrix*> matrices_of(const RankTimes& times) {
  std::vector<const RankMatrix*> all{
      &times.start_ns, &times.duration_ns,           &times.communication_ns,    &times.exposed_ns,
      &times.wait_ns,  &times.least_exposed_wait_ns, &times.most_exposed_wait_ns};
  for (const RankMatrix& part : times.parts) all.push_back(&part);
  return all;
}

TEST_F(StoredPartsTest, SayWhatLoadedPartsSay) {
  const RunSummary all = many_ranks();
  write(all);
  const auto opened = open_summary(path_);
  ASSERT_TRUE(opened) << base::to_text(opened.error());
  ASSERT_TRUE(opened->parts.back().stored.file);
  for (std::size_t part = 0; part < all.parts.size(); part += 13) {
    EXPECT_EQ(opened->parts[part].column(RowColumn::stop_ns),
              all.parts[part].column(RowColumn::stop_ns));
    EXPECT_EQ(ColumnReader().clock(opened->parts[part]), all.parts[part].clock);
  }
  const auto stored = make_run_figures(*opened), loaded = make_run_figures(all);
  ASSERT_TRUE(stored && loaded);
  const auto of_stored = matrices_of((*stored)->times), of_loaded = matrices_of((*loaded)->times);
  for (std::size_t m = 0; m < of_stored.size(); ++m) {
    for (std::size_t rank = 0; rank < all.parts.size(); ++rank) {
      for (std::size_t i = 0; i < (*loaded)->times.numbers.size(); ++i) {
        ASSERT_EQ(of_stored[m]->at(rank, i), of_loaded[m]->at(rank, i)) << m << ' ' << rank;
      }
    }
  }
  for (std::size_t part = 0; part < all.parts.size(); ++part) {
    EXPECT_EQ(describe((*stored)->clocks[part]), describe((*loaded)->clocks[part]));
  }
  EXPECT_EQ((*stored)->notes(), (*loaded)->notes());
}

TEST_F(StoredPartsTest, BecomeLoadedOnes) {
  const RunSummary all = many_ranks();
  write(all);
  auto opened = open_summary(path_);
  ASSERT_TRUE(opened);
  EXPECT_EQ(to_bytes(*opened), to_bytes(all));
  ASSERT_TRUE(load_parts(*opened));
  EXPECT_EQ(*opened, all);
}

TEST_F(StoredPartsTest, AreUnknownWhenTheFileShrinks) {
  write(many_ranks());
  const auto opened = open_summary(path_);
  ASSERT_TRUE(opened);
  fs::resize_file(path_, 100);
  EXPECT_TRUE(opened->parts.front().column(RowColumn::stop_ns).empty());
  EXPECT_FALSE(ColumnReader().clock(opened->parts.front()));
  const auto figures = make_run_figures(*opened);
  EXPECT_FALSE(figures) << "no iteration has a number";
}

TEST_F(StoredPartsTest, DamageIsFoundWhenTheFileOpens) {
  const std::string bytes = to_bytes(many_ranks());
  std::mt19937 random(5);
  for (int i = 0; i < 50; ++i) {
    std::string changed = bytes;
    changed[random() % changed.size()] ^= static_cast<char>(1U << (random() % 8));
    std::ofstream(path_, std::ios::binary)
        .write(changed.data(), static_cast<std::streamsize>(changed.size()));
    const auto opened = open_summary(path_);
    ASSERT_FALSE(opened);
    EXPECT_THAT(opened.error().detail, ::testing::HasSubstr(path_.filename().string()));
  }
}

TEST(RankSums, AddUpWhatTheMatricesHave) {
  const auto figures = make_run_figures(many_ranks());
  ASSERT_TRUE(figures);
  const RankTimes& times = (*figures)->times;
  const std::vector<RankSums> sums = rank_sums(times);
  RankSums of_all;
  std::vector<RankCell> cells;
  for (std::size_t rank = 0; rank < sums.size(); ++rank) {
    RankSums its;
    for (std::size_t i = 0; i < times.numbers.size(); ++i) {
      for (std::size_t part = 0; part < its.parts_ns.size(); ++part) {
        its.parts_ns[part] += static_cast<double>(times.parts[part].at(rank, i));
      }
      const int64_t exposed = times.exposed_ns.at(rank, i);
      its.exposed_ns += static_cast<double>(exposed);
      its.exposed_wait_ns += static_cast<double>(
          std::min(std::max<int64_t>(times.least_exposed_wait_ns.at(rank, i), 0), exposed));
      if (rank % 3 == 0) cells.push_back({rank, i});
    }
    EXPECT_EQ(sums[rank].parts_ns, its.parts_ns);
    EXPECT_EQ(sums[rank].exposed_ns, its.exposed_ns);
    EXPECT_EQ(sums[rank].exposed_wait_ns, its.exposed_wait_ns);
    if (rank % 3 == 0) of_all.exposed_ns += its.exposed_ns;
  }
  std::ranges::shuffle(cells, std::mt19937(2));
  EXPECT_EQ(sum_of(times, cells).exposed_ns, of_all.exposed_ns);
}

TEST(RankMatrix, ReadsEachChunkWhenItIsNeeded) {
  std::vector<std::size_t> asked;
  const RankMatrix matrix(
      100, 2, [&asked](ColumnReader&, std::span<const std::size_t> ranks, std::span<int64_t> to) {
        for (std::size_t i = 0; i < ranks.size(); ++i) {
          asked.push_back(ranks[i]);
          to[2 * i] = static_cast<int64_t>(ranks[i]) - 5;
          to[2 * i + 1] = ranks[i] == 70 ? INT64_MAX : 3;
        }
      });
  EXPECT_EQ(matrix.at(1, 0), -4);
  EXPECT_EQ(matrix.at(63, 1), 3);
  EXPECT_EQ(asked.size(), 64U);
  EXPECT_EQ(matrix.at(70, 1), INT64_MAX) << "numbers of a chunk may be far apart";
  EXPECT_EQ(matrix.at(99, 0), 94);
  EXPECT_EQ(asked.size(), 100U);
  matrix.load_all();
  EXPECT_EQ(asked.size(), 100U);
}

TEST(RankMatrix, ReadsSomeRanksWithoutKeepingThem) {
  std::size_t asked = 0;
  const RankMatrix matrix(
      200, 1, [&asked](ColumnReader&, std::span<const std::size_t> ranks, std::span<int64_t> to) {
        asked += ranks.size();
        for (std::size_t i = 0; i < ranks.size(); ++i) to[i] = static_cast<int64_t>(ranks[i]);
      });
  ColumnReader reader;
  std::vector<int64_t> values;
  for (int times = 0; times < 2; ++times) {
    matrix.read(reader, std::vector<std::size_t>{3, 130, 131}, values);
    EXPECT_THAT(values, ElementsAre(3, 130, 131));
  }
  EXPECT_EQ(asked, 6U);
}

TEST(RankMatrix, ANumberThatIsWrittenChangesNoOther) {
  RankMatrix matrix(3, {1, 2, 3, 4, 5, 6});
  matrix.at(1, 0) = int64_t{1} << 40;
  const RankMatrix& read = matrix;
  EXPECT_EQ(read.at(1, 0), int64_t{1} << 40);
  EXPECT_EQ(read.at(0, 2), 3);
  EXPECT_EQ(read.at(1, 2), 6);
}

// Slow: a byte at a time.
std::vector<int64_t> read_by_byte(std::string_view bytes, std::size_t size) {
  Unpacker in(bytes);
  std::vector<int64_t> values;
  uint64_t last = 0;
  while (values.size() < size) {
    last += static_cast<uint64_t>(in.number());
    values.push_back(static_cast<int64_t>(last));
  }
  EXPECT_TRUE(in.is_done());
  return values;
}

TEST(PackedColumn, IsReadAsByteByByte) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 200; ++round) {
    std::vector<int64_t> values(random() % 60);
    const unsigned most_bits = random() % 64;
    for (int64_t& value : values) {
      value = random() % 3 == 0 ? 7 : static_cast<int64_t>(random() >> (random() % 64));
      if (most_bits < 60) value >>= most_bits;
    }
    const std::string bytes = pack_column(values);
    EXPECT_EQ(read_by_byte(bytes, values.size()), values);
    EXPECT_EQ(unpack_column(bytes, values.size()), values);
    EXPECT_EQ(unpack_column(bytes, values.size() + 1), std::nullopt);
    if (values.empty()) continue;
    EXPECT_EQ(unpack_column(bytes, values.size() - 1), std::nullopt);
  }
}

TEST(PackedColumn, RefusesNumbersOfTooManyBits) {
  const std::string too_long = std::string(10, '\xff') + std::string(20, '\x01');
  EXPECT_EQ(unpack_column(too_long, 21), std::nullopt);
}

}  // namespace
}  // namespace dlview::ranks
