#include "import/capture/nvtx_ranges.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/blocks.h"
#include "base/parallel.h"
#include "base/sort_runs.h"
#include "import/capture/trace_rows.h"
#include "import/times.h"
#include "profile/kinds.h"
#include "profile/nvtx_domain_names.h"
#include "profile/thread_groups.h"

namespace dlview::import::capture {
namespace {

using profile::kNoText;
using profile::kNoValue;
using profile::Row;
using profile::StringId;
using profile::ThreadId;
using profile::Trace;

// The kind of a row's domain, most often that of the row before.
class Domains {
 public:
  // Both must outlive the object.
  Domains(const Trace& trace, const profile::NvtxDomainNames& names)
      : trace_(&trace), names_(&names) {}

  DomainKind kind_of(Row row) {
    const Id id{profile::process_of(value_or(trace_->nvtx.thread, row, kNoValue)),
                value_or(trace_->nvtx.domain, row, int64_t{0})};
    if (id != last_) {
      last_ = id;
      last_kind_ = kind_of_domain(names_->find(id.first, id.second));
    }
    return last_kind_;
  }

 private:
  using Id = std::pair<ThreadId, int64_t>;

  const Trace* trace_;
  const profile::NvtxDomainNames* names_;
  Id last_{kNoValue, kNoValue};
  DomainKind last_kind_ = DomainKind::other;
};

// The largest value of 0 and what value(i) returns.
template <typename Value>
int64_t largest(std::size_t count, const Value& value) {
  base::Blocks<int64_t> blocks(count, kRowsAtOnce);
  blocks.for_each([&](int64_t& most, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) most = std::max(most, int64_t{value(i)});
  });
  int64_t most = 0;
  for (const int64_t of_block : blocks.states()) most = std::max(most, of_block);
  return most;
}

int64_t last_of(const profile::Column<int64_t>& times_ns) {
  return largest(times_ns.size(), [&](std::size_t i) {
    return times_ns[i] <= kLatestNs ? times_ns[i] : int64_t{0};
  });
}

// The last instant of which the capture tells.
int64_t end_of(const Trace& trace) {
  return std::max({last_of(trace.nvtx.start_ns), last_of(trace.nvtx.end_ns),
                   last_of(trace.api_calls.end_ns), last_of(trace.kernels.end_ns),
                   last_of(trace.memcpys.end_ns), last_of(trace.memsets.end_ns),
                   last_of(trace.graph_launches.end_ns), last_of(trace.syncs.end_ns)});
}

// The largest id, or 0.
StringId last_of(const profile::Column<StringId>& texts) {
  return static_cast<StringId>(
      largest(texts.size(), [&](std::size_t i) { return texts[i] == kNoText ? 0 : texts[i]; }));
}

// Rows of which most often all are used.
class UsedRows {
 public:
  // As many, from 0 on.
  explicit UsedRows(std::size_t count) : count_(count) {}
  explicit UsedRows(base::UntouchedVector<Row> listed)
      : listed_(std::move(listed)), count_(listed_.size()) {}

  std::size_t size() const { return count_; }
  Row operator[](std::size_t i) const { return listed_.empty() ? static_cast<Row>(i) : listed_[i]; }

 private:
  base::UntouchedVector<Row> listed_;
  std::size_t count_;
};

using Names = std::unordered_set<StringId>;

// Of the ranges of one thread.
Names uncounted_names(const NvtxRanges& ranges, std::size_t thread, const CountedTexts& counted) {
  Names names;
  std::unordered_map<StringId, int64_t> last;
  for (std::size_t i = ranges.first[thread]; i < ranges.first[thread + 1]; ++i) {
    const RangeFacts& facts = ranges.facts_of(ranges.ranges[i]);
    if (facts.number == kNoValue) continue;
    const StringId name = counted.at(ranges.ranges[i].facts).name;
    const auto [before, added] = last.emplace(name, facts.number);
    if (!added && facts.number <= before->second) names.insert(name);
    before->second = facts.number;
  }
  return names;
}

// Names whose numbers do not count: "foo 1", "foo 2", ... count when on every thread each number is
// larger than the one before.
Names uncounted_names(const NvtxRanges& ranges, const CountedTexts& counted) {
  if (counted.empty()) return {};
  base::Blocks<Names> threads(ranges.threads.size(), 1);
  threads.for_each([&](Names& names, std::size_t thread, std::size_t) {
    names = uncounted_names(ranges, thread, counted);
  });
  Names all;
  for (Names& names : threads.states()) all.merge(names);
  return all;
}

// Ranges of both tables under one numbering of rows.
class Reader {
 public:
  Reader(const Trace& trace, profile::ProfileBuilder& builder, const TraceNotes& notes)
      : trace_(trace),
        builder_(builder),
        notes_(notes),
        nvtx_rows_(static_cast<Row>(trace.nvtx.size())),
        end_(static_cast<Row>(nvtx_rows_ + trace.mpi_calls.size())),
        times_(trace),
        unnamed_(builder.intern("unnamed range")) {}

  NvtxRanges read();

 private:
  bool is_nvtx(Row row) const { return row < nvtx_rows_; }
  bool is_range(Row row) const;
  ThreadId thread_of(Row row) const;
  StringId text_of(Row row) const;
  // All that are ranges, if each of them can be used.
  std::optional<UsedRows> rows_without_problem() const;
  UsedRows usable_rows() const;
  void ask_for_facts(base::UntouchedVector<NvtxRange>& ranges, RangeFactsReader& texts) const;
  static void sort(NvtxRanges& ranges);

  const Trace& trace_;
  profile::ProfileBuilder& builder_;
  const TraceNotes notes_;
  const Row nvtx_rows_, end_;
  const RangeTimes times_;
  const StringId unnamed_;
};

bool Reader::is_range(Row row) const {
  if (!is_nvtx(row)) return trace_.mpi_calls.name[row - nvtx_rows_] != kNoText;
  const profile::NvtxKind kind = trace_.nvtx.kind[row];
  return kind == profile::NvtxKind::push_pop_range || kind == profile::NvtxKind::start_end_range;
}

ThreadId Reader::thread_of(Row row) const {
  return is_nvtx(row) ? value_or(trace_.nvtx.thread, row, kNoValue)
                      : trace_.mpi_calls.thread[row - nvtx_rows_];
}

StringId Reader::text_of(Row row) const {
  if (!is_nvtx(row)) return trace_.mpi_calls.name[row - nvtx_rows_];
  const StringId text = value_or(trace_.nvtx.text, row, kNoText);
  return text == kNoText ? unnamed_ : text;
}

std::optional<UsedRows> Reader::rows_without_problem() const {
  struct Block {
    std::size_t ranges = 0;
    int64_t sum_ns = 0;
    bool has_problem = false;
  };
  base::Blocks<Block> blocks(end_, kRowsAtOnce);
  blocks.for_each([this](Block& block, std::size_t begin, std::size_t end) {
    TimeBudget budget(builder_.device_count());
    for (auto row = static_cast<Row>(begin); row < end; ++row) {
      if (!is_range(row)) continue;
      const base::Interval time = times_.of(row);
      block.has_problem |= time_problem(time.start_ns, time.stop_ns) != nullptr;
      if (block.has_problem || !budget.add_cpu(time)) {
        block.has_problem = true;
        return;
      }
      ++block.ranges;
      block.sum_ns += time.stop_ns - time.start_ns;
    }
  });
  TimeBudget budget(builder_.device_count());
  std::size_t ranges = 0;
  for (Block& block : blocks.states()) {
    if (block.has_problem || !budget.add_cpu({0, block.sum_ns})) return std::nullopt;
    ranges += std::exchange(block.ranges, ranges);
  }
  if (ranges == end_) return UsedRows(ranges);
  base::UntouchedVector<Row> rows(ranges);
  blocks.for_each([&](const Block& block, std::size_t begin, std::size_t end) {
    auto next = rows.begin() + static_cast<std::ptrdiff_t>(block.ranges);
    for (auto row = static_cast<Row>(begin); row < end; ++row) {
      if (is_range(row)) *next++ = row;
    }
  });
  return UsedRows(std::move(rows));
}

UsedRows Reader::usable_rows() const {
  if (std::optional<UsedRows> rows = rows_without_problem()) return *std::move(rows);
  TimeBudget budget(builder_.device_count());
  base::UntouchedVector<Row> rows;
  for (Row row = 0; row < end_; ++row) {
    if (!is_range(row)) continue;
    const base::Interval time = times_.of(row);
    const char* problem = time_problem(time.start_ns, time.stop_ns);
    if (problem == nullptr && !budget.add_cpu(time)) problem = kTooMuchTime;
    if (problem == nullptr) {
      rows.push_back(row);
      continue;
    }
    const RangeSource source = source_of(trace_, notes_, {.row = row});
    notes_.log.add(source.table, problem, source.row, [&] {
      return std::string(builder_.text(text_of(row))) + " from " + std::to_string(time.start_ns) +
             " ns";
    });
  }
  return UsedRows(std::move(rows));
}

void Reader::ask_for_facts(base::UntouchedVector<NvtxRange>& ranges,
                           RangeFactsReader& texts) const {
  const profile::NvtxDomainNames names(trace_.nvtx_domains);
  texts.ask_all(
      ranges.size(),
      [&, domains = Domains(trace_, names)](std::size_t i) mutable -> RangeFactsReader::Use {
        const Row row = ranges[i].row;
        return {text_of(row), is_nvtx(row) ? domains.kind_of(row) : DomainKind::library};
      },
      [&ranges](std::size_t i, uint32_t number) { ranges[i].facts = number; });
}

void Reader::sort(NvtxRanges& ranges) {
  base::parallel_for(ranges.threads.size(), 1, [&ranges](std::size_t begin, std::size_t end) {
    for (std::size_t thread = begin; thread < end; ++thread) {
      const std::size_t first = ranges.first[thread];
      base::sort_runs(std::span(ranges.ranges).subspan(first, ranges.first[thread + 1] - first),
                      [&ranges](const NvtxRange& a, const NvtxRange& b) {
                        const base::Interval of_a = ranges.time_of(a), of_b = ranges.time_of(b);
                        return of_a.start_ns != of_b.start_ns ? of_a.start_ns < of_b.start_ns
                                                              : of_a.stop_ns > of_b.stop_ns;
                      });
    }
  });
}

NvtxRanges Reader::read() {
  const UsedRows rows = usable_rows();
  base::UntouchedVector<NvtxRange> ranges(rows.size());
  profile::ThreadPlaces places = profile::place_by_thread(
      rows.size(), [&](std::size_t i) { return thread_of(rows[i]); },
      [&](std::size_t i, std::size_t place) { ranges[place] = {.row = rows[i]}; });
  RangeFactsReader texts(
      std::size_t{std::max({last_of(trace_.nvtx.text), last_of(trace_.mpi_calls.name), unnamed_})} +
      1);
  ask_for_facts(ranges, texts);
  auto [facts, counted] = texts.read(builder_);
  NvtxRanges result{.ranges = std::move(ranges),
                    .threads = std::move(places.threads),
                    .first = std::move(places.first),
                    .facts = std::move(facts),
                    .times = times_};
  sort(result);
  set_numbers(result, counted);
  return result;
}

}  // namespace

RangeTimes::RangeTimes(const Trace& trace)
    : trace_(&trace), nvtx_rows_(static_cast<Row>(trace.nvtx.size())), last_ns_(end_of(trace)) {}

void set_numbers(NvtxRanges& ranges, const CountedTexts& counted) {
  const Names uncounted = uncounted_names(ranges, counted);
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

NvtxRanges read_nvtx_ranges(const Trace& trace, profile::ProfileBuilder& builder,
                            const TraceNotes& notes) {
  return Reader(trace, builder, notes).read();
}

RangeSource source_of(const Trace& trace, const TraceNotes& notes, const NvtxRange& range) {
  const std::size_t nvtx_rows = trace.nvtx.size();
  if (range.row < nvtx_rows) {
    return {notes.tables.ranges,
            value_or(trace.nvtx.source_row, range.row, int64_t{range.row} + 1)};
  }
  const std::size_t row = range.row - nvtx_rows;
  const auto& tables = trace.mpi_calls.tables;
  const auto next = std::ranges::upper_bound(tables, row, {}, &profile::TraceCalls::Table::first);
  const profile::TraceCalls::Table& table = *std::prev(next);
  return {table.name, notes.left_out.number_of(table.name, row - table.first)};
}

}  // namespace dlview::import::capture
