#include "import/nsys/nvtx_ranges.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "import/nsys/trace_values.h"
#include "import/times.h"

namespace dlview::import::nsys {
namespace {

using profile::GlobalId;
using profile::kNoText;
using profile::kNoValue;
using profile::StringId;
using profile::Trace;

constexpr int16_t kPushPop = 59, kStartEnd = 60;
constexpr const char* kNvtx = "NVTX_EVENTS";

// What the domain of a range tells about its text.
using DomainNames = std::map<std::pair<GlobalId, int64_t>, std::string>;

DomainNames domain_names(const Trace& trace) {
  DomainNames names;
  for (const profile::NvtxDomain& domain : trace.nvtx_domains) {
    names[{domain.process, domain.id}] = domain.name;
  }
  return names;
}

// Reads texts, each once.
class TextReader {
 public:
  explicit TextReader(profile::ProfileBuilder& builder) : builder_(builder) {}

  struct Entry {
    NvtxRange range;            // kind, name, type, sizes, seq, backward
    StringId counted_name = 0;  // without its number
    std::optional<int64_t> number;
    NumberedName::Meaning meaning = NumberedName::Meaning::unknown;
  };

  const Entry& read(StringId text, const std::string& domain) {
    const auto [entry, added] = entries_[domain].emplace(text, Entry{});
    if (added) fill(entry->second, text, domain);
    return entry->second;
  }

 private:
  void fill(Entry& entry, StringId id, const std::string& domain) {
    const std::string text(builder_.text(id));
    const RangeText read = read_range_text(text, domain);
    entry.range.text = id;
    entry.range.kind = read.kind;
    entry.range.name = builder_.intern(read.name);
    entry.range.type = builder_.intern(read.type);
    entry.range.sizes = builder_.intern(read.sizes);
    entry.range.seq = read.seq;
    entry.range.backward = read.backward;
    if (read.kind != RangeKind::user) return;
    const NumberedName numbered = split_number(read.name);
    entry.counted_name = builder_.intern(numbered.name);
    entry.number = numbered.number;
    entry.meaning = numbered.meaning;
  }

  profile::ProfileBuilder& builder_;
  std::map<std::string, std::unordered_map<StringId, Entry>> entries_;  // by domain
};

// "foo 1", "foo 2", ... count when on every thread each number is larger than the one before.
class Counting {
 public:
  void see(GlobalId thread, const TextReader::Entry& entry) {
    const auto [last, added] = last_.emplace(std::pair(thread, entry.counted_name), *entry.number);
    if (!added && *entry.number <= last->second) names_.insert(entry.counted_name);
    last->second = *entry.number;
  }
  bool counts(const TextReader::Entry& entry) const {
    if (!entry.number || entry.meaning == NumberedName::Meaning::names) return false;
    return entry.meaning == NumberedName::Meaning::counts || !names_.contains(entry.counted_name);
  }

 private:
  std::map<std::pair<GlobalId, StringId>, int64_t> last_;
  std::set<StringId> names_;  // whose numbers do not count
};

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

bool comes_before(const NvtxRange& a, const NvtxRange& b) {
  return std::tuple(a.thread, a.start_ns, -a.stop_ns) <
         std::tuple(b.thread, b.start_ns, -b.stop_ns);
}

class Reader {
 public:
  Reader(const Trace& trace, profile::ProfileBuilder& builder, QualityLog& quality)
      : trace_(trace),
        builder_(builder),
        quality_(quality),
        domains_(domain_names(trace)),
        last_ns_(end_of(trace)),
        texts_(builder),
        budget_(builder.device_count()) {}

  std::vector<NvtxRange> read();

 private:
  void read_events();
  void read_mpi_calls();
  // `number` is the row of the file's table.
  void add(std::string_view table, int64_t number, GlobalId thread, int64_t start_ns,
           int64_t stop_ns, const TextReader::Entry& entry);
  const std::string& domain_of(std::size_t row) const;

  const Trace& trace_;
  profile::ProfileBuilder& builder_;
  QualityLog& quality_;
  const DomainNames domains_;
  const int64_t last_ns_;
  const std::string no_domain_;
  TextReader texts_;
  TimeBudget budget_;
  std::vector<std::pair<NvtxRange, const TextReader::Entry*>> found_;
};

const std::string& Reader::domain_of(std::size_t row) const {
  const auto& nvtx = trace_.nvtx;
  const int64_t id = value_or(nvtx.domain, row, int64_t{0});
  const auto found =
      domains_.find({profile::process_of(value_or(nvtx.thread, row, profile::kNoValue)), id});
  return found == domains_.end() ? no_domain_ : found->second;
}

void Reader::add(std::string_view table, int64_t number, GlobalId thread, int64_t start_ns,
                 int64_t stop_ns, const TextReader::Entry& entry) {
  const char* problem = time_problem(start_ns, stop_ns);
  if (problem == nullptr && !budget_.add_cpu({start_ns, stop_ns})) problem = kTooMuchTime;
  if (problem != nullptr) {
    quality_.add(table, problem, number, [&] {
      return std::string(builder_.text(entry.range.text)) + " from " + std::to_string(start_ns) +
             " ns";
    });
    return;
  }
  NvtxRange range = entry.range;
  range.table = table;
  range.source_id = number;
  range.thread = thread;
  range.start_ns = start_ns;
  range.stop_ns = stop_ns;
  found_.emplace_back(range, &entry);
}

void Reader::read_events() {
  const auto& nvtx = trace_.nvtx;
  for (std::size_t row = 0; row < nvtx.size(); ++row) {
    const int16_t type = nvtx.event_type[row];
    if (type != kPushPop && type != kStartEnd) continue;
    const StringId text = value_or(nvtx.text, row, kNoText);
    const StringId known = text == kNoText ? builder_.intern("unnamed range") : text;
    const int64_t stop_ns = value_or(nvtx.end_ns, row, kNoValue);
    add(kNvtx, value_or(nvtx.source_row, row, static_cast<int64_t>(row) + 1),
        value_or(nvtx.thread, row, profile::kNoValue), nvtx.start_ns[row],
        stop_ns == kNoValue ? last_ns_ : stop_ns, texts_.read(known, domain_of(row)));
  }
}

void Reader::read_mpi_calls() {
  const auto& calls = trace_.mpi_calls;
  auto table = calls.tables.begin();
  for (std::size_t row = 0; row < calls.size(); ++row) {
    while (std::next(table) != calls.tables.end() && std::next(table)->first <= row) ++table;
    const StringId name = calls.name[row];
    if (name == kNoText) continue;
    add(table->name, static_cast<int64_t>(row - table->first) + 1, calls.thread[row],
        calls.start_ns[row], calls.end_ns[row], texts_.read(name, "MPI"));
  }
}

std::vector<NvtxRange> Reader::read() {
  read_events();
  read_mpi_calls();
  std::stable_sort(found_.begin(), found_.end(),
                   [](const auto& a, const auto& b) { return comes_before(a.first, b.first); });
  Counting counting;
  for (const auto& [range, entry] : found_) {
    if (entry->number) counting.see(range.thread, *entry);
  }
  std::vector<NvtxRange> ranges;
  ranges.reserve(found_.size());
  for (auto& [range, entry] : found_) {
    if (counting.counts(*entry)) {
      range.name = entry->counted_name;
      range.number = entry->number;
    }
    ranges.push_back(range);
  }
  return ranges;
}

}  // namespace

std::vector<NvtxRange> read_nvtx_ranges(const Trace& trace, profile::ProfileBuilder& builder,
                                        QualityLog& quality) {
  return Reader(trace, builder, quality).read();
}

}  // namespace dlview::import::nsys
