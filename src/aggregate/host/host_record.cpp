#include "aggregate/host/host_record.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "aggregate/host/function_names.h"
#include "aggregate/host/launching_threads.h"
#include "base/stop_point.h"

namespace dlview::aggregate {
namespace {

using base::Interval;
using base::IntervalSet;
using profile::FrameIndex;
using profile::kNoRow;
using profile::kNoText;
using profile::kNoValue;
using profile::Profile;
using profile::Row;
using profile::StringId;
using profile::ThreadId;
using profile::Trace;

// A running thread is hardly ever missed so many times in a row.
constexpr int64_t kFewPeriods = 8;
// Sampled cycles take longest at the lowest clock, about a quarter of the highest.
constexpr int64_t kSlowestCpu = 4;
// A thread that prepares a batch mostly waits itself, for workers that are other processes.
constexpr int64_t kDataParts = 20, kLastParts = 10;
// Bounds the cost of a window. Where more threads load data they do the same work.
constexpr std::size_t kThreadsLookedAt = 64;

ThreadId thread_at(const profile::Column<ThreadId>& threads, std::size_t row) {
  return row < threads.size() ? threads[row] : kNoValue;
}

std::map<ThreadId, Row> number_threads(const Profile& profile) {
  std::map<ThreadId, Row> rows;
  if (!profile.trace) return rows;
  const Trace& trace = *profile.trace;
  const std::initializer_list<const profile::Column<ThreadId>*> columns{
      &trace.switches.thread, &trace.samples.thread, &trace.os_calls.thread, &trace.nvtx.thread};
  for (const auto* column : columns) {
    for (const ThreadId id : *column) {
      if (id != kNoValue) rows.emplace(id, 0);
    }
  }
  Row next = 0;
  for (auto& [id, row] : rows) row = next++;
  return rows;
}

std::vector<HostThread> make_threads(const std::map<ThreadId, Row>& rows) {
  std::vector<HostThread> threads(rows.size());
  for (const auto& [id, row] : rows) threads[row].id = id;
  return threads;
}

// Rows without a thread go to one behind the others, which nobody asks for.
template <typename TimeOf>
ThreadSpans spans_of(const std::map<ThreadId, Row>& rows, const profile::Column<ThreadId>* threads,
                     std::size_t count, const TimeOf& time_of) {
  const auto thread_of = [&](Row row) {
    const auto found = rows.find(thread_at(*threads, row));
    return found == rows.end() ? static_cast<Row>(rows.size()) : found->second;
  };
  return ThreadSpans(rows.size() + 1, count, thread_of, time_of);
}

struct Change {
  int64_t time_ns = 0;
  bool is_running = false;
};

// Sorted by time. The scheduler may tell one state twice.
IntervalSet running_times(const std::vector<Change>& changes, int64_t end_ns) {
  std::vector<Interval> intervals;
  std::optional<int64_t> since_ns;
  for (const Change& change : changes) {
    if (change.is_running && !since_ns) since_ns = change.time_ns;
    if (change.is_running || !since_ns) continue;
    intervals.push_back({*since_ns, change.time_ns});
    since_ns.reset();
  }
  if (since_ns) intervals.push_back({*since_ns, end_ns});
  return IntervalSet::union_of_sorted(intervals);
}

// The value below which one in `parts` lies.
int64_t quantile(std::vector<int64_t>& values, std::ptrdiff_t parts) {
  const auto place = values.begin() + std::ssize(values) / parts;
  std::ranges::nth_element(values, place);
  return *place;
}

Interval last_part(const Interval& window) {
  return {window.stop_ns - (window.stop_ns - window.start_ns) / kLastParts, window.stop_ns};
}

int64_t length(const Interval& time) {
  return std::max<int64_t>(0, time.stop_ns - time.start_ns);
}

// Whether a text says that data is loaded, asked once for each.
template <typename IsOfData>
class KnownTexts {
 public:
  KnownTexts(const Profile& profile, IsOfData is_of_data)
      : profile_(profile), is_of_data_(is_of_data) {}
  bool operator()(StringId text) {
    if (text == kNoText) return false;
    const auto [known, is_new] = known_.try_emplace(text, false);
    if (is_new) {
      base::stop_point();
      known->second = is_of_data_(profile_.text(text));
    }
    return known->second;
  }

 private:
  const Profile& profile_;
  IsOfData is_of_data_;
  std::unordered_map<StringId, bool> known_;
};

// Keeps the rows with the most of `ns_of`, in order.
template <typename NsOf>
void keep_busiest(std::vector<Row>& rows, const NsOf& ns_of) {
  if (rows.size() <= kThreadsLookedAt) return;
  std::ranges::stable_sort(rows, std::ranges::greater{}, ns_of);
  rows.resize(kThreadsLookedAt);
  std::ranges::sort(rows);
}

}  // namespace

HostRecord::HostRecord(const Profile& profile)
    : profile_(profile),
      threads_(make_threads(number_threads(profile))),
      rows_(number_threads(profile)),
      os_calls_(spans_of(rows_, profile.trace ? &profile.trace->os_calls.thread : nullptr,
                         profile.trace ? profile.trace->os_calls.size() : 0,
                         [this](Row row) { return os_call_time(row); })),
      ranges_(spans_of(rows_, profile.trace ? &profile.trace->nvtx.thread : nullptr,
                       profile.trace ? profile.trace->nvtx.size() : 0,
                       [this](Row row) { return range_time(row); })) {
  if (!profile.trace) return;
  for (const auto& [id, row] : rows_) {
    rows_by_numbers_.emplace(key_of(profile.trace->numbers_of(id)), row);
  }
  add_samples();
  base::stop_point();
  add_switches();
  add_names();
  base::stop_point();
  add_launching();
  add_processes();
}

Interval HostRecord::os_call_time(Row row) const {
  const profile::TraceCalls& calls = profile_.trace->os_calls;
  return {calls.start_ns[row], calls.end_ns[row]};
}

// Marks, and ranges that were never closed, take no time.
Interval HostRecord::range_time(Row row) const {
  const profile::TraceNvtx& nvtx = profile_.trace->nvtx;
  const int64_t start_ns = nvtx.start_ns[row], end_ns = nvtx.end_ns[row];
  return {start_ns, std::max(start_ns, end_ns)};
}

bool HostRecord::ends_elsewhere(Row range) const {
  const ThreadId end = thread_at(profile_.trace->nvtx.end_thread, range);
  return end != kNoValue && end != thread_at(profile_.trace->nvtx.thread, range);
}

void HostRecord::add_switches() {
  const profile::TraceSwitches& switches = profile_.trace->switches;
  if (switches.is_running.empty()) return;
  std::vector<std::vector<Change>> changes(threads_.size());
  int64_t end_ns = profile_.last_ns;
  for (std::size_t i = 0; i < switches.size(); ++i) {
    const auto found = rows_.find(thread_at(switches.thread, i));
    if (found == rows_.end()) continue;
    changes[found->second].push_back({switches.time_ns[i], switches.is_running[i] > 0});
    end_ns = std::max(end_ns, switches.time_ns[i]);
  }
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    if (changes[i].empty()) continue;
    std::ranges::stable_sort(changes[i], {}, &Change::time_ns);
    threads_[i].running = running_times(changes[i], end_ns);
    threads_[i].told = IntervalSet::union_of({{changes[i].front().time_ns, end_ns}});
    check_states(threads_[i]);
  }
}

// The profiler loses switches, and a lost one turns a state into its opposite until the next.
// Samples are taken of running threads only: one proves that the thread ran for a period around it,
// and a long time on a CPU without any is doubtful.
void HostRecord::check_states(HostThread& thread) const {
  const int64_t period_ns = thread.sample_period_ns;
  if (period_ns == 0) return;
  std::vector<Interval> running, doubtful;
  for (const Interval& time : thread.running.intervals()) {
    const bool is_doubtful =
        length(time) >= kFewPeriods * period_ns && samples(thread, time).empty();
    (is_doubtful ? doubtful : running).push_back(time);
  }
  for (const Row sample : thread.samples) {
    const int64_t at = profile_.trace->samples.time_ns[sample];
    if (thread.running.covered_ns(at, at + 1) > 0) continue;
    running.push_back({at - period_ns / 2, at + period_ns / 2 + 1});
  }
  thread.running = IntervalSet::union_of(std::move(running));
  const IntervalSet unknown = IntervalSet::union_of(std::move(doubtful));
  thread.told = thread.told.without(unknown).united_with(thread.running);
}

void HostRecord::add_samples() {
  const profile::TraceSamples& samples = profile_.trace->samples;
  for (Row row = 0; row < samples.size(); ++row) {
    const auto found = rows_.find(thread_at(samples.thread, row));
    if (found != rows_.end()) threads_[found->second].samples.push_back(row);
  }
  std::vector<int64_t> all;
  std::vector<std::vector<int64_t>> distances(threads_.size());
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    std::vector<Row>& of_thread = threads_[i].samples;
    std::ranges::stable_sort(of_thread, {}, [&](Row row) { return samples.time_ns[row]; });
    for (std::size_t j = 1; j < of_thread.size(); ++j) {
      distances[i].push_back(samples.time_ns[of_thread[j]] - samples.time_ns[of_thread[j - 1]]);
    }
    all.insert(all.end(), distances[i].begin(), distances[i].end());
  }
  if (all.empty()) return;
  // A thread that runs on is sampled once in so many cycles, which take it longer on a slower CPU.
  // Between two times of running the distance says nothing.
  const int64_t shortest = quantile(all, 4);
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    if (threads_[i].samples.empty()) continue;
    const int64_t own = distances[i].empty() ? shortest : quantile(distances[i], 2);
    threads_[i].sample_period_ns = std::clamp(own, shortest, kSlowestCpu * shortest);
  }
}

void HostRecord::add_names() {
  for (HostThread& thread : threads_) {
    const profile::TraceThread* const known = profile_.trace->thread(thread.id);
    thread.is_named_loader = known != nullptr && loads_data(known->name);
  }
}

void HostRecord::add_launching() {
  const std::vector<bool> launch = launching_threads(profile_);
  std::vector<bool> has_kernels(launch.size());
  for (const Row row : profile_.kernels.launch) has_kernels[profile_.launches.thread[row]] = true;
  for (std::size_t i = 0; i < launch.size(); ++i) {
    const profile::Thread& thread = profile_.threads[i];
    const auto found = rows_by_numbers_.find(key_of(thread));
    if (found != rows_by_numbers_.end())
      threads_[found->second].launches = launch[i] && has_kernels[i];
  }
}

std::vector<bool> HostRecord::ever_load_data() const {
  const Trace& trace = *profile_.trace;
  std::vector<bool> load(threads_.size());
  for (std::size_t i = 0; i < threads_.size(); ++i) load[i] = threads_[i].is_named_loader;
  KnownTexts is_range_so(profile_, is_data_range);
  for (std::size_t row = 0; row < trace.nvtx.size(); ++row) {
    const auto found = rows_.find(thread_at(trace.nvtx.thread, row));
    if (found == rows_.end() || load[found->second]) continue;
    load[found->second] = is_range_so(trace.nvtx.text[row]);
  }
  KnownTexts is_function_so(profile_, [](std::string_view text) { return loads_data(text); });
  std::vector<bool> frames(trace.frames.function.size());
  for (std::size_t frame = 0; frame < frames.size(); ++frame) {
    const FrameIndex caller = trace.frames.caller[frame];
    frames[frame] =
        (caller != kNoRow && frames[caller]) || is_function_so(trace.frames.function[frame]);
  }
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    load[i] = load[i] || std::ranges::any_of(threads_[i].samples, [&](Row sample) {
                const FrameIndex frame = trace.samples.frame[sample];
                return frame != kNoRow && frames[frame];
              });
  }
  return load;
}

void HostRecord::add_processes() {
  const std::vector<bool> load = ever_load_data();
  std::vector<int64_t> busy_ns(threads_.size());
  in_ranges_.resize(threads_.size());
  for (Row row = 0; row < threads_.size(); ++row) {
    base::stop_point();
    const HostThread& thread = threads_[row];
    in_ranges_[row] = range_times(row);
    busy_ns[row] = !thread.told.empty()
                       ? thread.running.total_ns()
                       : std::max(std::ssize(thread.samples) * thread.sample_period_ns,
                                  in_ranges_[row].total_ns());
    Process& process = processes_[profile_.trace->numbers_of(thread.id).process_id];
    (load[row] ? process.loaders : process.others).push_back(row);
    if (thread.launches) process.launching.push_back(row);
  }
  for (auto& [id, process] : processes_) {
    keep_busiest(process.loaders, [&](Row row) { return busy_ns[row]; });
    keep_busiest(process.others, [&](Row row) { return busy_ns[row]; });
    keep_busiest(process.launching, [&](Row row) { return busy_ns[row]; });
  }
}

IntervalSet HostRecord::range_times(Row thread) const {
  std::vector<Interval> ranges;
  ranges_.for_each_in(
      thread, {INT64_MIN, INT64_MAX}, [this](Row row) { return range_time(row); },
      [&](Row, const Interval& part) { ranges.push_back(part); });
  return IntervalSet::union_of_sorted(ranges);
}

const HostThread* HostRecord::find(const profile::Thread& thread) const {
  const auto found = rows_by_numbers_.find(key_of(thread));
  return found == rows_by_numbers_.end() ? nullptr : &threads_[found->second];
}

HostRecord::States HostRecord::states(const HostThread& thread, const Interval& window) {
  const int64_t running_ns = thread.running.covered_ns(window.start_ns, window.stop_ns);
  return {running_ns, thread.told.covered_ns(window.start_ns, window.stop_ns) - running_ns};
}

std::span<const Row> HostRecord::samples(const HostThread& thread, const Interval& window) const {
  if (thread.samples.empty()) return {};
  const auto time_of = [&](Row row) { return profile_.trace->samples.time_ns[row]; };
  const auto first = std::ranges::lower_bound(thread.samples, window.start_ns, {}, time_of);
  const auto last =
      std::ranges::lower_bound(first, thread.samples.end(), window.stop_ns, {}, time_of);
  return {first, last};
}

FrameCounts HostRecord::frame_counts(std::span<const Row> samples) const {
  FrameCounts counts;
  for (const Row sample : samples) {
    const FrameIndex frame = profile_.trace->samples.frame[sample];
    if (frame != kNoRow) ++counts[frame];
  }
  // Callers have lower rows, so each is complete when its turn comes.
  for (auto entry = counts.rbegin(); entry != counts.rend(); ++entry) {
    const FrameIndex caller = profile_.trace->frames.caller[entry->first];
    if (caller != kNoRow) counts[caller] += entry->second;
  }
  return counts;
}

Sampled HostRecord::sampled(std::span<const Row> samples) const {
  Sampled result;
  if (samples.empty()) return result;
  const profile::TraceFrames& frames = profile_.trace->frames;
  for (const Row sample : samples) {
    if (profile_.trace->samples.frame[sample] != kNoRow) ++result.samples;
  }
  struct Function {
    int64_t samples = 0, depth = 0;  // the depth where most samples have it
    int64_t most = 0;
  };
  std::map<StringId, Function> functions;
  for (const auto& [frame, count] : frame_counts(samples)) {
    const StringId name = frames.function[frame];
    if (name == kNoText) continue;
    int64_t depth = 0;
    bool is_recursion = false;
    for (FrameIndex above = frames.caller[frame]; above != kNoRow; above = frames.caller[above]) {
      ++depth;
      is_recursion = is_recursion || frames.function[above] == name;
    }
    Function& function = functions[name];
    if (!is_recursion) function.samples += count;
    if (count <= function.most) continue;
    function.most = count;
    function.depth = depth;
  }
  int64_t depth = -1, loader_depth = INT64_MAX;
  for (const auto& [name, function] : functions) {
    if (2 * function.samples < result.samples) continue;
    const std::string_view symbol = profile_.text(name);
    if (function.depth < loader_depth && loads_data(symbol)) {
      loader_depth = function.depth;
      result.loader = name;
    }
    if (function.depth <= depth || passes_on(symbol)) continue;
    depth = function.depth;
    result.function = name;
    result.in_function = function.samples;
  }
  return result;
}

int64_t HostRecord::sampled_ns(const HostThread& thread, const Interval& window) const {
  const auto count = std::ssize(samples(thread, window));
  return std::min(length(window), count * thread.sample_period_ns);
}

int64_t HostRecord::busy_ns(const HostThread& thread, const Interval& window) const {
  if (thread.told.covered_ns(window.start_ns, window.stop_ns) > 0) {
    return states(thread, window).running_ns;
  }
  const int64_t ns = sampled_ns(thread, window);
  if (ns > 0) return ns;
  return in_ranges_[row_of(thread)].covered_ns(window.start_ns, window.stop_ns);
}

BusyThread HostRecord::busy_thread(const HostThread& thread, const Interval& window) const {
  BusyThread busy;
  busy.id = thread.id;
  const std::span<const Row> in_window = samples(thread, window);
  busy.sampled = sampled(in_window);
  std::map<StringId, int64_t> by_name;
  ranges_.for_each_in(
      row_of(thread), window, [this](Row row) { return range_time(row); },
      [&](Row row, const Interval& part) {
        const StringId name = profile_.trace->nvtx.text[row];
        if (name != kNoText) by_name[name] += length(part);
      });
  const auto longest =
      std::ranges::max_element(by_name, {}, [](const auto& entry) { return entry.second; });
  if (longest != by_name.end()) busy.range = longest->first;
  busy.busy_ns = busy_ns(thread, window);
  const bool is_range_so = busy.range != kNoText && is_data_range(profile_.text(busy.range));
  busy.loads_data = busy.sampled.loads_data() || thread.is_named_loader || is_range_so;
  return busy;
}

void HostRecord::look_at(std::span<const Row> rows, int64_t not_thread, const Interval& window,
                         std::optional<BusyThread>& busiest) const {
  for (const Row row : rows) {
    const HostThread& other = threads_[row];
    if (profile_.trace->numbers_of(other.id).thread_id == not_thread) continue;
    if (kDataParts * busy_ns(other, window) < length(window)) continue;
    BusyThread busy = busy_thread(other, window);
    const bool hands_over = busy.loads_data && busy_ns(other, last_part(window)) > 0;
    if (2 * busy.busy_ns < length(window) && !hands_over) continue;
    if (!busiest || std::pair(busy.loads_data, busy.busy_ns) >
                        std::pair(busiest->loads_data, busiest->busy_ns)) {
      busiest = busy;
    }
  }
}

std::optional<BusyThread> HostRecord::busiest_loader(const profile::Thread& thread,
                                                     const Interval& window) const {
  std::optional<BusyThread> busiest;
  const auto process = processes_.find(thread.process_id);
  if (process == processes_.end() || busiest_launching(thread, window)) return busiest;
  look_at(process->second.loaders, thread.thread_id, window, busiest);
  if (busiest && !busiest->loads_data) busiest.reset();
  return busiest;
}

std::optional<BusyThread> HostRecord::busiest_launching(const profile::Thread& thread,
                                                        const Interval& window) const {
  std::optional<BusyThread> busiest;
  for (const Row row : processes_.at(thread.process_id).launching) {
    const HostThread& other = threads_[row];
    if (profile_.trace->numbers_of(other.id).thread_id == thread.thread_id) continue;
    if (other.told.covered_ns(window.start_ns, window.stop_ns) == 0 &&
        sampled_ns(other, window) == 0) {
      continue;
    }
    if (2 * busy_ns(other, window) < length(window)) continue;
    BusyThread busy = busy_thread(other, window);
    if (busy.loads_data || (busiest && busiest->busy_ns >= busy.busy_ns)) continue;
    busiest = busy;
  }
  return busiest;
}

std::optional<BusyThread> HostRecord::busiest_other(const profile::Thread& thread,
                                                    const Interval& window) const {
  std::optional<BusyThread> busiest;
  const auto process = processes_.find(thread.process_id);
  if (process == processes_.end()) return busiest;
  busiest = busiest_launching(thread, window);
  if (busiest) return busiest;
  look_at(process->second.loaders, thread.thread_id, window, busiest);
  if (!busiest || !busiest->loads_data) {
    look_at(process->second.others, thread.thread_id, window, busiest);
  }
  return busiest;
}

}  // namespace dlview::aggregate
