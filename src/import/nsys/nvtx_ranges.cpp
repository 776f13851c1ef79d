#include "import/nsys/nvtx_ranges.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/parallel.h"
#include "base/sort_runs.h"
#include "import/nsys/thread_groups.h"
#include "import/nsys/trace_values.h"
#include "import/times.h"
#include "profile/nvtx_domain_names.h"

namespace dlview::import::nsys {
namespace {

using profile::GlobalId;
using profile::kNoText;
using profile::kNoValue;
using profile::Row;
using profile::StringId;
using profile::Trace;

constexpr int16_t kPushPop = 59, kStartEnd = 60;

// Looks up domains, most often the one that the row before had.
class Domains {
 public:
  explicit Domains(const Trace& trace) : trace_(trace), names_(trace.nvtx_domains) {}

  DomainKind kind_of(Row row) {
    const Id id{profile::process_of(value_or(trace_.nvtx.thread, row, kNoValue)),
                value_or(trace_.nvtx.domain, row, int64_t{0})};
    if (id != last_) {
      last_ = id;
      last_kind_ = kind_of_domain(names_.find(id.first, id.second));
    }
    return last_kind_;
  }

 private:
  using Id = std::pair<GlobalId, int64_t>;

  const Trace& trace_;
  const profile::NvtxDomainNames names_;
  Id last_{kNoValue, kNoValue};
  DomainKind last_kind_ = DomainKind::other;
};

// Texts with a number, by that of their facts.
using CountedTexts = std::unordered_map<uint32_t, RangeFactsReader::Counted>;

// Names whose numbers do not count: "foo 1", "foo 2", ... count when on every thread each number is
// larger than the one before.
std::unordered_set<StringId> uncounted_names(const NvtxRanges& ranges,
                                             const CountedTexts& counted) {
  std::unordered_set<StringId> names;
  if (counted.empty()) return names;
  for (std::size_t thread = 0; thread < ranges.threads.size(); ++thread) {
    std::unordered_map<StringId, int64_t> last;
    for (std::size_t i = ranges.first[thread]; i < ranges.first[thread + 1]; ++i) {
      const RangeFacts& facts = ranges.facts_of(ranges.ranges[i]);
      if (facts.number == kNoValue) continue;
      const StringId name = counted.at(ranges.ranges[i].facts).name;
      const auto [before, added] = last.emplace(name, facts.number);
      if (!added && facts.number <= before->second) names.insert(name);
      before->second = facts.number;
    }
  }
  return names;
}

// Takes numbers off the names that count and away from those that do not.
void set_numbers(NvtxRanges& ranges, const CountedTexts& counted) {
  const std::unordered_set<StringId> uncounted = uncounted_names(ranges, counted);
  using Meaning = NumberedName::Meaning;
  for (const auto& [number, text] : counted) {
    RangeFacts& facts = ranges.facts[number];
    if (text.meaning == Meaning::counts ||
        (text.meaning == Meaning::unknown && !uncounted.contains(text.name))) {
      facts.name = text.name;
    } else {
      facts.number = kNoValue;
    }
  }
}

int64_t last_of(const profile::Column<int64_t>& times_ns) {
  int64_t last_ns = 0;
  for (const int64_t time_ns : times_ns) {
    if (time_ns <= kLatestNs) last_ns = std::max(last_ns, time_ns);
  }
  return last_ns;
}

// The last instant of which the capture tells.
int64_t end_of(const Trace& trace) {
  return std::max({last_of(trace.nvtx.start_ns), last_of(trace.nvtx.end_ns),
                   last_of(trace.api_calls.end_ns), last_of(trace.kernels.end_ns),
                   last_of(trace.memcpys.end_ns), last_of(trace.memsets.end_ns),
                   last_of(trace.graph_launches.end_ns), last_of(trace.syncs.end_ns)});
}

// The id behind the largest one.
std::size_t end_of_texts(const profile::Column<StringId>& texts) {
  std::size_t end = 0;
  for (const StringId text : texts) {
    if (text != kNoText) end = std::max(end, std::size_t{text} + 1);
  }
  return end;
}

// Ranges of both tables under one numbering of rows.
class Reader {
 public:
  Reader(const Trace& trace, profile::ProfileBuilder& builder, const TraceNotes& notes)
      : trace_(trace),
        builder_(builder),
        notes_(notes),
        nvtx_rows_(static_cast<Row>(trace.nvtx.size())),
        last_ns_(end_of(trace)),
        unnamed_(builder.intern("unnamed range")) {}

  NvtxRanges read();

 private:
  bool is_nvtx(Row row) const { return row < nvtx_rows_; }
  bool is_range(Row row) const;
  base::Interval time_of(Row row) const;
  GlobalId thread_of(Row row) const;
  StringId text_of(Row row) const;
  std::vector<Row> usable_rows();
  std::vector<NvtxRange> ranges_of(const std::vector<Row>& rows, RangeFactsReader& texts) const;

  const Trace& trace_;
  profile::ProfileBuilder& builder_;
  const TraceNotes notes_;
  const Row nvtx_rows_;
  const int64_t last_ns_;
  const StringId unnamed_;
};

bool Reader::is_range(Row row) const {
  if (!is_nvtx(row)) return trace_.mpi_calls.name[row - nvtx_rows_] != kNoText;
  const int16_t type = trace_.nvtx.event_type[row];
  return type == kPushPop || type == kStartEnd;
}

base::Interval Reader::time_of(Row row) const {
  if (!is_nvtx(row)) {
    const profile::TraceCalls& calls = trace_.mpi_calls;
    return {calls.start_ns[row - nvtx_rows_], calls.end_ns[row - nvtx_rows_]};
  }
  const int64_t stop_ns = value_or(trace_.nvtx.end_ns, row, kNoValue);
  return {trace_.nvtx.start_ns[row], stop_ns == kNoValue ? last_ns_ : stop_ns};
}

GlobalId Reader::thread_of(Row row) const {
  return is_nvtx(row) ? value_or(trace_.nvtx.thread, row, kNoValue)
                      : trace_.mpi_calls.thread[row - nvtx_rows_];
}

StringId Reader::text_of(Row row) const {
  if (!is_nvtx(row)) return trace_.mpi_calls.name[row - nvtx_rows_];
  const StringId text = value_or(trace_.nvtx.text, row, kNoText);
  return text == kNoText ? unnamed_ : text;
}

std::vector<Row> Reader::usable_rows() {
  TimeBudget budget(builder_.device_count());
  std::vector<Row> rows;
  const auto end = static_cast<Row>(nvtx_rows_ + trace_.mpi_calls.size());
  rows.reserve(end);
  for (Row row = 0; row < end; ++row) {
    if (!is_range(row)) continue;
    const base::Interval time = time_of(row);
    const char* problem = time_problem(time.start_ns, time.stop_ns);
    if (problem == nullptr && !budget.add_cpu(time)) problem = kTooMuchTime;
    if (problem == nullptr) {
      rows.push_back(row);
      continue;
    }
    const RangeSource source = source_of(trace_, notes_.left_out, {.row = row});
    notes_.log.add(source.table, problem, source.row, [&] {
      return std::string(builder_.text(text_of(row))) + " from " + std::to_string(time.start_ns) +
             " ns";
    });
  }
  return rows;
}

std::vector<NvtxRange> Reader::ranges_of(const std::vector<Row>& rows,
                                         RangeFactsReader& texts) const {
  Domains domains(trace_);
  std::vector<NvtxRange> ranges;
  ranges.reserve(rows.size());
  for (const Row row : rows) {
    const base::Interval time = time_of(row);
    const DomainKind domain = is_nvtx(row) ? domains.kind_of(row) : DomainKind::library;
    ranges.push_back({.start_ns = time.start_ns,
                      .stop_ns = time.stop_ns,
                      .facts = texts.ask(text_of(row), domain),
                      .row = row});
  }
  return ranges;
}

NvtxRanges Reader::read() {
  ThreadGroups groups = group_by_thread(usable_rows(), [this](Row row) { return thread_of(row); });
  RangeFactsReader texts(end_of_texts(trace_.nvtx.text));
  NvtxRanges result{.ranges = ranges_of(groups.rows, texts),
                    .threads = std::move(groups.threads),
                    .first = std::move(groups.first),
                    .facts = {}};
  auto [facts, counted] = texts.read(builder_);
  result.facts = std::move(facts);
  base::parallel_for(result.threads.size(), 1, [&result](std::size_t begin, std::size_t end) {
    for (std::size_t thread = begin; thread < end; ++thread) {
      const std::size_t first = result.first[thread];
      base::sort_runs(std::span(result.ranges).subspan(first, result.first[thread + 1] - first),
                      [](const NvtxRange& a, const NvtxRange& b) {
                        return a.start_ns != b.start_ns ? a.start_ns < b.start_ns
                                                        : a.stop_ns > b.stop_ns;
                      });
    }
  });
  set_numbers(result, counted);
  return result;
}

}  // namespace

NvtxRanges read_nvtx_ranges(const Trace& trace, profile::ProfileBuilder& builder,
                            const TraceNotes& notes) {
  return Reader(trace, builder, notes).read();
}

RangeSource source_of(const Trace& trace, const LeftOutRows& left_out, const NvtxRange& range) {
  const std::size_t nvtx_rows = trace.nvtx.size();
  if (range.row < nvtx_rows) {
    return {"NVTX_EVENTS", value_or(trace.nvtx.source_row, range.row, int64_t{range.row} + 1)};
  }
  const std::size_t row = range.row - nvtx_rows;
  const auto& tables = trace.mpi_calls.tables;
  const auto next = std::ranges::upper_bound(tables, row, {}, &profile::TraceCalls::Table::first);
  const profile::TraceCalls::Table& table = *std::prev(next);
  return {table.name, left_out.number_of(table.name, row - table.first)};
}

}  // namespace dlview::import::nsys
