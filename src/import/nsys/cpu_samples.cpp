#include "import/nsys/cpu_samples.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/stop_point.h"
#include "import/capture/trace_rows.h"

namespace dlview::import::nsys {
namespace {

using profile::Column;
using profile::kNoRow;
using profile::kNoText;
using profile::kNoValue;
using profile::Row;
using profile::StringId;

// Rows of SAMPLING_CALLCHAINS. Depth 0 is the innermost function.
struct StackRows {
  Column<int64_t> sample;  // COMPOSITE_EVENTS.id
  Column<int32_t> depth;
  Column<StringId> symbol, module;
  std::size_t size() const { return sample.size(); }
};

base::Status read_stacks(Context& context, StackRows& rows) {
  const ColumnSpec columns[] = {{"id", &rows.sample},
                                {"stackDepth", &rows.depth},
                                {"symbol", StringIdsColumn{&rows.symbol}},
                                {"module", StringIdsColumn{&rows.module}}};
  return read_rows(context, {"SAMPLING_CALLCHAINS", "Reading call stacks"}, columns);
}

// Row numbers, each sample's together, its outermost function first. nsys writes the innermost
// first.
std::vector<Row> from_outermost(const StackRows& rows) {
  std::vector<Row> order(rows.size());
  std::iota(order.begin(), order.end(), Row{0});
  const auto place = [&rows](Row row) { return std::pair(rows.sample[row], rows.depth[row]); };
  if (!std::ranges::is_sorted(order, {}, place)) std::ranges::sort(order, {}, place);
  for (auto begin = order.begin(); begin != order.end();) {
    const int64_t sample = rows.sample[*begin];
    const auto end =
        std::find_if(begin, order.end(), [&](Row row) { return rows.sample[row] != sample; });
    std::reverse(begin, end);
    begin = end;
  }
  return order;
}

// An address that stands for a function without a symbol: "0x7f3dd181104d".
bool is_address(std::string_view symbol) {
  return symbol.starts_with("0x") &&
         symbol.find_first_not_of("0123456789abcdefABCDEF", 2) == std::string_view::npos;
}

// Says that the stack above is not known: "[Broken backtraces]", "[Max depth]", 0x0 in "[Unknown]".
bool is_placeholder(std::string_view symbol, std::string_view module) {
  return symbol.starts_with('[') ? symbol == module : symbol == "0x0" && module.starts_with('[');
}

struct FrameKey {
  Row caller = kNoRow;
  StringId function = kNoText, module = kNoText;
  bool operator==(const FrameKey&) const = default;
};
struct FrameKeyHash {
  std::size_t operator()(const FrameKey& key) const {
    constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
    const uint64_t upper = (uint64_t{key.caller} << 32U | key.function) * kOdd;
    return static_cast<std::size_t>((upper ^ upper >> 32U ^ key.module) * kOdd >> 8U);
  }
};

class FrameTree {
 public:
  Row frame(const FrameKey& key) {
    const auto [entry, is_new] = rows_.try_emplace(key, static_cast<Row>(caller_.size()));
    if (is_new) {
      caller_.push_back(key.caller);
      function_.push_back(key.function);
      module_.push_back(key.module);
    }
    return entry->second;
  }
  profile::TraceFrames finish() && {
    return {std::move(caller_), std::move(function_), std::move(module_)};
  }

 private:
  std::unordered_map<FrameKey, Row, FrameKeyHash> rows_;
  std::vector<Row> caller_;
  std::vector<StringId> function_, module_;
};

// The innermost frame of each sample that has any, by the sample's id.
std::unordered_map<int64_t, Row> add_stacks(const StackRows& rows,
                                            const profile::ProfileBuilder& builder,
                                            FrameTree& tree) {
  std::unordered_map<int64_t, Row> innermost;
  const auto text = [&builder](StringId id) {
    return id == kNoText ? std::string_view() : builder.text(id);
  };
  std::size_t done = 0;
  for (const Row row : from_outermost(rows)) {
    if (++done % capture::kRowsAtOnce == 0) base::stop_point();
    const StringId module = capture::value_or(rows.module, row, kNoText);
    StringId function = capture::value_or(rows.symbol, row, kNoText);
    if (is_placeholder(text(function), text(module))) continue;
    if (is_address(text(function))) function = kNoText;
    Row& frame = innermost.try_emplace(rows.sample[row], kNoRow).first->second;
    frame = tree.frame({frame, function, module});
  }
  return innermost;
}

}  // namespace

base::Status read_cpu_samples(Context& context, profile::Trace& trace) {
  profile::TraceSamples& samples = trace.samples;
  Column<int64_t> id;
  const ColumnSpec columns[] = {
      {"id", &id}, {"globalTid", &samples.thread}, {"cpuCycles", &samples.cycles}};
  const EventTable table{"COMPOSITE_EVENTS", "Reading CPU samples"};
  DLVIEW_TRY(read_instants(context, table, samples.time_ns, columns));
  std::vector<Row> frame(samples.size(), kNoRow);
  StackRows stacks;
  DLVIEW_TRY(read_stacks(context, stacks));
  const bool have_stacks = !id.empty() && !stacks.sample.empty() && !stacks.depth.empty();
  if (have_stacks) {
    FrameTree tree;
    const std::unordered_map<int64_t, Row> innermost = add_stacks(stacks, context.builder, tree);
    for (Row row = 0; row < samples.size(); ++row) {
      if (const auto found = innermost.find(id[row]); found != innermost.end()) {
        frame[row] = found->second;
      }
    }
    trace.frames = std::move(tree).finish();
  }
  samples.frame = std::move(frame);
  return base::Success{};
}

}  // namespace dlview::import::nsys
