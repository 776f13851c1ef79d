#include "timeline/thread_events.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "profile/kinds.h"
#include "profile/thread_name.h"

namespace dlview::timeline {
namespace {

using aggregate::ThreadKey;
using profile::ApiCallIndex;
using profile::InstanceIndex;
using profile::KernelIndex;
using profile::MemoryOpIndex;
using profile::Profile;
using profile::Row;
using profile::SyncIndex;
using profile::UserRangeIndex;

constexpr int64_t kBusyParts = 100;  // of the run: a thread that does less is left out

class Collector {
 public:
  Collector(const Profile& profile, const aggregate::HostRecord& record)
      : profile_(profile), record_(record) {
    for (const profile::Thread& thread : profile.threads) of_row_.push_back(&at(thread));
  }

  std::vector<ThreadEvents> run() {
    add_ops();
    add_calls();
    if (profile_.trace) {
      add_nvtx();
    } else {
      for (UserRangeIndex row{0}; row < profile_.user_ranges.size(); ++row) {
        of_row_[profile_.user_ranges.thread[row]]->ranges.push_back({EventKind::user_range, row});
      }
    }
    add_busy_threads();
    if (profile_.trace) add_os_calls();
    std::vector<ThreadEvents> threads;
    for (auto& [key, events] : threads_) {
      if (events.is_idle() && !busy_.contains(key)) continue;
      threads.push_back(std::move(events));
    }
    std::ranges::stable_sort(threads, {}, [](const ThreadEvents& events) {
      return std::tuple(events.is_idle(), events.thread.thread_id == 0, -events.launches);
    });
    return threads;
  }

 private:
  ThreadEvents& at(const profile::Thread& thread) {
    ThreadEvents& events = threads_[{thread.process_id, thread.thread_id}];
    events.thread = thread;
    return events;
  }
  void add_ops() {
    for (InstanceIndex row{0}; row < profile_.instances.size(); ++row) {
      of_row_[profile_.instances.thread[row]]->ops.push_back({EventKind::op, row});
    }
  }
  void add_calls() {
    const profile::Kernels& kernels = profile_.kernels;
    for (KernelIndex row{0}; row < kernels.size(); ++row) {
      ThreadEvents& events = *of_row_[profile_.launches.thread[kernels.launch[row]]];
      ++events.launches;
      if (has_call(profile_, kernels, row)) events.calls.push_back({EventKind::launch, row});
    }
    const profile::MemoryOps& memory_ops = profile_.memory_ops;
    for (MemoryOpIndex row{0}; row < memory_ops.size(); ++row) {
      if (!has_call(profile_, memory_ops, row)) continue;
      of_row_[memory_ops.thread[row]]->calls.push_back({EventKind::memory_call, row});
    }
    for (SyncIndex row{0}; row < profile_.syncs.size(); ++row) {
      of_row_[profile_.syncs.thread[row]]->calls.push_back({EventKind::sync, row});
    }
    for (ApiCallIndex row{0}; row < profile_.api_calls.size(); ++row) {
      of_row_[profile_.api_calls.thread[row]]->calls.push_back({EventKind::api_call, row});
    }
  }
  void add_nvtx() {
    const profile::TraceNvtx& nvtx = profile_.trace->nvtx;
    if (nvtx.kind.empty() || nvtx.text.empty()) return;
    ThreadEvents* events = nullptr;
    profile::ThreadId of = profile::kNoValue;
    for (Row row = 0; row < nvtx.size(); ++row) {
      const profile::NvtxKind kind = nvtx.kind[row];
      if (kind != profile::NvtxKind::mark && kind != profile::NvtxKind::push_pop_range &&
          kind != profile::NvtxKind::start_end_range) {
        continue;
      }
      const profile::ThreadId thread =
          row < nvtx.thread.size() ? nvtx.thread[row] : profile::kNoValue;
      if (events == nullptr || thread != of) {
        of = thread;
        events = &at(profile_.trace->numbers_of(thread));
      }
      events->ranges.push_back({EventKind::nvtx, row});
    }
  }

  void add_busy_threads() {
    std::set<int64_t> processes;
    for (const auto& [key, events] : threads_) processes.insert(key.first);
    const base::Interval run{profile_.first_ns, profile_.last_ns};
    for (const aggregate::HostThread& thread : record_.threads()) {
      const profile::Thread known = profile_.trace->numbers_of(thread.id);
      if (!processes.contains(known.process_id)) continue;
      if (kBusyParts * record_.busy_ns(thread, run) < run.stop_ns - run.start_ns) continue;
      at(known);
      busy_.insert({known.process_id, known.thread_id});
    }
  }
  void add_os_calls() {
    const profile::TraceCalls& calls = profile_.trace->os_calls;
    for (Row row = 0; row < calls.size(); ++row) {
      const profile::ThreadId thread = calls.thread[row];
      const auto found = threads_.find(aggregate::key_of(profile_.trace->numbers_of(thread)));
      if (found != threads_.end()) found->second.os_calls.push_back({EventKind::os_call, row});
    }
  }

  const Profile& profile_;
  const aggregate::HostRecord& record_;
  std::set<ThreadKey> busy_;
  std::map<ThreadKey, ThreadEvents> threads_;
  std::vector<ThreadEvents*> of_row_;  // of Profile::threads
};

bool shares_calls(EventKind kind) {
  return kind == EventKind::launch || kind == EventKind::memory_call || kind == EventKind::sync;
}

}  // namespace

std::vector<ThreadEvents> events_of_threads(const Profile& profile,
                                            const aggregate::HostRecord& record) {
  return Collector(profile, record).run();
}

void keep_each_call_once(std::vector<EventRef>& calls, const Events& source) {
  const auto repeated =
      std::unique(calls.begin(), calls.end(), [&source](EventRef kept, EventRef next) {
        return shares_calls(kept.kind) && shares_calls(next.kind) &&
               source.time(kept) == source.time(next);
      });
  calls.erase(repeated, calls.end());
}

std::string thread_name(const Profile& profile, const profile::Thread& thread) {
  const profile::ThreadNames names =
      profile.trace ? profile::names_of(*profile.trace, thread) : profile::ThreadNames{};
  std::string_view process = names.process;
  const std::string_view name = names.thread;
  process = process.substr(process.find_last_of("/\\") + 1);
  std::string text = fmt::format("{} {}", process.empty() ? "Process" : process, thread.process_id);
  if (thread.thread_id == 0) return text + " · thread not recorded";
  text += fmt::format(" · thread {}", thread.thread_id);
  if (!name.empty() && name != process) text += fmt::format(" {}", name);
  return text;
}

}  // namespace dlview::timeline
