// Every event of a PyTorch trace that dlview keeps is somewhere on the Timeline, once. What the
// files hold is counted by Python's own reader of JSON.

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "generate/pytorch.h"
#include "import/open.h"
#include "import/pytorch/event_sketch.h"
#include "import/pytorch/python_frames.h"
#include "support/test_data.h"
#include "support/tools.h"
#include "timeline/lanes_support.h"

namespace dlview::timeline {
namespace {

namespace fs = std::filesystem;

fs::path trace_folder() {
  return *testing::test_data_folder() / "pytorch";
}

std::vector<std::string> real_traces() {
  if (!testing::test_data_folder()) return {"no test data"};
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(trace_folder())) {
    const std::string file = entry.path().filename().string();
    if (entry.is_regular_file() && file.find(".json") != std::string::npos) files.push_back(file);
  }
  std::ranges::sort(files);
  return files;
}

// X events by category; frames of an nn.Module are a "module", and what MTIA's queues record and
// wait for, which is no work, a "mark".
std::map<std::string, int64_t> count_in_file(const fs::path& file) {
  testing::TemporaryFolder folder;
  const fs::path script = folder.path() / "count.py";
  std::ofstream(script) << R"(
import collections, gzip, json, sys
path = sys.argv[1]
with (gzip.open if path.endswith('.gz') else open)(path, 'rt') as file:
    trace = json.load(file)
events = trace['traceEvents'] if isinstance(trace, dict) else trace
def category_of(event):
    category, name = event.get('cat'), event.get('name', '')
    if category == 'python_function' and name.startswith('nn.Module: '):
        return 'module'
    is_mark = category == 'mtia_ccp_events' and name in ('event_record', 'event_wait')
    return 'mark' if is_mark else category
counts = collections.Counter(category_of(event) for event in events if event.get('ph') == 'X')
for category, count in counts.items():
    print(category, count)
)";
  std::istringstream lines(testing::output_of(std::string(DLVIEW_TEST_PYTHON) + " " +
                                              script.string() + " " + file.string()));
  std::map<std::string, int64_t> counts;
  std::string category;
  for (int64_t count = 0; lines >> category >> count;) counts[category] = count;
  return counts;
}

// Boxes by what they stand for; groups that ops lie in are no events of the file.
struct Shown {
  int64_t gpu = 0, calls = 0, host = 0, frames = 0, syncs = 0, overheads = 0;
};
Shown count_shown(const Lanes& lanes) {
  Shown shown;
  for (const LaneGroup& group : lanes.groups) {
    for (const Lane& lane : group.lanes) {
      for (const Line& line : lane.lines) {
        for (std::size_t at = 0; at < line.size(); ++at) {
          const EventRef event = line[at];
          if (lane.kind == LaneKind::stream) ++shown.gpu;
          if (lane.kind == LaneKind::api_calls) ++shown.calls;
          if (lanes.events.is_recorded_range(event)) ++shown.host;
          if (event.kind == EventKind::frame) ++shown.frames;
          if (event.kind == EventKind::gpu_sync) ++shown.syncs;
          if (event.kind == EventKind::overhead) ++shown.overheads;
        }
      }
    }
  }
  return shown;
}

// Where the Timeline shows fewer calls than the file has, or more. Calls outside of ops and
// annotations that cause no GPU activity belong to no instance and are not kept: 30 times hipFree
// (ddp_resnet18), 3 times cudaStreamWaitEvent (each rank of dlrm), one cudaEventRecord
// (multi_stream), 490 of 823 calls of MTIA's runtime: of the others, 183 have the correlation of
// work and 150 lie in annotations. Calls of one thread with the same start and stop are one box
// (multi_stream). A synchronization without a call has a box of its own (cuda_sync_2026).
const std::map<std::string, int64_t> kShownCalls{
    {"hta_cuda_event_sync_multi_stream.json.gz", 37},
    {"hta_mtia_inference.json.gz", 333},
    {"kineto_test_cuda_sync_2026.pt.trace.json", 2},
    {"param_dlrm_rank0.pt.trace.json.gz", 522},
    {"param_dlrm_rank1.pt.trace.json.gz", 524},
    {"tracelens_mi300_ddp_resnet18.json.gz", 5557},
};

// Opens the file and counts all that it has. `known_calls`: what is shown of its calls.
void expect_all_shown(const fs::path& file, std::optional<int64_t> known_calls = std::nullopt) {
  std::map<std::string, int64_t> in_file = count_in_file(file);
  const auto take = [&in_file](const std::vector<std::string>& categories) {
    int64_t count = 0;
    for (const std::string& category : categories) count += std::exchange(in_file[category], 0);
    return count;
  };
  base::Progress progress;
  auto opened = import::open_profile(file, progress);
  ASSERT_TRUE(opened) << base::to_text(opened.error());
  const auto profile = std::make_shared<const profile::Profile>(*std::move(opened));
  auto lanes = testing::lanes_of(profile);
  if (profile::python_frame_count(*profile) > 0) {
    auto frames = import::pytorch::read_python_frames(*profile, progress);
    ASSERT_TRUE(frames) << base::to_text(frames.error());
    lanes = with_python_frames(*lanes,
                               std::make_shared<const profile::PythonFrames>(*std::move(frames)));
  }
  const Shown shown = count_shown(*lanes);
  EXPECT_EQ(shown.gpu, take({"kernel", "Kernel", "gpu_memcpy", "Memcpy", "gpu_memset", "Memset",
                             "mtia_ccp_events"}));
  const int64_t calls = take({"cuda_runtime", "Runtime", "cuda_driver", "mtia_runtime"});
  EXPECT_EQ(shown.calls, known_calls.value_or(calls));
  EXPECT_EQ(shown.frames, take({"python_function"}));
  EXPECT_EQ(shown.syncs, take({"cuda_sync", "mark"}));
  EXPECT_EQ(shown.overheads, take({"overhead"}));
  // Not shown (docs/dev/formats.md 16): marks of the profiler, and what repeats other events.
  take({"Trace", "gpu_user_annotation"});
  int64_t host = 0;
  for (const auto& [category, count] : in_file) host += count;
  EXPECT_EQ(shown.host, host);
}

class ShownEvents : public ::testing::TestWithParam<std::string> {};

TEST_P(ShownEvents, AreThoseOfTheFile) {
  DLVIEW_REQUIRE_TEST_DATA();
  const auto known = kShownCalls.find(GetParam());
  expect_all_shown(trace_folder() / GetParam(),
                   known == kShownCalls.end() ? std::nullopt : std::optional(known->second));
}

// No real trace at hand has overhead.
TEST(ShownEventsOfASyntheticTrace, AreThoseOfTheFile) {
  const testing::TemporaryFolder folder;
  const fs::path file = folder.path() / "trace.json";
  base::Progress progress;
  generate::PytorchOptions options;
  options.kernels = 800;
  options.with_stack = options.sync_events = options.counters = true;
  const auto truth = generate::generate_pytorch(file, options, progress);
  ASSERT_TRUE(truth) << base::to_text(truth.error());
  EXPECT_FALSE(truth->syncs.empty() || truth->overheads.empty());
  expect_all_shown(file);
}

// As kernels do under programmatic dependent launch.
TEST(OverlapOnAStream, HasLinesOfItsOwn) {
  testing::EventSketch sketch;
  sketch.op("aten::mm", 0, 100);
  for (int64_t i = 0; i < 3; ++i) {
    sketch.call("cudaLaunchKernel", 10 * i, 10 * i + 5, i + 1);
    sketch.kernel("k" + std::to_string(i), 200 + 40 * i, 250 + 40 * i, i + 1);
  }
  const auto lanes =
      testing::lanes_of(std::make_shared<const profile::Profile>(std::move(sketch).finish()));
  const Lane& stream = lanes->groups[0].lanes.back();
  ASSERT_EQ(stream.kind, LaneKind::stream);
  ASSERT_EQ(stream.lines.size(), 2U);
  EXPECT_EQ(stream.lines[0].size(), 2U);
  EXPECT_EQ(lanes->events.name(stream.lines[1][0]), "k1");
  EXPECT_EQ(lanes->events.time(stream.lines[1][0]), (base::Interval{240, 290}));
}

INSTANTIATE_TEST_SUITE_P(RealTraces, ShownEvents, ::testing::ValuesIn(real_traces()),
                         [](const auto& trace) {
                           std::string name = trace.param;
                           std::ranges::replace_if(
                               name, [](char letter) { return !std::isalnum(letter); }, '_');
                           return name;
                         });

}  // namespace
}  // namespace dlview::timeline
