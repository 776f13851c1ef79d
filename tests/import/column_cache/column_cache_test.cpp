// The cache of columns: what comes out is what went in, and nothing that happens to its files does
// harm.
#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <span>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/column_cache/archive.h"
#include "import/column_cache/checksum.h"
#include "import/column_cache/contents.h"
#include "import/column_cache/folder.h"
#include "import/column_cache/identity.h"
#include "import/column_cache/plausible.h"
#include "import/column_cache/restore.h"
#include "import/column_cache/store.h"
#include "import/nsys/test_export.h"
#include "profile/builder.h"
#include "support/random_profile.h"

namespace dlview::import::column_cache {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Limits kNoLimits{.most_bytes = int64_t{1} << 40, .spare_share = 0};

class ColumnCache : public testing::ExportTest {
 protected:
  ColumnCache() : source_(testing::write_export(path())), profile_(open_with_nothing_changed()) {
    fs::create_directory(cache());
  }

  profile::Profile open_with_nothing_changed() const {
    return std::move(testing::open_for_test(source_)).value();
  }
  fs::path cache() const { return folder_.path() / "columns"; }
  Identity identity() const { return identity_of(source_).value(); }
  fs::path file() const { return cache() / identity().name; }
  base::Status keep() const { return store(profile_, identity(), cache(), kNoLimits, {}); }
  std::vector<fs::path> left() const {
    return {fs::directory_iterator(cache()), fs::directory_iterator()};
  }

  fs::path source_;
  profile::Profile profile_;
};

TEST_F(ColumnCache, GivesBackWhatItWasGiven) {
  ASSERT_TRUE(keep().ok());
  const std::optional<Restored> restored = restore(identity(), cache());
  ASSERT_TRUE(restored);
  EXPECT_EQ(contents_of(restored->profile), contents_of(profile_));
  EXPECT_EQ(restored->beside, "");
  EXPECT_TRUE(restored->columns.are_sound({}));
  EXPECT_THAT(left(), SizeIs(1));
}

TEST_F(ColumnCache, ReturnsTheAttachedBytes) {
  const std::string beside("an answer\0to a question", 23);
  ASSERT_TRUE(store(profile_, identity(), cache(), kNoLimits, {}, beside).ok());
  EXPECT_EQ(restore(identity(), cache())->beside, beside);
}

TEST_F(ColumnCache, GivesBackEveryKindOfProfile) {
  for (const profile::Profile& profile : {profile::ProfileBuilder().finish(),
                                          testing::random_profile({.stored_aggregation = true})}) {
    ASSERT_TRUE(store(profile, identity(), cache(), kNoLimits, {}).ok());
    const std::optional<Restored> restored = restore(identity(), cache());
    ASSERT_TRUE(restored);
    EXPECT_EQ(contents_of(restored->profile), contents_of(profile));
  }
}

// A change here is one of the format: files of the old one are told from the new by this number.
TEST_F(ColumnCache, KnowsTheLayoutOfAProfile) {
  EXPECT_EQ(layout_hash(), 17811005237416973461U);
}

TEST_F(ColumnCache, IgnoresChangedFiles) {
  ASSERT_TRUE(keep().ok());
  testing::TestDatabase(source_).execute("DELETE FROM OSRT_API;");
  EXPECT_FALSE(restore(identity(), cache()));
  EXPECT_THAT(left(), IsEmpty());
}

TEST_F(ColumnCache, IgnoresDatabasesWithAJournal) {
  testing::write_file(source_.string() + "-wal", std::string(4096, '\1'));
  EXPECT_FALSE(identity_of(source_));
}

TEST_F(ColumnCache, TellsFilesOfOneNameApart) {
  fs::create_directory(folder_.path() / "other");
  const fs::path other = folder_.path() / "other" / source_.filename();
  fs::copy_file(source_, other);
  EXPECT_NE(identity_of(other)->name, identity().name);
}

TEST_F(ColumnCache, KnowsFilesThatAreNoDatabases) {
  const fs::path file = testing::write_file(folder_.path() / "short.json", "{}");
  const std::optional<Identity> before = identity_of(file);
  ASSERT_TRUE(before);
  EXPECT_EQ(identity_of(file), before);
  testing::write_file(file, "{ }");
  EXPECT_EQ(identity_of(file)->name, before->name);
  EXPECT_NE(identity_of(file)->state, before->state);
  EXPECT_FALSE(identity_of(folder_.path()));
  EXPECT_FALSE(identity_of(folder_.path() / "none"));
}

TEST_F(ColumnCache, IgnoresTruncatedFiles) {
  ASSERT_TRUE(keep().ok());
  const std::string whole = testing::contents_of(file());
  for (std::size_t bytes = 0; bytes < whole.size(); bytes += 997) {
    testing::write_file(file(), whole.substr(0, bytes));
    EXPECT_FALSE(restore(identity(), cache())) << bytes;
  }
}

TEST_F(ColumnCache, HasNothingThatAnotherBuildWrote) {
  ASSERT_TRUE(keep().ok());
  std::string whole = testing::contents_of(file());
  Header header;
  std::memcpy(&header, whole.data(), sizeof(Header));
  ++header.source_stamp;
  const auto bytes = std::as_bytes(std::span(whole));
  header.checksum = checksum_of(
      header, bytes.subspan(header.directory_offset, header.facts_offset - header.directory_offset),
      bytes.subspan(header.facts_offset));
  std::memcpy(whole.data(), &header, sizeof(Header));
  testing::write_file(file(), whole);
  EXPECT_FALSE(restore(identity(), cache()));
}

// Row numbers, texts and offsets that lead nowhere are seen before use, other values by their
// checksum.
TEST_F(ColumnCache, FindsEveryFlippedByte) {
  ASSERT_TRUE(keep().ok());
  const std::string whole = testing::contents_of(file());
  Header header;
  std::copy_n(whole.data(), sizeof(Header), reinterpret_cast<char*>(&header));
  const auto* entries = reinterpret_cast<const Entry*>(whole.data() + header.directory_offset);
  std::vector<std::size_t> places;
  for (std::size_t at = 0; at < sizeof(Header); ++at) places.push_back(at);
  for (std::size_t at = header.directory_offset; at < whole.size(); at += 3) places.push_back(at);
  for (const Entry& column : std::span(entries, header.columns)) {
    for (uint64_t at = 0; at < column.values * column.bytes_of_value; at += 5) {
      places.push_back(column.offset + at);
    }
  }
  for (const std::size_t at : places) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x41);
    testing::write_file(file(), flipped);
    const std::optional<Restored> restored = restore(identity(), cache());
    EXPECT_FALSE(restored && restored->columns.are_sound({})) << "byte " << at;
    EXPECT_FALSE(fs::exists(file())) << "byte " << at;
  }
}

TEST_F(ColumnCache, RejectsInvalidRowNumbers) {
  ASSERT_TRUE(is_plausible(profile_));
  profile::Profile wrong = profile_;
  wrong.kernels.launch = std::vector<profile::Row>{0, 77};
  EXPECT_FALSE(is_plausible(wrong));
  wrong = profile_;
  wrong.instances.first_kernel = std::vector<profile::Row>(profile_.instances.size() + 1, 1);
  EXPECT_FALSE(is_plausible(wrong));
  wrong = profile_;
  wrong.trace->nvtx.text = std::vector<profile::StringId>(profile_.trace->nvtx.size(), 9999);
  EXPECT_FALSE(is_plausible(wrong));
  wrong = profile_;
  wrong.memory_ops.source_id = std::vector<int64_t>(profile_.memory_ops.size(), 0);
  EXPECT_FALSE(is_plausible(wrong));
  wrong = profile_;
  wrong.trace->threads.push_back({.process = profile::ProcessIndex{77}, .number = 1, .name = ""});
  EXPECT_FALSE(is_plausible(wrong));
  wrong = profile_;
  profile::TraceCounters& counters = wrong.trace->counters;
  counters.time_ns = std::vector<int64_t>{1, 2};
  counters.value = std::vector<double>{3, 4};
  EXPECT_FALSE(is_plausible(wrong)) << "without a series";
  counters.series.resize(2);
  counters.series[1].first = 1;
  EXPECT_TRUE(is_plausible(wrong));
  for (const std::size_t first : {std::size_t{0}, std::size_t{2}}) {
    counters.series[1].first = first;
    EXPECT_FALSE(is_plausible(wrong)) << first;
  }
  counters.series.resize(1);
  counters.series[0].first = 1;
  EXPECT_FALSE(is_plausible(wrong)) << "a value without a series";
  counters.series[0].first = 0;
  counters.value = std::vector<double>{3, std::nan("")};
  EXPECT_FALSE(is_plausible(wrong));
  wrong = profile_;
  profile::TraceSyncEvents& syncs = wrong.trace->sync_events;
  syncs.start_ns = syncs.end_ns = syncs.stream = std::vector<int64_t>{1};
  syncs.event = syncs.waits_for_stream = std::vector<int64_t>{profile::kNoValue};
  syncs.device_id = std::vector<int32_t>{0};
  EXPECT_FALSE(is_plausible(wrong)) << "without a name";
  syncs.name = std::vector<profile::StringId>{0};
  EXPECT_TRUE(is_plausible(wrong));
  syncs.device_id = std::vector<int32_t>{-1};
  EXPECT_TRUE(is_plausible(wrong));
  syncs.device_id = std::vector<int32_t>{-2};
  EXPECT_FALSE(is_plausible(wrong));
  syncs.device_id = std::vector<int32_t>{0};
  syncs.name = std::vector<profile::StringId>{9999};
  EXPECT_FALSE(is_plausible(wrong));
  wrong = profile_;
  profile::TraceOverheads& overheads = wrong.trace->overheads;
  overheads.start_ns = overheads.end_ns = std::vector<int64_t>{1};
  overheads.name = std::vector<profile::StringId>{0};
  EXPECT_TRUE(is_plausible(wrong));
  overheads.end_ns = std::vector<int64_t>{INT64_MIN};
  EXPECT_FALSE(is_plausible(wrong));
  // A kernel that is of one instance by its own column, of another by theirs.
  wrong = profile_;
  ASSERT_GE(profile_.instances.size(), 2U);
  const profile::Row other = profile_.kernels.instance[0] == 0 ? 1 : 0;
  std::vector<profile::Row> instances(profile_.kernels.instance.begin(),
                                      profile_.kernels.instance.end());
  instances[0] = other;
  wrong.kernels.instance = std::move(instances);
  EXPECT_FALSE(is_plausible(wrong));
  wrong = profile_;
  wrong.kernels.gpu_stop_ns = std::vector<int64_t>(1, 0);
  EXPECT_FALSE(is_plausible(wrong));
}

TEST_F(ColumnCache, LeavesNothingWhereItWasStopped) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(store(profile_, identity(), cache(), kNoLimits, stop.get_token()).ok());
  EXPECT_THAT(left(), IsEmpty());
}

TEST_F(ColumnCache, RemovesTheLongestUnusedFirst) {
  ASSERT_TRUE(keep().ok());
  const auto bytes = static_cast<int64_t>(fs::file_size(file()));
  const auto now = fs::file_time_type::clock::now();
  constexpr const char* kOld = "old-0123456789abcdef.columns";
  constexpr const char* kNew = "new-0123456789abcdef.columns";
  // Not dlview's own: it is neither counted nor removed.
  fs::copy_file(file(), cache() / "mine.columns");
  for (const auto& [name, age] : {std::pair(kOld, 30), std::pair(kNew, 1)}) {
    fs::copy_file(file(), cache() / name);
    fs::last_write_time(cache() / name, now - std::chrono::hours(age));
  }
  EXPECT_TRUE(make_room(cache(), bytes, {.most_bytes = 3 * bytes, .spare_share = 0}));
  EXPECT_FALSE(fs::exists(cache() / kOld));
  EXPECT_TRUE(fs::exists(cache() / kNew));
  EXPECT_TRUE(fs::exists(cache() / "mine.columns"));
  EXPECT_FALSE(make_room(cache(), bytes, {.most_bytes = bytes - 1, .spare_share = 0}));
  EXPECT_FALSE(make_room(cache(), bytes, {.most_bytes = 9 * bytes, .spare_share = 1}));
}

TEST_F(ColumnCache, DoesNotFillTheDisk) {
  EXPECT_FALSE(
      store(profile_, identity(), cache(), {.most_bytes = 1 << 30, .spare_share = 1}, {}).ok());
  EXPECT_THAT(left(), IsEmpty());
}

TEST_F(ColumnCache, StopsAtTheFileSizeLimit) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const rlimit limit{8192, 8192};
    setrlimit(RLIMIT_FSIZE, &limit);
    const bool failed = !keep().ok();
    _exit(failed && left().empty() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(ColumnCache, SurvivesAWriterThatIsKilled) {
  ASSERT_TRUE(keep().ok());
  profile::Profile large = profile_;
  large.trace->text_ids = std::vector<int64_t>(4'000'000, 1);
  std::mt19937 random(3);
  for (int round = 0; round < 8; ++round) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      while (store(large, identity(), cache(), kNoLimits, {}).ok()) continue;
      _exit(0);
    }
    usleep(5000 + random() % 40000);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const std::optional<Restored> restored = restore(identity(), cache());
    ASSERT_TRUE(restored);
    EXPECT_TRUE(restored->columns.are_sound({}));
  }
  const auto past = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (const fs::path& path : left()) fs::last_write_time(path, past);
  remove_abandoned(cache());
  EXPECT_THAT(left(), SizeIs(1));
}

TEST_F(ColumnCache, AllowsConcurrentWritersAndReaders) {
  ASSERT_TRUE(keep().ok());
  const std::string expected = contents_of(profile_);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 50; ++round) {
        if (i % 2 == 0) {
          if (!keep().ok()) ++wrong;
          continue;
        }
        const std::optional<Restored> restored = restore(identity(), cache());
        if (!restored || contents_of(restored->profile) != expected) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(ColumnCache, IsNotNeeded) {
  setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
  EXPECT_EQ(cache_folder(), "");
  base::Progress progress;
  CachedFile file(source_);
  EXPECT_TRUE(file.open(progress).ok());
  unsetenv("XDG_CACHE_HOME");
}

class CachedFileTest : public ColumnCache {
 protected:
  CachedFileTest() { setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1); }
  ~CachedFileTest() override { unsetenv("XDG_CACHE_HOME"); }

  base::Progress progress_;
};

TEST_F(CachedFileTest, IgnoresProfilesThatReadFast) {
  CachedFile file(source_);
  ASSERT_TRUE(file.open(progress_).ok());
  EXPECT_EQ(file.maintenance(), CachedFile::Maintenance::none);
}

TEST_F(CachedFileTest, UsesTheCurrentFileName) {
  ASSERT_TRUE(store(profile_, identity(), cache_folder(), kNoLimits, {}).ok());
  const fs::path link = folder_.path() / "link" / source_.filename();
  fs::create_directory(link.parent_path());
  fs::create_symlink(source_, link);
  CachedFile file(link);
  const base::Result<profile::Profile> opened = file.open(progress_);
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ(opened->source.path, link.string());
  ASSERT_EQ(file.maintenance(), CachedFile::Maintenance::check);
  EXPECT_TRUE(file.maintain(*opened, {}));
  EXPECT_EQ(file.maintenance(), CachedFile::Maintenance::none);
}

TEST_F(CachedFileTest, IsEqualAfterLookAhead) {
  base::Scheduler scheduler;
  CachedFile file(source_);
  file.look_ahead(scheduler);
  ASSERT_TRUE(file.open(progress_).ok()) << "it is not in the cache";
  ASSERT_TRUE(store(profile_, identity(), cache_folder(), kNoLimits, {}, "beside").ok());
  file.look_ahead(scheduler);
  const base::Result<profile::Profile> opened = file.open(progress_);
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ(contents_of(*opened), contents_of(profile_));
  EXPECT_EQ(file.beside(), "beside");
  EXPECT_EQ(file.maintenance(), CachedFile::Maintenance::check);
  fs::remove(cache_folder() / identity().name);
  ASSERT_TRUE(file.open(progress_).ok());
  EXPECT_EQ(file.maintenance(), CachedFile::Maintenance::none) << "what was found is used once";
}

TEST_F(CachedFileTest, ReadsFilesWithDamagedColumns) {
  const fs::path kept = cache_folder() / identity().name;
  ASSERT_TRUE(store(profile_, identity(), cache_folder(), kNoLimits, {}).ok());
  std::string bytes = testing::contents_of(kept);
  const int64_t start_ns = profile_.kernels.gpu_start_ns[0];
  const std::string value(reinterpret_cast<const char*>(&start_ns), sizeof(start_ns));
  bytes[bytes.find(value, kHeaderRoom)] ^= 1;
  testing::write_file(kept, bytes);

  CachedFile file(source_);
  const base::Result<profile::Profile> damaged = file.open(progress_);
  ASSERT_TRUE(damaged.ok());
  EXPECT_FALSE(file.maintain(*damaged, {}));
  const base::Result<profile::Profile> read = file.open(progress_);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(contents_of(*read), contents_of(profile_));
}

}  // namespace
}  // namespace dlview::import::column_cache
