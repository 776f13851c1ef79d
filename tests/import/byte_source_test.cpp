#include "import/byte_source.h"

#include <filesystem>
#include <limits>
#include <random>
#include <string>
#include <vector>
#include <zlib.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/test_database.h"
#include "import/variable.h"

namespace dlview::import {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::write_file;
using Kind = ByteSource::Kind;

class ByteSourceTest : public ::testing::Test {
 protected:
  fs::path path(const std::string& name) const { return folder_.path() / name; }

  // Behind what is there already.
  fs::path write_gzip(const std::string& name, const std::string& contents,
                      const char* mode = "ab") const {
    const gzFile file = gzopen(path(name).c_str(), mode);
    EXPECT_EQ(gzwrite(file, contents.data(), static_cast<unsigned>(contents.size())),
              static_cast<int>(contents.size()));
    EXPECT_EQ(gzclose(file), Z_OK);
    return path(name);
  }
  ByteSource open(const fs::path& file) {
    base::Result<ByteSource> source = ByteSource::open(file, progress_);
    if (!source) ADD_FAILURE() << base::to_text(source.error());
    return std::move(source).value();
  }
  // The whole stream, in blocks of a size that divides nothing.
  base::Result<std::string> read(const fs::path& file,
                                 std::optional<int64_t> most_bytes = std::nullopt) {
    const ByteSource source = open(file);
    base::Result<ByteStream> stream = ByteStream::open(source, progress_, most_bytes);
    if (!stream) return stream.error();
    std::string all, block(9973, '\0');
    for (;;) {
      const base::Result<std::size_t> got = stream->read(block);
      if (!got) return got.error();
      all.append(block, 0, *got);
      if (*got < block.size()) return all;
    }
  }
  static std::string noise(std::size_t bytes) {
    std::mt19937_64 random(1);
    std::string text(bytes, '\0');
    for (char& c : text) c = static_cast<char>(random() & 0x7f);
    return text;
  }

  testing::TemporaryFolder folder_;
  base::Progress progress_;
};

TEST_F(ByteSourceTest, TellsKindsByTheFirstBytes) {
  EXPECT_EQ(open(folder_.path()).kind(), Kind::folder);
  EXPECT_EQ(open(write_file(path("a.sqlite"), "text")).kind(), Kind::plain);
  EXPECT_EQ(open(testing::write_dlprof_database(path("a.json"))).kind(), Kind::database);
  const ByteSource packed = open(write_gzip("a.csv", "a,b\n"));
  EXPECT_EQ(packed.kind(), Kind::gzip);
  EXPECT_EQ(packed.head(), "a,b\n");
}

TEST_F(ByteSourceTest, TheHeadIsBounded) {
  EXPECT_EQ(open(write_file(path("long"), noise(1 << 20))).head().size(), ByteSource::kHeadBytes);
  EXPECT_EQ(open(write_gzip("zeros", std::string(1 << 22, '0'))).head().size(),
            ByteSource::kUnpackedHeadBytes);
}

TEST_F(ByteSourceTest, StreamsHoldEveryByteOnce) {
  const std::string text = noise(3'000'001), more = noise(70'000);
  EXPECT_EQ(*read(write_file(path("plain"), text)), text);
  EXPECT_EQ(*read(write_gzip("packed", text)), text);
  EXPECT_EQ(*read(write_gzip("packed", more)), text + more) << "two parts";
  EXPECT_EQ(*read(write_gzip("nothing", "")), "");
}

// The file is read in blocks: one may end anywhere in the header or the checksum of a part.
TEST_F(ByteSourceTest, PartsMayBeginAnywhereInABlock) {
  constexpr std::size_t kBlock = std::size_t{1} << 18, kAround = 40;
  const std::string text = noise(kBlock), more = noise(1000);
  for (std::size_t i = 0; i < 2 * kAround; ++i) {
    const std::string name = "parts" + std::to_string(i);
    const std::string first = text.substr(0, kBlock - kAround - i);
    write_gzip(name, first, "ab0");  // stored: a little longer than the text
    write_gzip(name, more);
    EXPECT_EQ(*read(write_gzip(name, "end")), first + more + "end") << i;
  }
}

TEST_F(ByteSourceTest, ADamagedGzipGivesTheSameInAnyBlocks) {
  std::mt19937_64 random(2);
  std::size_t recovered = 0;
  for (int i = 0; i < 40; ++i) {
    const std::string name = "damaged" + std::to_string(i);
    std::string bytes = testing::contents_of(write_gzip(name, noise(500'000)));
    bytes[200'000 + random() % 200'000] ^= static_cast<char>(1 + random() % 255);
    const ByteSource source = open(write_file(path(name), bytes));
    std::vector<std::string> all;
    for (const std::size_t block_bytes : {211, 9973, 1 << 18, 1 << 20}) {
      base::Result<ByteStream> stream =
          ByteStream::open(source, progress_, std::nullopt, ByteStream::WhenDamaged::end);
      std::string block(block_bytes, '\0');
      all.emplace_back();
      for (std::size_t got = block.size(); got == block.size();) {
        got = *stream->read(block);
        all.back().append(block, 0, got);
      }
    }
    for (const std::string& each : all) EXPECT_TRUE(each == all[0]) << i;
    recovered += all[0].size();
  }
  EXPECT_GT(recovered, 40 * 200'000U);
}

TEST_F(ByteSourceTest, FailsOnTruncatedOrDamagedGzip) {
  const fs::path file = write_gzip("cut", noise(1 << 20));
  fs::resize_file(file, fs::file_size(file) - 5);
  EXPECT_EQ(read(file).error().title, "The compressed file is damaged");
  std::string bytes = testing::contents_of(write_gzip("damaged", noise(1 << 20)));
  bytes[bytes.size() - 6] ^= 1;  // of the checksum
  EXPECT_THAT(read(write_file(path("damaged"), bytes)).error().detail, HasSubstr("damaged"));
  EXPECT_EQ(read(write_file(path("tail"), testing::contents_of(write_gzip("tail", "a")) + "b"))
                .error()
                .title,
            "The compressed file is damaged");
}

TEST_F(ByteSourceTest, GivesWhatIsWholeOfATruncatedGzip) {
  const std::string text = noise(300'000), more = noise(50'000);
  const auto read_to_the_end = [this](const fs::path& file, bool& is_damaged) {
    base::Result<ByteStream> stream =
        ByteStream::open(open(file), progress_, std::nullopt, ByteStream::WhenDamaged::end);
    std::string all, block(9973, '\0');
    for (std::size_t got = block.size(); got == block.size();) {
      got = *stream->read(block);
      all.append(block, 0, got);
    }
    is_damaged = stream->is_damaged();
    EXPECT_EQ(stream->file_bytes(), static_cast<int64_t>(fs::file_size(file)));
    EXPECT_EQ(stream->file_bytes_read(), stream->file_bytes());
    return all;
  };
  bool is_damaged = true;
  write_gzip("whole", text);
  EXPECT_EQ(read_to_the_end(write_gzip("whole", more), is_damaged), text + more);
  EXPECT_FALSE(is_damaged);
  const std::string packed = testing::contents_of(path("whole"));
  std::size_t last = 0;
  for (std::size_t bytes = 2; bytes < packed.size(); bytes += packed.size() / 40) {
    const std::string got =
        read_to_the_end(write_file(path("cut"), packed.substr(0, bytes)), is_damaged);
    EXPECT_TRUE((text + more).starts_with(got)) << bytes;
    EXPECT_TRUE(is_damaged) << bytes;
    EXPECT_GE(got.size(), last);
    last = got.size();
  }
  EXPECT_GT(last, text.size());
  // All that was packed before a place where the packer was flushed.
  z_stream packer{};
  ASSERT_EQ(deflateInit2(&packer, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string flushed(2 * text.size(), '\0'), zeros(200'000, '0');
  packer.next_in = reinterpret_cast<Bytef*>(zeros.data());
  packer.avail_in = static_cast<uInt>(zeros.size());
  packer.next_out = reinterpret_cast<Bytef*>(flushed.data());
  packer.avail_out = static_cast<uInt>(flushed.size());
  deflate(&packer, Z_FULL_FLUSH);
  flushed.resize(flushed.size() - packer.avail_out);
  deflateEnd(&packer);
  EXPECT_EQ(read_to_the_end(write_file(path("flushed"), flushed), is_damaged), zeros);
  EXPECT_TRUE(is_damaged);
}

TEST_F(ByteSourceTest, FailsAboveTheUnpackLimit) {
  const fs::path file = write_gzip("bomb", std::string(10'000'000, '0'));
  const base::Result<std::string> read_of = read(file, 9'999'999);
  ASSERT_FALSE(read_of);
  EXPECT_EQ(read_of.error().title, "The compressed file is too large");
  EXPECT_THAT(read_of.error().advice, HasSubstr("DLVIEW_LIMITS"));
  EXPECT_EQ(read(file, 10'000'000)->size(), 10'000'000U);
}

TEST_F(ByteSourceTest, TheLimitGrowsWithTheFileAndTheUsersFactor) {
  constexpr int64_t kMega = 1'000'000, kGiga = 1'000'000'000;
  EXPECT_EQ(most_unpacked_bytes(1), kGiga);
  EXPECT_EQ(most_unpacked_bytes(10 * kMega), 2 * kGiga);
  EXPECT_EQ(most_unpacked_bytes(10 * kGiga), 64 * kGiga);
  const testing::Variable larger("DLVIEW_LIMITS", "10");
  EXPECT_EQ(most_unpacked_bytes(1), 10 * kGiga);
  const testing::Variable off("DLVIEW_LIMITS", "off");
  EXPECT_EQ(most_unpacked_bytes(1), std::numeric_limits<int64_t>::max());
}

TEST_F(ByteSourceTest, CountsWhatUnpacks) {
  const fs::path file = write_gzip("zeros", std::string(1'000'000, '0'));
  EXPECT_EQ(recorded_unpacked_bytes(file), 1'000'000);
  EXPECT_EQ(recorded_unpacked_bytes(write_file(path("plain"), std::string(100, '0'))), 0);
  const ByteSource source = open(file);
  base::Result<ByteStream> stream = ByteStream::open(source, progress_);
  ASSERT_TRUE(stream);
  std::string block(600'000, '\0');
  EXPECT_EQ(*stream->read(block), 600'000U);
  EXPECT_EQ(*source.unpacked_bytes(), 600'000);
}

TEST_F(ByteSourceTest, ACancelEndsAStream) {
  const ByteSource source = open(write_gzip("packed", noise(1000)));
  base::Result<ByteStream> stream = ByteStream::open(source, progress_);
  ASSERT_TRUE(stream);
  progress_.cancel();
  std::string block(10, '\0');
  EXPECT_EQ(stream->read(block).error().title, "Canceled");
}

TEST_F(ByteSourceTest, NoticesThatItsFileChanged) {
  const ByteSource source = open(write_file(path("a"), "text"));
  EXPECT_FALSE(source.has_changed());
  write_file(path("a"), "longer text");
  EXPECT_TRUE(source.has_changed());
}

}  // namespace
}  // namespace dlview::import
