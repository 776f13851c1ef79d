#include "aggregate/rules/rule_index.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "profile/recorded.h"

namespace dlview::aggregate {
namespace {

using profile::MemoryOpKind;
using profile::Profile;
using profile::Row;

// ENUM_CUDA_MEM_KIND and ENUM_CUDA_MEMCPY_OPER of an export.
constexpr int16_t kPageable = 0, kPinned = 1, kManaged = 4, kManagedStatic = 6, kUnknown = 7;
constexpr int8_t kHostToDevice = 1, kDeviceToDevice = 8;
// From the host to the GPU copies of up to so many bytes return at once, says the CUDA manual.
constexpr int64_t kReturnsAtOnceBytes = 64 * 1024;

constexpr std::string_view kMemoryUnknown =
    "whether copies use pageable memory; the kinds of memory are not recorded for all";
constexpr std::string_view kMemsetUnknown =
    "whether memsets block the host; the kinds of memory are not recorded for all";
constexpr std::string_view kWaitsUnknown =
    "whether the host waits for the GPU; CUDA API calls are not recorded";
constexpr std::string_view kCopiesUnknown =
    "whether copies and memsets block the host; CUDA API calls are not recorded";

enum class CallKind : uint8_t { other, async_copy, synchronous_copy, synchronous_memset, wait };

CallKind kind_of_call(std::string_view name) {
  constexpr std::array<std::string_view, 5> kWaits{"cudaDeviceSynchronize", "cudaThreadSynchronize",
                                                   "cudaStreamSynchronize", "cuCtxSynchronize",
                                                   "cuStreamSynchronize"};
  if (std::ranges::any_of(kWaits, [&](auto wait) { return name.starts_with(wait); })) {
    return CallKind::wait;
  }
  const bool is_async = name.find("Async") != std::string_view::npos;
  if (name.find("Memcpy") != std::string_view::npos) {
    return is_async ? CallKind::async_copy : CallKind::synchronous_copy;
  }
  const bool is_memset = name.find("Memset") != std::string_view::npos;
  return is_memset && !is_async ? CallKind::synchronous_memset : CallKind::other;
}

// Reads each name once.
class CallKinds {
 public:
  explicit CallKinds(const Profile& profile) : profile_(profile), kinds_(profile.strings.size()) {}
  CallKind of(profile::StringId name) {
    std::optional<CallKind>& kind = kinds_[name];
    if (!kind) kind = kind_of_call(profile_.text(name));
    return *kind;
  }

 private:
  const Profile& profile_;
  std::vector<std::optional<CallKind>> kinds_;
};

// The kinds of memory of a profile's copies and memsets; nothing where they are not recorded.
class MemoryKinds {
 public:
  explicit MemoryKinds(const Profile& profile) : profile_(profile) {}

  std::optional<bool> is_pageable(Row memory_op) const {
    if (!profile_.trace) return std::nullopt;
    const profile::TraceMemcpys& copies = profile_.trace->memcpys;
    const auto src = value(copies.src_kind, memory_op, MemoryOpKind::memcpy);
    const auto dst = value(copies.dst_kind, memory_op, MemoryOpKind::memcpy);
    if (src == kPageable || dst == kPageable) return true;
    if (!src || !dst) return std::nullopt;
    return false;
  }
  std::optional<bool> is_of_host(Row memory_op) const {
    if (!profile_.trace) return std::nullopt;
    const auto kind = value(profile_.trace->memsets.memory_kind, memory_op, MemoryOpKind::memset);
    if (!kind) return std::nullopt;
    return kind == kPinned || kind == kManaged || kind == kManagedStatic;
  }

 private:
  // Memory operations of an export have the number of their row there, from 1.
  std::optional<int16_t> value(const profile::Column<int16_t>& column, Row memory_op,
                               MemoryOpKind kind) const {
    if (profile_.memory_ops.kind[memory_op] != kind) return std::nullopt;
    const auto row = static_cast<std::size_t>(profile_.memory_ops.source_id[memory_op] - 1);
    if (row >= column.size() || column[row] < 0 || column[row] == kUnknown) return std::nullopt;
    return column[row];
  }

  const Profile& profile_;
};

bool blocks_host(const profile::MemoryOps& ops, Row copy) {
  if (ops.copy_kind[copy] == kDeviceToDevice) return false;
  return ops.copy_kind[copy] != kHostToDevice || ops.bytes[copy] > kReturnsAtOnceBytes;
}

// The calls of a profile that fall under a rule.
class CallFinder {
 public:
  explicit CallFinder(const Profile& profile)
      : profile_(profile), kinds_(profile), memory_(profile) {
    for (Row row = 0; row < profile.memory_ops.size(); ++row) add_memory_op(row);
    add_waits(profile.syncs);
    add_waits(profile.api_calls);
    const auto key = [](const RuleCall& call) {
      return std::tuple(call.instance, call.start_ns, call.thread, call.rule);
    };
    std::ranges::sort(calls_, {}, key);
    const auto is_same = [&key](const RuleCall& kept, const RuleCall& next) {
      return key(kept) == key(next);
    };
    calls_.erase(std::unique(calls_.begin(), calls_.end(), is_same), calls_.end());
  }

  std::vector<RuleCall> take_calls() { return std::move(calls_); }
  bool lacks_memory_of_copies() const { return lacks_memory_of_copies_; }
  bool lacks_memory_of_memsets() const { return lacks_memory_of_memsets_; }

 private:
  template <typename Events>
  void add(CallRule rule, const Events& events, Row row) {
    calls_.push_back({rule, events.instance[row], events.name[row], events.thread[row],
                      events.api_start_ns[row], events.api_stop_ns[row]});
  }

  void add_memory_op(Row row) {
    const profile::MemoryOps& ops = profile_.memory_ops;
    switch (kinds_.of(ops.name[row])) {
      case CallKind::async_copy: {
        const std::optional<bool> pageable = memory_.is_pageable(row);
        if (!pageable) lacks_memory_of_copies_ = true;
        if (pageable.value_or(false)) add(CallRule::pageable_copy, ops, row);
        return;
      }
      case CallKind::synchronous_copy:
        if (blocks_host(ops, row)) add(CallRule::synchronous_copy, ops, row);
        return;
      case CallKind::synchronous_memset: {
        const std::optional<bool> of_host = memory_.is_of_host(row);
        if (!of_host) lacks_memory_of_memsets_ = true;
        if (of_host.value_or(false)) add(CallRule::synchronous_memset, ops, row);
        return;
      }
      case CallKind::wait:
      case CallKind::other:
        return;
    }
  }

  template <typename Events>
  void add_waits(const Events& events) {
    for (Row row = 0; row < events.size(); ++row) {
      if (kinds_.of(events.name[row]) == CallKind::wait) add(CallRule::wait, events, row);
    }
  }

  const Profile& profile_;
  CallKinds kinds_;
  MemoryKinds memory_;
  std::vector<RuleCall> calls_;
  bool lacks_memory_of_copies_ = false, lacks_memory_of_memsets_ = false;
};

// When GPUs work, in order of process and device.
std::vector<GpuWorkTimes> find_gpu_work(const Profile& profile) {
  std::map<std::pair<int64_t, Row>, std::vector<GpuWorkTimes::Event>> events;
  const profile::Kernels& kernels = profile.kernels;
  for (Row row = 0; row < kernels.size(); ++row) {
    const Row launch = kernels.launch[row];
    const Row thread = profile.launches.thread[launch];
    events[{profile.threads[thread].process_id, profile.launches.device[launch]}].push_back(
        {kernels.gpu_start_ns[row], kernels.gpu_stop_ns[row], kernels.instance[row]});
  }
  const profile::MemoryOps& ops = profile.memory_ops;
  for (Row row = 0; row < ops.size(); ++row) {
    events[{profile.threads[ops.thread[row]].process_id, ops.device[row]}].push_back(
        {ops.gpu_start_ns[row], ops.gpu_stop_ns[row], ops.instance[row]});
  }
  std::vector<GpuWorkTimes> gpus;
  for (auto& [where, work] : events) {
    gpus.emplace_back(where.first, where.second, std::move(work));
  }
  return gpus;
}

}  // namespace

RuleIndex::RuleIndex(const Profile& profile)
    : kernel_names_(profile), gpus_(find_gpu_work(profile)), idle_gaps_(profile, gpus_) {
  find_calls(profile);
  find_idle_calls(profile);
}

void RuleIndex::find_calls(const Profile& profile) {
  CallFinder finder(profile);
  calls_ = finder.take_calls();
  if (!profile::tells_of(profile, profile::Evidence::api_calls)) {
    untold_.push_back({"cuda_api_sync", kWaitsUnknown});
    untold_.push_back({"cuda_memcpy_sync", kCopiesUnknown});
  }
  if (finder.lacks_memory_of_copies()) untold_.push_back({"cuda_memcpy_async", kMemoryUnknown});
  if (finder.lacks_memory_of_memsets()) untold_.push_back({"cuda_memset_sync", kMemsetUnknown});
}

namespace {

// Calls of one process, and when its GPUs compute or, for waits, do anything.
struct ProcessCalls {
  std::vector<RuleCall*> calls;
  std::vector<base::Interval> busy;
};
// By process, and whether the calls wait.
using CallsByProcess = std::map<std::pair<int64_t, bool>, ProcessCalls>;

void add_busy_times(const Profile& profile, CallsByProcess& processes) {
  // By thread: of its process those that do not wait, and those that do; null = there are none.
  std::vector<std::array<ProcessCalls*, 2>> of_thread;
  for (const profile::Thread& thread : profile.threads) {
    const auto find = [&](bool waits) {
      const auto found = processes.find({thread.process_id, waits});
      return found == processes.end() ? nullptr : &found->second;
    };
    of_thread.push_back({find(false), find(true)});
  }
  const profile::Kernels& kernels = profile.kernels;
  for (Row row = 0; row < kernels.size(); ++row) {
    for (ProcessCalls* process : of_thread[profile.launches.thread[kernels.launch[row]]]) {
      if (process == nullptr) continue;
      process->busy.push_back({kernels.gpu_start_ns[row], kernels.gpu_stop_ns[row]});
    }
  }
  const profile::MemoryOps& ops = profile.memory_ops;
  for (Row row = 0; row < ops.size(); ++row) {
    ProcessCalls* process = of_thread[ops.thread[row]][1];
    if (process == nullptr) continue;
    process->busy.push_back({ops.gpu_start_ns[row], ops.gpu_stop_ns[row]});
  }
}

}  // namespace

void RuleIndex::find_idle_calls(const Profile& profile) {
  std::set<int64_t> processes;
  for (const GpuWorkTimes& gpu : gpus_) processes.insert(gpu.process_id());
  process_count_ = std::ssize(processes);
  std::array<std::vector<base::Interval>, kCallRules.size()> all;
  CallsByProcess by_process;
  for (RuleCall& call : calls_) {
    all[static_cast<std::size_t>(call.rule)].push_back({call.start_ns, call.stop_ns});
    const int64_t process_id = profile.threads[call.thread].process_id;
    by_process[{process_id, call.rule == CallRule::wait}].calls.push_back(&call);
  }
  for (const CallRule rule : kCallRules) {
    const auto r = static_cast<std::size_t>(rule);
    times_[r].in_calls = base::IntervalSet::union_of(std::move(all[r]));
  }
  add_busy_times(profile, by_process);
  for (auto& [key, process] : by_process) {
    const base::IntervalSet busy = base::IntervalSet::union_of(std::move(process.busy));
    std::array<std::vector<base::Interval>, kCallRules.size()> times;
    for (RuleCall* call : process.calls) {
      call->idle_ns = call->duration_ns() - busy.covered_ns(call->start_ns, call->stop_ns);
      times[static_cast<std::size_t>(call->rule)].push_back({call->start_ns, call->stop_ns});
    }
    for (std::size_t r = 0; r < times.size(); ++r) {
      if (times[r].empty()) continue;
      times_[r].idle.push_back(base::IntervalSet::union_of(std::move(times[r])).without(busy));
    }
  }
}

std::span<const RuleCall> RuleIndex::calls(Row first, Row last) const {
  const auto begin = std::ranges::lower_bound(calls_, first, {}, &RuleCall::instance);
  const auto end = std::ranges::lower_bound(begin, calls_.end(), last, {}, &RuleCall::instance);
  return {begin, end};
}

}  // namespace dlview::aggregate
