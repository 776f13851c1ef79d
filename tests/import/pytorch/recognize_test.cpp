#include "import/pytorch/recognize.h"

#include <filesystem>
#include <string>
#include <zlib.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/test_database.h"
#include "support/test_data.h"

namespace dlview::import::pytorch {
namespace {

namespace fs = std::filesystem;
using testing::contents_of;
using ::testing::HasSubstr;
using testing::open_for_test;
using testing::write_dlprof_database;
using testing::write_file;

constexpr const char* kTrace = R"({ "schemaVersion": 1, "traceEvents": [
  {"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": 0, "dur": 1}]})";

fs::path write_gzip(const fs::path& path, const std::string& contents) {
  const gzFile file = gzopen(path.c_str(), "wb");
  EXPECT_GT(gzwrite(file, contents.data(), static_cast<unsigned>(contents.size())), 0);
  EXPECT_EQ(gzclose(file), Z_OK);
  return path;
}

class PytorchTrace : public ::testing::Test {
 protected:
  fs::path path(const std::string& name) const { return folder_.path() / name; }

  base::Error error_for(const fs::path& file) {
    const base::Result<profile::Profile> result = open_for_test(file);
    EXPECT_FALSE(result.ok());
    return result.ok() ? base::Error{} : result.error();
  }

  testing::TemporaryFolder folder_;
};

TEST_F(PytorchTrace, OpensByItsContent) {
  for (const fs::path& file :
       {write_file(path("a.pt.trace.json"), kTrace), write_gzip(path("a.json.gz"), kTrace),
        write_file(path("named.sqlite"), kTrace)}) {
    const base::Result<profile::Profile> result = open_for_test(file);
    ASSERT_TRUE(result.ok()) << testing::error_of(result);
    EXPECT_EQ(result->source.format, "PyTorch profiler trace");
    EXPECT_EQ(result->source.path, file.string());
    EXPECT_EQ(result->source.file_bytes, static_cast<int64_t>(fs::file_size(file)));
    EXPECT_EQ(result->instances.size(), 1U);
  }
}

TEST_F(PytorchTrace, IsNamedInAFolder) {
  write_file(path("notes.json"), "{}");
  EXPECT_EQ(error_for(folder_.path()).title, "This is a folder, not a file");
  write_gzip(path("rank0.pt.trace.json.gz"), kTrace);
  const base::Error error = error_for(folder_.path());
  EXPECT_EQ(error.title, "A folder of PyTorch profiler traces cannot be opened as a whole");
  EXPECT_THAT(error.detail, HasSubstr("rank0.pt.trace.json.gz"));
  EXPECT_THAT(error.advice, HasSubstr("dlview \"" + path("rank0.pt.trace.json.gz").string()));
}

TEST(PytorchTraceText, IsKnownByHeaderOrEvents) {
  EXPECT_TRUE(begins_as_trace(kTrace));
  EXPECT_TRUE(begins_as_trace("\xef\xbb\xbf\n{\"schemaVersion\" : 1,\n\"traceEvents\" :\n[]}"));
  EXPECT_TRUE(
      begins_as_trace(R"({"traceEvents": [{"ph":"X","cat":"user_annotation","name":"a"}]})"));
  EXPECT_TRUE(begins_as_trace(R"({"traceEvents": [], "traceName": "/tmp/a.json"})"));
  EXPECT_TRUE(begins_as_trace(
      R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "args": {"External id": 3}}]})"));
  // The header of a large job goes on beyond what is read.
  EXPECT_TRUE(begins_as_trace(R"({"schemaVersion": 1, "deviceProperties": [{"id": 0)"));
  // The old autograd profiler.
  EXPECT_TRUE(begins_as_trace(R"([{"name": "add", "ph": "X", "tid": 1, "pid": "CPU functions"}])"));
}

TEST(PytorchTraceText, IsNoneOfAnotherProgram) {
  EXPECT_FALSE(begins_as_trace(""));
  EXPECT_FALSE(begins_as_trace("{}"));
  EXPECT_FALSE(begins_as_trace(R"({"report": "summary", "rows": [["traceEvents", "cpu_op"]]})"));
  EXPECT_FALSE(
      begins_as_trace(R"({"displayTimeUnit": "ns", "traceEvents": [{"ph": "M", "pid": 3}]})"));
  EXPECT_FALSE(
      begins_as_trace(R"({"traceEvents": [{"cat": "fee", "name": "cpu_op", "ph": "X"}]})"));
  EXPECT_FALSE(begins_as_trace(R"([{"cat": "blink", "name": "paint", "ph": "X", "pid": 3}])"));
  EXPECT_FALSE(begins_as_trace(R"({"name": "schemaVersion", "schemaVersion": 1})"));
  EXPECT_FALSE(begins_as_trace(R"({"traceEvents": [{"cat": "kernel", "name": "traceName"}]})"));
}

struct GzipCase {
  std::string contents, detail, advice;
};

TEST_F(PytorchTrace, OtherGzipContentHasItsOwnAnswer) {
  const std::string database = contents_of(write_dlprof_database(path("db.sqlite")));
  std::string tar(512, '\0');
  tar.replace(257, 5, "ustar");
  for (const GzipCase& expected :
       {GzipCase{database, "an SQLite database compressed with gzip", "gzip -dc"},
        GzipCase{tar, "a tar archive", "tar -xzf"},
        GzipCase{"a,b,c\n1,2,3\n", "begins like CSV", "dlprof_dldb.sqlite"},
        GzipCase{R"({"report": 1})", "begins like JSON", "dlprof_dldb.sqlite"},
        GzipCase{std::string("\1\2\3\0", 4), "a file compressed with gzip", "gzip -dc"}}) {
    const fs::path file = write_gzip(path("some.gz"), expected.contents);
    const base::Error error = error_for(file);
    EXPECT_EQ(error.title, "The file is compressed");
    EXPECT_THAT(error.detail, HasSubstr(expected.detail));
    EXPECT_THAT(error.advice, HasSubstr(expected.advice));
  }
}

TEST_F(PytorchTrace, GzipThatIsDamagedOrCutSaysSo) {
  for (const char* bytes : {"\x1f\x8b\x08", "\x1f\x8b\x08 and so on"}) {
    const base::Error error = error_for(write_file(path("cut.gz"), bytes));
    EXPECT_THAT(error.detail, HasSubstr("cannot be unpacked"));
  }
}

TEST_F(PytorchTrace, OpensWhenCutOff) {
  std::string events = kTrace;
  events.resize(events.size() - 2);
  for (int i = 1; i < 2000; ++i) {
    events +=
        ",{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mul\", \"pid\": 1, \"tid\": 1, "
        "\"ts\": " +
        std::to_string(i * 7919) + ", \"dur\": " + std::to_string(i * 31 % 7) + "}";
  }
  const fs::path file = write_gzip(path("cut.json.gz"), events);
  fs::resize_file(file, fs::file_size(file) / 2);
  const base::Result<profile::Profile> result = open_for_test(file);
  ASSERT_TRUE(result.ok()) << testing::error_of(result);
  EXPECT_GT(result->instances.size(), 100U);
  EXPECT_LT(result->instances.size(), 2000U);
}

TEST(RealPytorchTraces, AreAllKnown) {
  DLVIEW_REQUIRE_TEST_DATA();
  int traces = 0;
  for (const char* name : {"pytorch", "pytorch/bad"}) {
    for (const auto& entry : fs::directory_iterator(*testing::test_data_folder() / name)) {
      const std::string file = entry.path().filename().string();
      if (!entry.is_regular_file()) continue;
      const bool is_other = file.find(".json") == std::string::npos || file == "must.json" ||
                            file == "empty.json" || file == "cut_in_gzip_header.json.gz";
      base::Progress progress;
      const base::Result<ByteSource> source = ByteSource::open(entry.path(), progress);
      EXPECT_NE(source && is_trace(*source), is_other) << entry.path();
      traces += is_other ? 0 : 1;
    }
  }
  EXPECT_GT(traces, 30);
}

TEST(RecordedTraces, OpenUnlessNothingWasRecorded) {
  int traces = 0;
  const fs::path folder = fs::path(DLVIEW_SOURCE_DIR) / "tests/import/pytorch/traces";
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".gz") continue;
    ++traces;
    const base::Result<profile::Profile> opened = open_for_test(entry.path());
    const bool has_events = entry.path().filename() != "nothing_recorded.pt.trace.json.gz";
    EXPECT_EQ(opened.ok(), has_events) << entry.path() << ": " << testing::error_of(opened);
  }
  EXPECT_EQ(traces, 8);
}

}  // namespace
}  // namespace dlview::import::pytorch
