#include "import/pytorch/python_frames.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>  // join
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "generate/pytorch.h"
#include "import/byte_source.h"
#include "import/open.h"
#include "import/test_database.h"
#include "support/test_data.h"

namespace dlview::import::pytorch {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using profile::kNoRow;
using profile::Profile;
using profile::PythonFrames;
using profile::Row;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Profile open(const fs::path& path) {
  base::Progress progress;
  base::Result<Profile> profile = open_profile(path, progress);
  if (!profile) throw std::runtime_error(base::to_text(profile.error()));
  return *std::move(profile);
}

base::Result<PythonFrames> read_frames(const Profile& profile) {
  base::Progress progress;
  return read_python_frames(profile, progress);
}

std::string path_of(const PythonFrames& frames, Row row) {
  const std::string name(frames.names[frames.name[row]]);
  const Row caller = frames.caller[row];
  return caller == kNoRow ? name : path_of(frames, caller) + ">" + name;
}

std::string line_of(const PythonFrames& frames, Row row) {
  const profile::Thread& thread = frames.threads[frames.thread[row]];
  return fmt::format("{} {}-{} {}/{}", path_of(frames, row), frames.start_ns[row],
                     frames.end_ns[row], thread.process_id, thread.thread_id);
}

std::vector<std::string> lines_of(const PythonFrames& frames) {
  std::vector<std::string> lines;
  for (Row row = 0; row < frames.size(); ++row) {
    const Row caller = frames.caller[row];
    if (caller != kNoRow) {
      EXPECT_LT(caller, row);
    }
    lines.push_back(line_of(frames, row));
  }
  return lines;
}

// Times in us, from 1000.
std::string frame(std::string_view name, int64_t start, int64_t end, std::string_view id,
                  std::string_view parent, int64_t thread = 7) {
  return fmt::format(
      R"({{"ph":"X","cat":"python_function","name":"{}","pid":7,"tid":{},"ts":{},"dur":{},)"
      R"("args":{{"Python parent id":{},"Python id":{},"Ev Idx":1}}}})",
      name, thread, start + 1000, end - start, parent, id);
}

std::string op(int64_t start, int64_t end) {
  return fmt::format(
      R"({{"ph":"X","cat":"cpu_op","name":"aten::add","pid":7,"tid":7,"ts":{},"dur":{},"args":{{}}}})",
      start + 1000, end - start);
}

class ReadPythonFrames : public ::testing::Test {
 protected:
  fs::path write(const std::vector<std::string>& events) {
    return testing::write_file(
        path(), fmt::format(R"({{"schemaVersion":1,"traceEvents":[{}]}})", fmt::join(events, ",")));
  }
  fs::path path() const { return folder_.path() / "trace.json"; }
  PythonFrames frames_of(const std::vector<std::string>& events) {
    base::Result<PythonFrames> frames = read_frames(open(write(events)));
    if (!frames) throw std::runtime_error(base::to_text(frames.error()));
    return *std::move(frames);
  }

  testing::TemporaryFolder folder_;
};

TEST_F(ReadPythonFrames, PutsCallersFirst) {
  const PythonFrames frames = frames_of({
      frame("g", 20, 30, "3", "2"),
      op(10, 40),
      frame("main", 0, 100, "1", "null"),
      frame("f", 10, 50, "2", "1"),
      frame("nn.Module: Net_0", 60, 70, "4", "1"),
  });
  EXPECT_THAT(lines_of(frames),
              ElementsAre("main 0-100000 7/7", "main>f 10000-50000 7/7",
                          "main>nn.Module: Net_0 60000-70000 7/7", "main>f>g 20000-30000 7/7"));
}

TEST_F(ReadPythonFrames, KeepsFramesThatCross) {
  const PythonFrames frames = frames_of({
      op(0, 200),
      frame("f", 10, 50, "1", "null"),
      frame("g", 45, 60, "2", "1"),
  });
  EXPECT_THAT(lines_of(frames), ElementsAre("f 10000-50000 7/7", "f>g 45000-60000 7/7"));
}

TEST_F(ReadPythonFrames, FindsCallersOnTheSameThreadOnly) {
  const PythonFrames frames = frames_of({
      op(0, 200),
      frame("f", 10, 50, "1", "null"),
      frame("g", 20, 40, "1", "9", 8),
      frame("h", 25, 30, "2", "1", 8),
  });
  EXPECT_THAT(lines_of(frames),
              ElementsAre("f 10000-50000 7/7", "g 20000-40000 7/8", "g>h 25000-30000 7/8"));
}

// The first read knows no other frames, so that it could count the texts of fewer threads.
TEST_F(ReadPythonFrames, GivesTextsTheNumbersOfTheProfile) {
  const auto event = [](std::string_view category, std::string_view name, std::string_view process,
                        std::string_view thread, int64_t start) {
    return fmt::format(
        R"({{"ph":"X","cat":"{}","name":"{}","pid":"{}","tid":"{}","ts":{},"dur":10,"args":{{}}}})",
        category, name, process, thread, start);
  };
  const fs::path file = write({
      event("python_function", "only frames", "P", "A", 1),
      event("cpu_op", "aten::add", "Q", "B", 2),
      event("python_function", "around", "Q", "B", 1),
      event("python_function", "nn.Module: Net_0", "P", "C", 1),
      event("python_function", "number", "P", "-1", 1),
      event("npu_events", "left out", "R", "D", 3),
      event("user_annotation", "step", "S", "E", 4),
      event("python_function", "around", "S", "E", 1),
  });
  const Profile profile = open(file);
  std::map<std::string, std::pair<int64_t, int64_t>> of_profile, of_frames;
  for (const profile::TraceThread& thread : profile.trace->threads) {
    of_profile[thread.name] = {profile.trace->processes[Row{thread.process}].number, thread.number};
  }
  EXPECT_THAT(of_profile, ::testing::SizeIs(3)) << "B, C and E";
  const base::Result<PythonFrames> frames = read_frames(profile);
  ASSERT_TRUE(frames) << base::to_text(frames.error());
  const std::map<std::string, std::string> threads_of{
      {"only frames", "A"}, {"nn.Module: Net_0", "C"}, {"number", "-1"}};
  std::set<std::pair<int64_t, int64_t>> around;
  for (Row row = 0; row < frames->size(); ++row) {
    const profile::Thread& thread = frames->threads[frames->thread[row]];
    const std::pair number(thread.process_id, thread.thread_id);
    const std::string name(frames->names[frames->name[row]]);
    if (name == "around") {
      around.insert(number);
    } else {
      of_frames[threads_of.at(name)] = number;
    }
  }
  EXPECT_EQ(around, (std::set{of_profile["B"], of_profile["E"]}));
  EXPECT_EQ(of_frames["C"], of_profile["C"]);
  EXPECT_EQ(of_frames["-1"].second, -1);
  for (const auto& [name, number] : of_profile) EXPECT_NE(number, of_frames["A"]) << name;
}

TEST_F(ReadPythonFrames, CutsCircles) {
  const PythonFrames frames = frames_of({
      op(0, 200),
      frame("self", 10, 50, "1", "1"),
      frame("f", 10, 50, "2", "3"),
      frame("g", 20, 40, "3", "2"),
  });
  EXPECT_EQ(frames.size(), 3u);
  EXPECT_EQ(std::ranges::count(frames.caller, kNoRow), 2);
  EXPECT_EQ(lines_of(frames).size(), 3u);  // and they end
}

TEST_F(ReadPythonFrames, TakesTheFirstOfEqualIds) {
  const PythonFrames frames = frames_of({
      op(0, 200),
      frame("f", 10, 50, "1", "null"),
      frame("g", 60, 90, "1", "null"),
      frame("h", 20, 40, "2", "1"),
  });
  EXPECT_THAT(lines_of(frames),
              ElementsAre("f 10000-50000 7/7", "g 60000-90000 7/7", "f>h 20000-40000 7/7"));
}

TEST_F(ReadPythonFrames, FailsWithoutFrames) {
  const auto frames = read_frames(open(write({op(0, 200)})));
  ASSERT_FALSE(frames);
  EXPECT_EQ(frames.error().title, "No Python frames recorded");
  EXPECT_THAT(frames.error().advice, HasSubstr("with_stack=True"));
}

TEST_F(ReadPythonFrames, FailsWhenTheFileHasChanged) {
  const Profile profile = open(write({op(0, 200), frame("f", 10, 50, "1", "null")}));
  for (const auto& events : {
           std::vector{op(0, 200), op(0, 200), frame("f", 10, 50, "1", "null")},
           std::vector{op(0, 201), frame("f", 10, 50, "1", "null")},  // as long as before
       }) {
    write(events);
    const auto frames = read_frames(profile);
    ASSERT_FALSE(frames);
    EXPECT_EQ(frames.error().title, "The file has changed since it was opened");
    EXPECT_EQ(frames.error().advice, "Open the file again");
  }
  fs::remove(path());
  EXPECT_FALSE(read_frames(profile));
}

TEST_F(ReadPythonFrames, EndsOnCancel) {
  const Profile profile = open(write({op(0, 200), frame("f", 10, 50, "1", "null")}));
  base::Progress progress;
  progress.cancel();
  const auto frames = read_python_frames(profile, progress);
  ASSERT_FALSE(frames);
  EXPECT_EQ(frames.error().title, "Canceled");
}

TEST_F(ReadPythonFrames, GivesTheGeneratorsModules) {
  generate::PytorchOptions options;
  options.kernels = 3000;
  options.with_stack = true;
  base::Progress progress;
  const auto truth = generate::generate_pytorch(path(), options, progress);
  ASSERT_TRUE(truth);
  ASSERT_FALSE(truth->modules.empty());
  const auto frames = read_frames(open(path()));
  ASSERT_TRUE(frames) << base::to_text(frames.error());
  std::map<std::string, std::pair<int64_t, int64_t>> found, expected;
  for (Row row = 0; row < frames->size(); ++row) {
    const std::string name(frames->names[frames->name[row]]);
    if (!name.starts_with("nn.Module: ")) continue;
    auto& [calls, ns] = found[name];
    ++calls;
    ns += frames->end_ns[row] - frames->start_ns[row];
  }
  for (const auto& [name, module] : truth->modules) {
    expected[name] = {module.calls, module.host_total_ns};
  }
  EXPECT_EQ(found, expected);
}

std::string text_of(const fs::path& path) {
  base::Progress progress;
  const auto source = ByteSource::open(path, progress);
  auto stream = ByteStream::open(*source, progress);
  std::string text;
  std::vector<char> block(1 << 20);
  for (;;) {
    const auto bytes = stream->read(block);
    if (!bytes) throw std::runtime_error(base::to_text(bytes.error()));
    text.append(block.data(), *bytes);
    if (*bytes < block.size()) return text;
  }
}

// "name duration: names of the frames around it" of each frame, by a reader of any JSON.
std::vector<std::string> frames_by_json(const fs::path& path) {
  struct JsonFrame {
    std::string name;
    int64_t ns = 0;
    Json thread, parent;
  };
  std::map<std::string, JsonFrame> events;
  const Json trace = Json::parse(text_of(path));
  for (const Json& event : trace["traceEvents"]) {
    if (event.value("cat", "") != "python_function" || event["ph"] != "X") continue;
    const auto key = [&event](const Json& id) {
      return event["pid"].dump() + event["tid"].dump() + " " + id.dump();
    };
    const Json& arguments = event["args"];
    const double us = event["dur"];
    events[key(arguments["Python id"])] = {event["name"], std::llround(us * 1000), event["tid"],
                                           key(arguments["Python parent id"])};
  }
  std::vector<std::string> lines;
  for (const auto& [key, event] : events) {
    std::string line = event.name;
    for (auto around = events.find(event.parent); around != events.end();
         around = events.find(around->second.parent)) {
      line = around->second.name + ">" + line;
    }
    lines.push_back(fmt::format("{} {}", line, event.ns));
  }
  return lines;
}

TEST(RealPythonFrames, EqualThoseOfAnyJsonReader) {
  DLVIEW_REQUIRE_TEST_DATA();
  constexpr int64_t kMostFrames = 10'000;  // the other reader takes minutes for more
  int files = 0;
  for (const auto& entry : fs::directory_iterator(*testing::test_data_folder() / "pytorch")) {
    const std::string file = entry.path().filename().string();
    if (!entry.is_regular_file() || file.find(".json") == std::string::npos) continue;
    const Profile profile = open(entry.path());
    const int64_t count = profile::python_frame_count(profile);
    if (count == 0 || count > kMostFrames) continue;
    ++files;
    const auto frames = read_frames(profile);
    ASSERT_TRUE(frames) << file << base::to_text(frames.error());
    EXPECT_EQ(static_cast<int64_t>(frames->size()), count);
    std::vector<std::string> found, expected = frames_by_json(entry.path());
    for (Row row = 0; row < frames->size(); ++row) {
      found.push_back(
          fmt::format("{} {}", path_of(*frames, row), frames->end_ns[row] - frames->start_ns[row]));
    }
    std::ranges::sort(found);
    std::ranges::sort(expected);
    EXPECT_TRUE(found == expected) << file;
    // Modules are also ranges of the profile, by the same clock.
    const profile::TraceNvtx& ranges = profile.trace->nvtx;
    std::multiset<int64_t> starts(ranges.start_ns.begin(), ranges.start_ns.end());
    for (Row row = 0; row < frames->size(); ++row) {
      if (!frames->names[frames->name[row]].starts_with("nn.Module: ")) continue;
      EXPECT_TRUE(starts.contains(frames->start_ns[row])) << file;
    }
  }
  EXPECT_GE(files, 8);
}

}  // namespace
}  // namespace dlview::import::pytorch
