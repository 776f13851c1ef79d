#include "generate/capture.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/unfinished_file.h"
#include "generate/nsys/event_tables.h"
#include "generate/nsys/facts.h"
#include "generate/nsys/host_tables.h"
#include "generate/sqlite_file.h"

namespace dlview::generate {
namespace {

constexpr std::size_t kGone = SIZE_MAX;

int64_t last_ns(const Capture& capture) {
  int64_t last = 0;
  for (const auto& range : capture.ranges) last = std::max(last, range.end_ns.value_or(0));
  for (const auto& call : capture.calls) last = std::max(last, call.end_ns);
  for (const auto& work : capture.works) last = std::max(last, work.end_ns);
  return last;
}

// The order of rows in an export, by start.
template <typename Events>
std::vector<std::size_t> in_order(const Events& events) {
  std::vector<std::size_t> order(events.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return events[i].start_ns; });
  return order;
}

class Writer {
 public:
  Writer(const Capture& capture, nsys::Export& out) : capture_(capture), out_(out), tables_(out) {}

  void write() {
    for (const std::size_t i : in_order(capture_.ranges)) {
      const Capture::Range& range = capture_.ranges[i];
      tables_.range({range.start_ns, range.end_ns, thread(range.thread), range.text});
    }
    write_calls();
    for (const std::size_t i : in_order(capture_.works)) write_work(capture_.works[i]);
    if (!capture_.os_calls.empty() || !capture_.switches.empty() || !capture_.samples.empty()) {
      write_host();
    }
  }

 private:
  const profile::Thread& thread(std::size_t index) const { return capture_.threads[index].id; }

  void write_calls() {
    correlations_.resize(capture_.calls.size());
    std::map<int64_t, int64_t> last;  // by process
    for (const std::size_t i : in_order(capture_.calls)) {
      const Capture::Call& call = capture_.calls[i];
      correlations_[i] = ++last[thread(call.thread).process_id];
      tables_.call({call.start_ns, call.end_ns, thread(call.thread), correlations_[i],
                    out_.strings.id(std::string_view(call.name))});
    }
  }

  void write_work(const Capture::Work& work) {
    const nsys::WorkValues values{work.start_ns,
                                  work.end_ns,
                                  work.device,
                                  work.stream,
                                  correlations_[work.call],
                                  thread(capture_.calls[work.call].thread)};
    const auto hosts = work.is_pinned ? profile::MemoryKind::pinned : profile::MemoryKind::pageable;
    switch (work.kind) {
      case Capture::WorkKind::kernel:
        return tables_.kernel(
            {values, out_.strings.id(std::string_view(work.name)),
             out_.strings.id(std::string_view(work.long_name)), work.grid, work.block,
             work.mangled_name.empty() ? -1
                                       : out_.strings.id(std::string_view(work.mangled_name))});
      case Capture::WorkKind::copy:
        return tables_.copy(
            {values, work.bytes, work.copy_kind,
             work.copy_kind == profile::CopyKind::host_to_device ? hosts
                                                                 : profile::MemoryKind::device,
             work.copy_kind == profile::CopyKind::device_to_host ? hosts
                                                                 : profile::MemoryKind::device});
      case Capture::WorkKind::set:
        return tables_.set(
            values, work.bytes,
            work.is_pinned ? profile::MemoryKind::pinned : profile::MemoryKind::device);
      case Capture::WorkKind::synchronization:
        return tables_.synchronization(values, 3, 0);
    }
  }

  void write_host() {
    nsys::HostTables tables(out_);
    for (const std::size_t i : in_order(capture_.os_calls)) {
      const Capture::Call& call = capture_.os_calls[i];
      tables.os_call(call.start_ns, call.end_ns, thread(call.thread), call.name);
    }
    for (const std::size_t i : in_order(capture_.switches)) {
      const Capture::Switch& change = capture_.switches[i];
      tables.switched(change.start_ns, thread(change.thread), static_cast<int64_t>(change.thread),
                      change.is_running);
    }
    for (const std::size_t i : in_order(capture_.samples)) {
      const Capture::Sample& sample = capture_.samples[i];
      tables.sample(sample.start_ns, thread(sample.thread), sample.stack, "/usr/bin/python3");
    }
  }

  const Capture& capture_;
  nsys::Export& out_;
  nsys::EventTables tables_;
  std::vector<int64_t> correlations_;  // of calls
};

profile::SystemFacts machine_facts() {
  profile::SystemFacts facts;
  facts.cpu_model = "Imaginary CPU";
  facts.driver_version = "550.54";
  facts.cuda_version = "12.4";
  return facts;
}

void write_tables(const Capture& capture, NsysSchema schema, SqliteFile& file) {
  nsys::Export out(file, schema);
  std::vector<nsys::ThreadFacts> threads;
  for (const Capture::Thread& thread : capture.threads) threads.push_back({thread.id, thread.name});
  const profile::SystemFacts machine = machine_facts();
  nsys::write_facts(out, {machine, capture.devices, std::move(threads), last_ns(capture)});
  Writer(capture, out).write();
}

}  // namespace

void Capture::keep(int64_t from_ns, int64_t to_ns) {
  std::erase_if(ranges,
                [&](const Range& r) { return r.start_ns < from_ns || r.start_ns >= to_ns; });
  for (Range& range : ranges) {
    if (range.end_ns && *range.end_ns > to_ns) range.end_ns.reset();
  }
  std::vector<std::size_t> place(calls.size(), kGone);
  std::vector<Call> kept;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].start_ns < from_ns || calls[i].end_ns > to_ns) continue;
    place[i] = kept.size();
    kept.push_back(std::move(calls[i]));
  }
  calls = std::move(kept);
  std::erase_if(works,
                [&](const Work& work) { return place[work.call] == kGone || work.end_ns > to_ns; });
  for (Work& work : works) work.call = place[work.call];
  const auto is_outside = [&](const auto& event) {
    return event.start_ns < from_ns || event.start_ns >= to_ns;
  };
  std::erase_if(os_calls,
                [&](const Call& call) { return is_outside(call) || call.end_ns > to_ns; });
  std::erase_if(switches, is_outside);
  std::erase_if(samples, is_outside);
}

base::Status write_capture(const Capture& capture, NsysSchema schema,
                           const std::filesystem::path& path, base::Progress& progress,
                           IfExists if_exists) {
  DLVIEW_TRY(check_target(path, if_exists));
  base::Result<base::UnfinishedFile> unfinished = base::UnfinishedFile::create_named(path);
  if (!unfinished) return unfinished.error();
  SqliteFile file(unfinished->path(), progress);
  progress.begin_stage("Writing events", std::ssize(capture.ranges) + std::ssize(capture.calls) +
                                             std::ssize(capture.works));
  write_tables(capture, schema, file);
  DLVIEW_TRY(file.finish());
  return unfinished->finish();
}

}  // namespace dlview::generate
