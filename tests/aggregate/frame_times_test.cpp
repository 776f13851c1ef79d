#include "aggregate/frame_times.h"

#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "import/pytorch/event_sketch.h"
#include "support/python_frames_sketch.h"
#include "support/sketched_run.h"

namespace dlview::aggregate {
namespace {

using profile::kNoRow;
using profile::Row;
using testing::EventSketch;

// The obvious way: looks at each ns, and at all frames for each kernel.
int64_t slow_self_ns(const profile::PythonFrames& frames, Row row) {
  int64_t self_ns = 0;
  for (int64_t ns = frames.start_ns[row]; ns < frames.end_ns[row]; ++ns) {
    bool is_called = false;
    for (Row other = 0; other < frames.size() && !is_called; ++other) {
      is_called =
          frames.caller[other] == row && frames.start_ns[other] <= ns && ns < frames.end_ns[other];
    }
    self_ns += is_called ? 0 : 1;
  }
  return self_ns;
}

std::vector<int64_t> slow_gpu_ns(const profile::Profile& profile,
                                 const profile::PythonFrames& frames) {
  std::vector<int64_t> gpu_ns(frames.size());
  const profile::Kernels& kernels = profile.kernels;
  for (profile::KernelIndex kernel{0}; kernel < kernels.size(); ++kernel) {
    const profile::Thread thread = profile.threads[profile.launches.thread[kernels.launch[kernel]]];
    Row open = kNoRow;
    for (Row row = 0; row < frames.size(); ++row) {
      const bool is_open = frames.start_ns[row] <= kernels.api_start_ns[kernel] &&
                           kernels.api_start_ns[kernel] <= frames.end_ns[row];
      if (!is_open || !(frames.threads[frames.thread[row]] == thread)) continue;
      if (open == kNoRow || frames.start_ns[row] >= frames.start_ns[open]) open = row;
    }
    for (Row row = open; row != kNoRow; row = frames.caller[row]) {
      gpu_ns[row] += kernels.gpu_stop_ns[kernel] - kernels.gpu_start_ns[kernel];
    }
  }
  return gpu_ns;
}

TEST(FrameTimes, EqualTheObviousWay) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    std::mt19937 random(seed);
    const auto upto = [&random](int64_t most) {
      return static_cast<int64_t>(random() % static_cast<unsigned>(most));
    };
    EventSketch sketch;
    for (const uint32_t thread : {EventSketch::kMain, EventSketch::kAutograd}) {
      sketch.op("aten::add", 0, 1000, thread);
      for (int i = 0; i < 20; ++i) sketch.launch("k", 5 + upto(980), thread);
    }
    const testing::SketchedRun run(std::move(sketch));
    testing::FrameSketch sketched({{100, 100}, {100, 102}});
    for (Row row = 0; row < 60; ++row) {
      const auto thread = static_cast<Row>(row % 2);
      // Callers that are no longer open are part of it.
      const auto caller = row < 2 || upto(5) == 0
                              ? kNoRow
                              : static_cast<Row>(2 * upto((row - thread) / 2) + thread);
      const int64_t start = upto(1000);
      sketched.frame("f", start, start + upto(row < 10 ? 900 : 80), caller, thread);
    }
    const profile::PythonFrames frames = std::move(sketched).finish();
    const FrameTimes times = frame_times(run.profile(), frames, FramesByThread(frames));
    const std::vector<int64_t> gpu_ns = slow_gpu_ns(run.profile(), frames);
    int64_t all_gpu_ns = 0;
    for (Row row = 0; row < frames.size(); ++row) {
      EXPECT_EQ(times.self_ns[row], slow_self_ns(frames, row)) << seed << " " << row;
      EXPECT_EQ(times.gpu_ns[row], gpu_ns[row]) << seed << " " << row;
      all_gpu_ns += gpu_ns[row];
    }
    EXPECT_GT(all_gpu_ns, 0);
  }
}

}  // namespace
}  // namespace dlview::aggregate
