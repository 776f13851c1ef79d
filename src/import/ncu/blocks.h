// A part of a table of Nsight Compute, read on one thread. Texts are views into the window of the
// file, names of metrics have numbers of the block.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "import/ncu/csv.h"
#include "import/ncu/numbers.h"
#include "profile/counters.h"

namespace dlview::import::ncu {

// Messages about rows; those of further ones are only counted.
inline constexpr std::size_t kMostMessages = 100;

struct BlockMetric {
  profile::CounterMetric metric;
  double factor = 1;         // of values in the unit of the file
  bool is_duration = false;  // of the launch, in ns
};

struct MetricHash {
  std::size_t operator()(const profile::CounterMetric& metric) const {
    const std::hash<std::string_view> hash;
    return hash(metric.section) ^ (hash(metric.name) * 3) ^ (hash(metric.unit) * 7);
  }
};

struct BlockLaunch {
  std::string_view key;  // the cells that name it, as they are in the file
  const char* place = nullptr;
  int64_t line = 0;  // within the block, from 0
  Cell process, host, kernel, range, domain, push_pop;
  int64_t id = 0, process_id = 0, invocations = 1;
  std::optional<int64_t> context, stream, device;
  std::optional<int32_t> cc_major, cc_minor;
  std::optional<profile::Dim3> grid, block;
  std::size_t first_value = 0;
};

struct BlockValue {
  static constexpr uint32_t kDropped = UINT32_MAX;
  uint32_t metric = 0;
  uint32_t text = 0;  // in Block::texts, 0 = none
  double value = profile::CounterValue::kNone;
};

// A value whose separator the style of the file decides.
struct OpenValue {
  std::size_t value = 0;
  uint8_t which = 0;  // 0 value, 1 minimum, 2 maximum
  OpenSeparator separator = OpenSeparator::none;
  double digits = 0, factor = 1;
};

struct BlockMessage {
  const char* place = nullptr;
  profile::CounterMessage message;  // the line within the block, from 0
};

struct Block {
  const char* begin = nullptr;
  const char* limit = nullptr;  // rows begin before it
  const char* end = nullptr;    // of the rows that were read
  bool at_header = false;       // the next line is another header
  UnclosedQuote unclosed;       // of the text before, then of the block
  std::vector<BlockLaunch> launches;
  std::deque<std::string> keys;  // of launches whose cells do not stand together
  std::vector<BlockValue> values;
  std::vector<std::pair<double, double>> ranges;  // minimum and maximum, of a summary, by value
  std::vector<BlockMetric> metrics;
  std::vector<std::string_view> texts;
  std::vector<profile::CounterRule> rules;  // the launch is that of the block
  std::vector<OpenValue> open;
  std::vector<BlockMessage> messages;
  int64_t messages_left_out = 0;
  StyleVotes votes;
  int64_t lines = 0;  // line ends in [begin, end)
};

// What reading a block needs to know.
struct TableContext {
  const TableShape* shape = nullptr;
  std::vector<BaseUnit> raw_units;  // of the raw page, by column
  StyleSet styles = kAllStyles;     // that are possible after the text before
  bool is_quoted = true;
};

// Reads rows from block.begin, or from the first line after it that begins as a row if `guess`.
// `end`: of the text that is in memory; `is_end`: of the file.
void read_block(const TableContext& context, Block& block, const char* end, bool is_end);

// The first line at or after `at` that may be a row; `end` if there is none.
const char* first_row(const TableContext& context, const char* at, const char* end);

}  // namespace dlview::import::ncu
