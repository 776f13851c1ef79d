#include "import/capture/nvtx_ranges.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "import/capture/trace_sketch.h"
#include "import/times.h"

namespace dlview::import::capture {
namespace {

using profile::Row;
using profile::ThreadId;

// Ranges of these lengths, one after the other on one thread, and what is said of them.
struct Ranges {
  explicit Ranges(std::vector<int64_t> lengths_ns) {
    const std::size_t count = lengths_ns.size();
    trace.nvtx.start_ns = std::vector<int64_t>(count, 0);
    trace.nvtx.end_ns = lengths_ns;
    trace.nvtx.kind = std::vector(count, profile::NvtxKind::push_pop_range);
    trace.nvtx.thread = std::vector<ThreadId>(count, testing::thread_of(1, 1));
    trace.nvtx.text = std::vector<profile::StringId>(count, builder.intern("step"));
    ranges = read_nvtx_ranges(trace, builder, {testing::kTables, left_out, log}).ranges;
  }

  profile::ProfileBuilder builder;
  profile::Trace trace;
  LeftOutRows left_out;
  QualityLog log;
  base::UntouchedVector<NvtxRange> ranges;
};

// One row after the other, as far as the time of all accepted ones can be counted.
std::vector<Row> rows_in_budget(const std::vector<int64_t>& lengths_ns) {
  TimeBudget budget(0);
  std::vector<Row> rows;
  for (Row row = 0; row < lengths_ns.size(); ++row) {
    if (budget.add_cpu({0, lengths_ns[row]})) rows.push_back(row);
  }
  return rows;
}

void expect_in_budget(const std::vector<int64_t>& lengths_ns) {
  Ranges read(lengths_ns);
  const std::vector<Row> expected = rows_in_budget(lengths_ns);
  std::vector<Row> rows;
  for (const NvtxRange& range : read.ranges) rows.push_back(range.row);
  std::ranges::sort(rows);
  EXPECT_EQ(rows, expected);
  const auto notes = std::move(read.log).finish();
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0].reason, kTooMuchTime);
  EXPECT_EQ(notes[0].rows, static_cast<int64_t>(lengths_ns.size() - expected.size()));
}

// Ranges that come later and are short enough still count.
TEST(NvtxRanges, WithMoreTimeThanCanBeCountedAreLeftOut) {
  std::vector<int64_t> lengths_ns(1'100, kLatestNs);
  lengths_ns.push_back(17);
  expect_in_budget(lengths_ns);
}

// Each of the blocks of 65 536 ranges that are read at once fits, all of them do not.
TEST(NvtxRanges, WithMoreTimeThanCanBeCountedInAllBlocksAreLeftOut) {
  expect_in_budget(std::vector<int64_t>(200'000, kLatestNs / 180));
}

}  // namespace
}  // namespace dlview::import::capture
