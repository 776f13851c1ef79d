// nvtx_kern_sum's figures against pairs of ranges and kernels that are looked at one by one.

#include "report/nsys/kernels_in_ranges.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/nsys/cells.h"
#include "report/nsys/trace_sketch.h"

namespace dlview::report::nsys {
namespace {

using profile::Profile;
using ::testing::ElementsAreArray;
using testing::thread_of;
using testing::TraceSketch;

// Range name and style, thread, kernel, then both counts, and count, sum, least, most and median.
using Row = std::tuple<int64_t, int64_t, int64_t, std::string, int64_t, int64_t, int64_t, int64_t,
                       int64_t, int64_t, double>;

struct Pairs {
  std::set<std::size_t> ranges, kernels;
  std::vector<int64_t> durations;
};

std::vector<Row> pair_by_pair(const Input& input, const RangeNames& names) {
  constexpr int64_t kNone = KernelsInRanges::kNone;
  const profile::Trace& trace = input.trace();
  const profile::TraceKernels& kernels = trace.kernels;
  const profile::TraceApiCalls& calls = trace.api_calls;
  const std::vector<int64_t> ends = range_ends(trace.nvtx);
  std::map<std::tuple<int64_t, int64_t, int64_t, std::string>, Pairs> found;
  for (const std::size_t kernel : input.rows(kernels)) {
    const auto add = [&](int64_t name, int64_t style, int64_t thread) -> Pairs& {
      const std::string text(text_of(input.profile, kernels.demangled_name[kernel]));
      Pairs& pairs = found[{name, style, thread, text}];
      pairs.kernels.insert(kernel);
      pairs.durations.push_back(kernels.end_ns[kernel] - kernels.start_ns[kernel]);
      return pairs;
    };
    bool has_call = false;
    for (std::size_t call = 0; call < calls.size(); ++call) {
      if (calls.correlation[call] != kernels.correlation[kernel]) continue;
      has_call = true;
      bool is_in_range = false;
      for (std::size_t range = 0; range < trace.nvtx.size(); ++range) {
        if (trace.nvtx.thread[range] != calls.thread[call] ||
            trace.nvtx.start_ns[range] > calls.start_ns[call] || ends[range] < calls.end_ns[call] ||
            !input.counts(trace.nvtx.start_ns[range])) {
          continue;
        }
        is_in_range = true;
        add(names.id(range), static_cast<int64_t>(trace.nvtx.kind[range]), calls.thread[call])
            .ranges.insert(range);
      }
      if (!is_in_range) add(kNone, kNone, calls.thread[call]);
    }
    if (!has_call) add(kNone, kNone, kNone);
  }
  std::vector<Row> rows;
  for (auto& [key, pairs] : found) {
    const auto& [name, style, thread, kernel] = key;
    std::vector<int64_t>& times = pairs.durations;
    std::ranges::sort(times);
    int64_t sum = 0;
    for (const int64_t time : times) sum += time;
    const auto at = [&times](std::size_t i) { return static_cast<double>(times[i]); };
    rows.emplace_back(name, style, thread, kernel, pairs.ranges.size(), pairs.kernels.size(),
                      times.size(), sum, times.front(), times.back(),
                      (at((times.size() - 1) / 2) + at(times.size() / 2)) / 2);
  }
  return rows;
}

std::vector<Row> gathered(const Input& input, const RangeNames& names) {
  std::vector<Row> rows;
  for (const KernelsInRanges& of : gather_kernels_in_ranges(input, names)) {
    const aggregate::Stats& times = of.times.stats;
    rows.emplace_back(of.range_name, of.kind, of.thread, text_of(input.profile, of.kernel_name),
                      of.range_count, of.kernel_count, times.count, times.sum, times.min, times.max,
                      of.times.median);
  }
  std::ranges::sort(rows);
  return rows;
}

// Ranges of few names on two threads that overlap in any way, many of them never closed; calls that
// overlap, and kernels with several calls or none.
Profile random_profile(int seed) {
  std::mt19937 random(static_cast<unsigned>(seed));
  const auto number = [&random](int64_t below) {
    return std::uniform_int_distribution<int64_t>(0, below - 1)(random);
  };
  TraceSketch sketch;
  const char* texts[] = {"a", "b", "c"};
  for (int i = 0; i < 60; ++i) {
    const int64_t start = number(300);
    sketch.range(
        texts[number(3)], start,
        number(3) == 0 ? profile::kNoValue : start + number(1 + number(200)),
        number(3) == 0 ? profile::NvtxKind::start_end_range : profile::NvtxKind::push_pop_range, 0,
        thread_of(7, 1 + number(2)));
  }
  for (int i = 0; i < 150; ++i) {
    const int64_t start = number(300);
    sketch.call("c", start, start + number(number(4) == 0 ? 100 : 5), 1 + number(80),
                thread_of(7, 1 + number(3)));
  }
  const char* kernels[] = {"k", "l", "m", "n"};
  for (int i = 0; i < 80; ++i) {
    sketch.kernel(kernels[number(4)], 1000 + i, 1000 + i + number(20), 1 + i);
  }
  return sketch.finish();
}

TEST(KernelsInRanges, AreThoseOfAllPairsOfRangesAndKernels) {
  for (int seed = 0; seed < 40; ++seed) {
    const Profile profile = random_profile(seed);
    const RangeNames names(profile);
    for (const Input& input : {Input{profile}, Input{profile, Window{100, 220}}}) {
      EXPECT_THAT(gathered(input, names), ElementsAreArray(pair_by_pair(input, names))) << seed;
    }
  }
}

// Two thousand million pairs.
TEST(KernelsInRanges, ThatAreNeverClosedAreNotPairedOneByOne) {
  constexpr int64_t kCount = 65'536;
  TraceSketch sketch;
  for (int64_t i = 0; i < kCount; ++i) {
    sketch.range("leak", 100 * i, profile::kNoValue, profile::NvtxKind::start_end_range);
    sketch.call("c", 100 * i + 20, 100 * i + 30, i + 1);
    sketch.kernel("k", 100 * i + 40, 100 * i + (i % 2 == 0 ? 50 : 70), i + 1);
  }
  sketch.range("last", 0, 100 * kCount, profile::NvtxKind::start_end_range, 0, thread_of(7, 9));
  const Profile profile = sketch.finish();
  const auto rows = gather_kernels_in_ranges({profile}, RangeNames(profile));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].range_count, kCount);
  EXPECT_EQ(rows[0].kernel_count, kCount);
  // The even kernels take 10 ns and are in 1, 3, 5, ... ranges; the odd ones 30 ns, in 2, 4, ...
  constexpr int64_t kHalf = kCount / 2;
  EXPECT_EQ(rows[0].times.stats,
            (aggregate::Stats{kCount * (kCount + 1) / 2,
                              10 * kHalf * kHalf + 30 * kHalf * (kHalf + 1), 10, 30}));
  EXPECT_EQ(rows[0].times.median, 30);
  EXPECT_NEAR(rows[0].times.standard_deviation, 10, 1e-3);
}

TEST(FiguresOfRepeatedValues, AreThoseOfTheValuesWrittenOut) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<Repeated> repeated;
    std::vector<int64_t> values;
    for (unsigned i = 0, count = 1 + random() % 9; i < count; ++i) {
      repeated.push_back(
          {static_cast<int64_t>(random() % 50), 1 + static_cast<int64_t>(random() % 4)});
      values.insert(values.end(), static_cast<std::size_t>(repeated.back().count),
                    repeated.back().value);
    }
    const Figures expected = figures_of(values), figures = figures_of(repeated);
    EXPECT_EQ(figures.stats, expected.stats);
    EXPECT_EQ(figures.median, expected.median);
    EXPECT_NEAR(figures.standard_deviation, expected.standard_deviation, 1e-9);
  }
}

}  // namespace
}  // namespace dlview::report::nsys
