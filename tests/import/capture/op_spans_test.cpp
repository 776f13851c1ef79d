#include "import/capture/op_spans.h"

#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "import/capture/thread_sweep.h"
#include "import/capture/trace_sketch.h"

namespace dlview::import::capture {
namespace {

using profile::StringId;
using profile::ThreadId;

// Ranges of four threads of two processes, nested and overlapping, with pauses in which none is
// open.
class RandomRanges {
 public:
  RandomRanges() {
    for (const ThreadId thread : {testing::thread_of(1, 1), testing::thread_of(1, 2),
                                  testing::thread_of(2, 1), testing::thread_of(2, 2)}) {
      int64_t now_ns = 0;
      for (int i = 0; i < 150; ++i) {
        add(thread, now_ns, now_ns + 1000, 0);
        // The next one begins when this one ends, later, or before.
        now_ns += 900 + below(4) * 100;
      }
    }
    trace_.nvtx.start_ns = start_ns_;
    trace_.nvtx.end_ns = end_ns_;
    trace_.nvtx.kind = std::vector(start_ns_.size(), profile::NvtxKind::push_pop_range);
    trace_.nvtx.thread = thread_;
    trace_.nvtx.text = text_;
  }

  NvtxRanges read() {
    return read_nvtx_ranges(trace_, builder_, {testing::kTables, left_out_, log_});
  }
  const profile::ProfileBuilder& builder() const { return builder_; }

 private:
  int64_t below(int64_t end) {
    return static_cast<int64_t>(random_() % static_cast<uint64_t>(end));
  }

  std::string text(ThreadId thread, int depth) {
    const std::string number = std::to_string(below(200));
    const bool is_marked = profile::process_of(thread) == testing::thread_of(2);
    switch (below(is_marked ? 7 : 5)) {
      case 0:
        return "aten::op" + std::to_string(below(5)) + ", seq = " + number;
      case 1:
        return "AddBackward0, seq = " + number;
      case 2:
        return "phase" + std::to_string(below(3 + depth));
      case 3:
        return "step " + number;
      case 4:
        return "autograd::engine::evaluate_function: MulBackward0, seq = " + number;
      case 5:
        return "{'traceMarker': ['a.py:" + number + "'], 'funcStack': '/net/op(1)'}";
      default:
        return "{'mod': 'torch', 'op': 'relu', 'args': []}";
    }
  }

  void add(ThreadId thread, int64_t start_ns, int64_t end_ns, int depth) {
    start_ns_.push_back(start_ns);
    end_ns_.push_back(end_ns);
    thread_.push_back(thread);
    text_.push_back(builder_.intern(text(thread, depth)));
    if (depth == 4) return;
    int64_t now_ns = start_ns;
    for (int64_t inner = below(4); inner > 0 && now_ns < end_ns; --inner) {
      const int64_t length_ns = below(end_ns - now_ns + 1);
      // Some end behind the range around.
      add(thread, now_ns, now_ns + length_ns + (below(20) == 0 ? 150 : 0), depth + 1);
      now_ns += length_ns;
    }
  }

  std::mt19937 random_{5};
  profile::ProfileBuilder builder_;
  profile::Trace trace_;
  std::vector<int64_t> start_ns_, end_ns_, thread_;
  std::vector<StringId> text_;
  LeftOutRows left_out_;
  QualityLog log_;
};

auto fields(const OpSpan& span) {
  return std::tuple(span.start_ns, span.stop_ns, span.thread, span.range, span.node,
                    span.trace_marker, span.seq_range, span.forward, span.is_own_time,
                    span.needs_call);
}

void expect_same(const OpSpans& spans, const OpSpans& expected,
                 const profile::ProfileBuilder& builder) {
  ASSERT_EQ(spans.spans.size(), expected.spans.size());
  for (std::size_t i = 0; i < spans.spans.size(); ++i) {
    ASSERT_EQ(fields(spans.spans[i]), fields(expected.spans[i])) << "span " << i;
  }
  ASSERT_EQ(spans.user_ranges.size(), expected.user_ranges.size());
  for (std::size_t i = 0; i < spans.user_ranges.size(); ++i) {
    const MarkedRange &got = spans.user_ranges[i], &wanted = expected.user_ranges[i];
    ASSERT_EQ(std::tuple(got.thread, got.range, got.node),
              std::tuple(wanted.thread, wanted.range, wanted.node));
  }
  ASSERT_EQ(spans.paths.size(), expected.paths.size());
  for (OpPaths::Node node = 0; node < spans.paths.size(); ++node) {
    EXPECT_TRUE(spans.paths.path(node, builder) == expected.paths.path(node, builder)) << node;
    EXPECT_EQ(spans.paths.has_inner(node), expected.paths.has_inner(node));
  }
  EXPECT_EQ(spans.left_out, expected.left_out);
  EXPECT_EQ(spans.without_path, expected.without_path);
  EXPECT_EQ(spans.marked, expected.marked);
}

TEST(OpSpans, AreTheSameInHoweverManyPartsAThreadIsGoneThrough) {
  RandomRanges random;
  const NvtxRanges ranges = random.read();
  const OpSpans expected = find_op_spans(ranges, random.builder());
  ASSERT_EQ(cut_threads(ranges, kRangesOfPart).size(), 4U);
  ASSERT_GT(expected.spans.size(), 1000U);
  for (const std::size_t ranges_of_part : {1U, 7U, 100U}) {
    ASSERT_GT(cut_threads(ranges, ranges_of_part).size(), 8U);
    expect_same(find_op_spans(ranges, random.builder(), ranges_of_part), expected,
                random.builder());
  }
}

// No part has paths that are too long; then none alone has, but all of them together.
TEST(OpSpans, AreTheSameInPartsWherePathsAreTooLong) {
  for (const std::size_t branches : {30U, 90U}) {
    profile::ProfileBuilder builder;
    profile::Trace trace;
    std::vector<int64_t> start_ns, end_ns;
    std::vector<ThreadId> threads;
    std::vector<StringId> texts;
    const auto add = [&](ThreadId thread, int64_t start, int64_t end, const std::string& text) {
      start_ns.push_back(start);
      end_ns.push_back(end);
      threads.push_back(thread);
      texts.push_back(builder.intern(text));
    };
    constexpr std::size_t kNameBytes = OpPaths::kMostBytes / 64;
    for (const ThreadId thread : {testing::thread_of(1, 1), testing::thread_of(2, 1)}) {
      for (std::size_t i = 0; i < branches; ++i) {
        const auto start = static_cast<int64_t>(i) * 1000;
        std::string name(kNameBytes, static_cast<char>('a' + i % 26));
        name += i / 26 == 0 ? "x" : i / 26 == 1 ? "y" : "z";
        add(thread, start, start + 900, "outer " + name.substr(kNameBytes - 20));
        add(thread, start + 100, start + 400, name);
        add(thread, start + 500, start + 800, "short");
      }
    }
    trace.nvtx.start_ns = start_ns;
    trace.nvtx.end_ns = end_ns;
    trace.nvtx.kind = std::vector(start_ns.size(), profile::NvtxKind::push_pop_range);
    trace.nvtx.thread = threads;
    trace.nvtx.text = texts;
    LeftOutRows left_out;
    QualityLog log;
    const NvtxRanges ranges = read_nvtx_ranges(trace, builder, {testing::kTables, left_out, log});
    const OpSpans expected = find_op_spans(ranges, builder);
    EXPECT_EQ(expected.without_path.empty(), branches == 30) << expected.without_path.size();
    for (const std::size_t ranges_of_part : {1U, 20U}) {
      expect_same(find_op_spans(ranges, builder, ranges_of_part), expected, builder);
    }
  }
}

// A part begins where all ranges before it have ended.
TEST(OpSpans, CutsThreadsOnlyWhereNoRangeIsOpen) {
  RandomRanges random;
  const NvtxRanges ranges = random.read();
  std::size_t next = 0;
  for (const ThreadPart& part : cut_threads(ranges, 1)) {
    EXPECT_EQ(part.begin, next);
    next = part.end;
    for (std::size_t i = ranges.first[part.thread]; i < part.begin; ++i) {
      ASSERT_LE(ranges.time_of(ranges.ranges[i]).stop_ns,
                ranges.time_of(ranges.ranges[part.begin]).start_ns);
    }
  }
  EXPECT_EQ(next, ranges.ranges.size());
}

}  // namespace
}  // namespace dlview::import::capture
