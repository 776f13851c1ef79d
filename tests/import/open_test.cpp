#include "import/open.h"

#include <filesystem>
#include <random>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/test_database.h"

namespace dlview::import {
namespace {

using testing::contents_of;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::open_for_test;
using testing::TestDatabase;
using testing::write_dlprof_database;
using testing::write_file;

class OpenBadInput : public ::testing::Test {
 protected:
  std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }

  // Opens what must not open; checks what holds for every error.
  base::Error error_for(const std::filesystem::path& file) {
    const base::Result<profile::Profile> result = open_for_test(file);
    if (result.ok()) {
      ADD_FAILURE() << file << " was opened";
      return {};
    }
    EXPECT_THAT(result.error().detail, HasSubstr(file.string()));
    EXPECT_NE(result.error().advice, "");
    return result.error();
  }

  testing::TemporaryFolder folder_;
};

TEST_F(OpenBadInput, AMissingFileIsNamed) {
  EXPECT_EQ(error_for(path("nothing.sqlite")).title, "The file does not exist");
}

TEST_F(OpenBadInput, RejectsAFileAsAFolder) {
  EXPECT_EQ(error_for(write_file(path("file"), "x") / "db").title, "The file does not exist");
}

TEST_F(OpenBadInput, AFolderIsNoFile) {
  EXPECT_EQ(error_for(folder_.path()).title, "This is a folder, not a file");
}

TEST_F(OpenBadInput, RejectsPipesWithoutWaiting) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(error_for(path("pipe")).title, "This is not a regular file");
}

// Runs in a child process that has given up root's rights, for which permissions do not count.
TEST_F(OpenBadInput, AFileWithoutPermissionSaysSo) {
  const auto file = write_dlprof_database(path("secret.sqlite"));
  std::filesystem::permissions(folder_.path(), std::filesystem::perms(0755));
  std::filesystem::permissions(file, std::filesystem::perms::none);
  EXPECT_EXIT(
      {
        if (geteuid() == 0 && setuid(65534) != 0) _exit(3);
        const auto result = open_for_test(file);
        _exit(!result && result.error().title == "No permission to read the file" ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST_F(OpenBadInput, AnEmptyFileHasZeroBytes) {
  const base::Error error = error_for(write_file(path("empty.sqlite"), ""));
  EXPECT_EQ(error.title, "The file is empty");
  EXPECT_THAT(error.detail, HasSubstr("0 bytes"));
}

TEST_F(OpenBadInput, HalfADatabaseIsTruncated) {
  const auto file = write_dlprof_database(path("half.sqlite"));
  const auto whole = std::filesystem::file_size(file);
  std::filesystem::resize_file(file, whole / 2);
  const base::Error error = error_for(file);
  EXPECT_EQ(error.title, "The file is truncated");
  EXPECT_THAT(error.detail, HasSubstr(std::to_string(whole / 2) + " bytes"));
  EXPECT_THAT(error.detail, HasSubstr(std::to_string(whole)));
}

TEST_F(OpenBadInput, LessThanAHeaderIsTruncated) {
  const auto file = write_dlprof_database(path("head.sqlite"));
  std::filesystem::resize_file(file, 60);
  EXPECT_EQ(error_for(file).title, "The file is truncated");
}

TEST_F(OpenBadInput, OverwrittenPagesAreDamage) {
  const auto file = write_dlprof_database(path("damaged.sqlite"));
  std::string bytes = contents_of(file);
  std::fill(bytes.begin() + 100, bytes.end(), '\xa5');
  const base::Error error = error_for(write_file(file, bytes));
  EXPECT_EQ(error.title, "The file is damaged");
  EXPECT_THAT(error.advice, HasSubstr("recover"));
}

TEST_F(OpenBadInput, FindsDamageInsideATable) {
  const auto file = path("damaged.sqlite");
  write_dlprof_database(file,
                        "WITH RECURSIVE n(x) AS (SELECT 100 UNION ALL SELECT x + 1 FROM n WHERE x "
                        "< 20000) INSERT INTO dictionary SELECT x, 'text ' || x FROM n;");
  std::string bytes = contents_of(file);
  std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() / 2), bytes.end(), '\xa5');
  EXPECT_EQ(error_for(write_file(file, bytes)).title, "The file is damaged");
}

TEST_F(OpenBadInput, RejectsRandomBytes) {
  std::mt19937 random(7);
  std::string bytes(8192, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  EXPECT_EQ(error_for(write_file(path("random.sqlite"), bytes)).title,
            "The file is encrypted or not an SQLite database");
}

TEST_F(OpenBadInput, DetectsEncryptionAfterAHeader) {
  std::mt19937 random(7);
  std::string bytes("SQLite format 3\0", 16);
  while (bytes.size() < 8192) bytes += static_cast<char>(random());
  EXPECT_EQ(error_for(write_file(path("sealed.sqlite"), bytes)).title,
            "The file is encrypted or damaged");
}

TEST_F(OpenBadInput, NamesASummaryOfRanks) {
  const base::Error error = error_for(write_file(path("run.dlsum"), "dlsum\r\n\x1a rest"));
  EXPECT_EQ(error.title, "The file is a summary of ranks");
  EXPECT_THAT(error.advice, HasSubstr("dlview ranks "));
}

TEST_F(OpenBadInput, NamesPickles) {
  const base::Error error =
      error_for(write_file(path("snapshot.pickle"), std::string("\x80\x04\x95\0\0", 5)));
  EXPECT_EQ(error.title, "The file is not a profile");
  EXPECT_THAT(error.detail, HasSubstr("Python pickle"));
  EXPECT_THAT(error_for(write_file(path("bytes"), std::string("\x80\x02\0\0\0", 5))).detail,
              Not(HasSubstr("pickle")));
}

TEST_F(OpenBadInput, NamesOtherKindsOfFiles) {
  const auto detail = [this](const std::string& first) {
    const base::Error error = error_for(write_file(path("other"), first + std::string(64, '\0')));
    EXPECT_EQ(error.title, "The file is not a profile");
    return error.detail;
  };
  EXPECT_THAT(detail("\x89PNG\r\n"), HasSubstr("a PNG image"));
  EXPECT_THAT(detail("\xff\xd8\xff\xe0"), HasSubstr("a JPEG image"));
  EXPECT_THAT(detail("%PDF-1.7\n"), HasSubstr("a PDF document"));
  EXPECT_THAT(detail("\177ELF\x02"), HasSubstr("a program or library"));
  EXPECT_THAT(detail("PAR1"), HasSubstr("a Parquet file"));
  EXPECT_THAT(detail("\x93NUMPY\x01"), HasSubstr("a NumPy array"));
}

TEST_F(OpenBadInput, AsksToDecompressFiles) {
  const base::Error error = error_for(write_file(path("db.gz"), "\x1f\x8b\x08 and so on"));
  EXPECT_EQ(error.title, "The file is compressed");
}

struct TextCase {
  const char* contents;
  const char* title;
  const char* what;
};
class OpenText : public OpenBadInput, public ::testing::WithParamInterface<TextCase> {};

TEST_P(OpenText, IsNamedAsWhatItIs) {
  const base::Error error = error_for(write_file(path("text.sqlite"), GetParam().contents));
  EXPECT_EQ(error.title, GetParam().title);
  EXPECT_THAT(error.detail, HasSubstr(GetParam().what));
}

constexpr const char* kText = "The file is text, not a profile";
constexpr const char* kOther = "The file is from another tool";
INSTANTIATE_TEST_SUITE_P(
    Kinds, OpenText,
    ::testing::Values(
        TextCase{"Hello\nworld\n", kText, "contains text"},
        TextCase{"  {\"report\": 1}", kText, "JSON"},
        TextCase{R"({"traceEvents": [{"ph": "X", "cat": "devtools.timeline", "ts": 1}]})", kOther,
                 "Chrome DevTools"},
        TextCase{R"({"traceEvents": [{"ph": "M", "args": {"name": "/device:GPU:0"}}]})", kOther,
                 "JAX or TensorFlow"},
        TextCase{R"([{"ph": "M", "args": {"name": "Ascend Hardware"}, "pid": 1}])", kOther,
                 "Ascend"},
        TextCase{R"({"traceEvents": [{"ph": "M", "args": {"name": "CPU HIP API"}}]})", kOther,
                 "rocprof"},
        TextCase{R"({"$schema": "https://www.speedscope.app/file-format-schema.json"})", kOther,
                 "speedscope"},
        TextCase{R"({"schema": "1.1.1-chakra.0.0.4", "pid": 1, "nodes": []})", kOther,
                 "execution trace of PyTorch"},
        TextCase{R"({"traceEvents": [{"ph": "X", "cat": "FEE", "name": "f"}]})", kOther,
                 "VizTracer"},
        TextCase{R"({"segments": [], "device_traces": []})", kOther, "memory snapshot"},
        TextCase{"{\"Type\":48,\"NvtxEvent\":{}}\n", kOther, "JSON export of Nsight Systems"},
        TextCase{R"({"traceEvents": [{"ph": "X", "name": "f"}]})", kOther, "Chrome's format"},
        TextCase{R"({"traceEvents": []})", kText, "without events"},
        TextCase{R"({"about": "a -chakra. is an energy"})", kText, "begins like JSON"},
        TextCase{"Op ID,Op Name,Direction\n1,2,3\n", kText, "CSV"},
        TextCase{"All Iterations\r\nOp ID,Op Name,Direction\r\n", kText, "CSV"},
        TextCase{"<!DOCTYPE html><html>", kText, "HTML"},
        TextCase{"PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n", kText, "SQL dump"},
        TextCase{"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 4\n",
                 "The file is a Git LFS pointer, not the profile itself", "not downloaded"}));

TEST_F(OpenBadInput, ListsTablesOfOtherDatabases) {
  TestDatabase(path("other.sqlite")).execute("CREATE TABLE songs(id); CREATE TABLE albums(id);");
  const base::Error error = error_for(path("other.sqlite"));
  EXPECT_EQ(error.title, "The database is from neither DLProf nor Nsight Systems");
  EXPECT_THAT(error.detail, HasSubstr("the tables albums, songs"));
}

TEST_F(OpenBadInput, RejectsALoneVersionTable) {
  TestDatabase(path("other.sqlite")).execute("CREATE TABLE db_version(version);");
  EXPECT_EQ(error_for(path("other.sqlite")).title,
            "The database is from neither DLProf nor Nsight Systems");
}

TEST_F(OpenBadInput, RejectsDatabasesWithoutTables) {
  TestDatabase(path("bare.sqlite")).execute("CREATE TABLE t(id); DROP TABLE t;");
  EXPECT_THAT(error_for(path("bare.sqlite")).detail, HasSubstr("no tables at all"));
}

TEST_F(OpenBadInput, ExplainsEmptyExports) {
  for (const char* table : {"CUPTI_ACTIVITY_KIND_KERNEL", "NVTX_EVENTS", "StringIds"}) {
    const auto file = path(std::string(table) + ".sqlite");
    TestDatabase(file).execute("CREATE TABLE " + std::string(table) + "(id);");
    const base::Error error = error_for(file);
    EXPECT_EQ(error.title, "The export has neither GPU activity nor NVTX ranges");
    EXPECT_THAT(error.advice, HasSubstr("nsys profile --trace=cuda,nvtx"));
  }
}

TEST_F(OpenBadInput, ACanceledJobSaysSo) {
  base::Progress progress;
  progress.cancel();
  const auto result = open_profile(write_dlprof_database(path("db.sqlite")), progress);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().title, "Canceled");
}

// Any byte may be wrong: an error or a profile with notes, but never a crash (run under
// sanitizers).
TEST_F(OpenBadInput, FlippedBytesNeverCrash) {
  const std::string good = contents_of(write_dlprof_database(path("good.sqlite")));
  std::mt19937 random(11);
  int errors = 0;
  for (int round = 0; round < 300; ++round) {
    std::string bytes = good;
    for (int flip = 0; flip < 20; ++flip) {
      bytes[16 + random() % (bytes.size() - 16)] = static_cast<char>(random());
    }
    const auto result = open_for_test(write_file(path("flipped.sqlite"), bytes));
    if (result.ok()) continue;
    ++errors;
    EXPECT_NE(result.error().advice, "");
  }
  EXPECT_GT(errors, 0);
}

}  // namespace
}  // namespace dlview::import
