#include "aggregate/rules/blocking_calls.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "aggregate/host/launching_threads.h"
#include "aggregate/range_paths.h"
#include "base/stop_point.h"
#include "profile/kinds.h"
#include "profile/recorded_work.h"

namespace dlview::aggregate {
namespace {

using profile::CopyDirection;
using profile::InstanceIndex;
using profile::KernelIndex;
using profile::MemoryKind;
using profile::MemoryOpIndex;
using profile::MemoryOpKind;
using profile::Profile;
using profile::Row;
using profile::ThreadIndex;

// From the host to the GPU copies of up to so many bytes return at once, says the CUDA manual.
constexpr int64_t kReturnsAtOnceBytes = 64 * 1024;
// A synchronization that finds everything done takes some microseconds under a profiler.
constexpr int64_t kReturnsAtOnceNs = 20'000;
// One number of the largest type that frameworks have, a complex one of two doubles.
constexpr int64_t kScalarBytes = 16;

enum class CallKind : uint8_t {
  other,
  async_copy,
  synchronous_copy,
  synchronous_memset,
  synchronization,
  event_wait,
  allocation
};

bool starts_with_any(std::string_view name, std::initializer_list<std::string_view> starts) {
  return std::ranges::any_of(starts, [&](auto start) { return name.starts_with(start); });
}

CallKind kind_of_call(std::string_view name) {
  if (starts_with_any(name, {"cudaDeviceSynchronize", "cudaThreadSynchronize",
                             "cudaStreamSynchronize", "cuCtxSynchronize", "cuStreamSynchronize"})) {
    return CallKind::synchronization;
  }
  if (starts_with_any(name, {"cudaEventSynchronize", "cuEventSynchronize"})) {
    return CallKind::event_wait;
  }
  const bool is_async = name.find("Async") != std::string_view::npos;
  if (name.find("Memcpy") != std::string_view::npos) {
    return is_async ? CallKind::async_copy : CallKind::synchronous_copy;
  }
  if (is_async) return CallKind::other;
  if (name.find("Memset") != std::string_view::npos) return CallKind::synchronous_memset;
  const bool allocates =
      starts_with_any(name, {"cudaMalloc", "cudaFree", "cudaHostAlloc", "cudaHostRegister",
                             "cudaHostUnregister", "cuMemAlloc", "cuMemFree", "cuMemHostAlloc",
                             "cuMemHostRegister", "cuMemHostUnregister", "cuMemCreate",
                             "cuMemRelease", "cuMemMap", "cuMemUnmap", "cuMemSetAccess"});
  const bool takes_from_pool = name.find("FromPool") != std::string_view::npos;
  return allocates && !takes_from_pool ? CallKind::allocation : CallKind::other;
}

// Of allocations: releasing memory waits until the GPU has done its work.
bool frees(std::string_view name) {
  return starts_with_any(name, {"cudaFree", "cuMemFree", "cuMemRelease", "cuMemUnmap"});
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

  std::optional<bool> is_pageable(MemoryOpIndex memory_op) const {
    if (!profile_.trace) return std::nullopt;
    const profile::TraceMemcpys& copies = profile_.trace->memcpys;
    const auto src = value(copies.src_kind, memory_op, MemoryOpKind::memcpy);
    const auto dst = value(copies.dst_kind, memory_op, MemoryOpKind::memcpy);
    if (src == MemoryKind::pageable || dst == MemoryKind::pageable) return true;
    if (!src || !dst) return std::nullopt;
    return false;
  }
  std::optional<bool> is_of_host(MemoryOpIndex memory_op) const {
    if (!profile_.trace) return std::nullopt;
    const auto kind = value(profile_.trace->memsets.memory_kind, memory_op, MemoryOpKind::memset);
    if (!kind) return std::nullopt;
    return kind == MemoryKind::pinned || kind == MemoryKind::managed ||
           kind == MemoryKind::managed_static;
  }

 private:
  std::optional<MemoryKind> value(const profile::Column<MemoryKind>& column,
                                  MemoryOpIndex memory_op, MemoryOpKind kind) const {
    if (profile_.memory_ops.kind[memory_op] != kind) return std::nullopt;
    const std::size_t row = profile::recorded_memory_op(profile_, memory_op).row;
    if (row >= column.size() || column[row] == MemoryKind::not_recorded ||
        column[row] == MemoryKind::unknown) {
      return std::nullopt;
    }
    return column[row];
  }

  const Profile& profile_;
};

class CallFinder {
 public:
  explicit CallFinder(const Profile& profile)
      : profile_(profile),
        kinds_(profile),
        memory_(profile),
        launches_(launching_threads(profile)) {
    found_.lacks_bytes =
        profile.trace && profile.trace->memcpys.size() > 0 && profile.trace->memcpys.bytes.empty();
    found_.rule_of_memory_op.assign(profile.memory_ops.size(), kNoRule);
    for (MemoryOpIndex row{0}; row < profile.memory_ops.size(); ++row) add_memory_op(row);
    add_calls(profile.syncs);
    add_calls(profile.api_calls);
    add_calls_outside_ops();
    sort_by_thread();
    join_scalars_with_synchronizations();
    keep_each_once();
    std::ranges::sort(found_.calls, {}, [](const RuleCall& call) {
      return std::tuple(call.instance, call.start_ns, call.thread, call.rule);
    });
  }

  BlockingCalls take() { return std::move(found_); }

 private:
  static bool is_before(const RuleCall& a, const RuleCall& b) {
    return std::tuple(a.thread, a.start_ns, b.stop_ns, a.rule) <
           std::tuple(b.thread, b.start_ns, a.stop_ns, b.rule);
  }
  void sort_by_thread() {
    base::stop_point();
    std::ranges::stable_sort(found_.calls, is_before);
    base::stop_point();
  }

  template <typename Events>
  void add(CallRule rule, const Events& events, Row row) {
    found_.calls.push_back({.rule = rule,
                            .instance = events.instance[row],
                            .name = events.name[row],
                            .thread = events.thread[row],
                            .start_ns = events.api_start_ns[row],
                            .stop_ns = events.api_stop_ns[row]});
  }

  std::optional<CallRule> rule_of(MemoryOpIndex row) {
    const profile::MemoryOps& ops = profile_.memory_ops;
    switch (kinds_.of(ops.name[row])) {
      case CallKind::async_copy:
        return rule_of_async_copy(row);
      case CallKind::synchronous_copy:
        if (is_scalar(row)) return CallRule::scalar_read;
        if (returns_at_once(row)) return std::nullopt;
        return CallRule::synchronous_copy;
      case CallKind::synchronous_memset: {
        const std::optional<bool> of_host = memory_.is_of_host(row);
        if (!of_host) found_.lacks_memory_of_memsets = true;
        if (of_host.value_or(false)) return CallRule::synchronous_memset;
        if (!of_host) note_wait(row);
        return std::nullopt;
      }
      default:
        return std::nullopt;
    }
  }

  // A scalar's memory need not be known: whether the host waits for it is seen by the times.
  std::optional<CallRule> rule_of_async_copy(MemoryOpIndex row) {
    if (is_scalar(row)) return CallRule::scalar_read;
    const std::optional<bool> pageable = memory_.is_pageable(row);
    if (!pageable) {
      found_.lacks_memory_of_copies = true;
      note_wait(row);
    }
    if (!pageable.value_or(false) || returns_at_once(row)) return std::nullopt;
    return direction(row) == CopyDirection::to_device ? CallRule::pageable_copy_to_gpu
                                                      : CallRule::pageable_copy_to_host;
  }

  CopyDirection direction(MemoryOpIndex row) const {
    return profile::direction_of(profile_.memory_ops.copy_kind[row]);
  }
  bool is_scalar(MemoryOpIndex row) const {
    return direction(row) == CopyDirection::to_host && !found_.lacks_bytes &&
           profile_.memory_ops.bytes[row] <= kScalarBytes;
  }
  bool returns_at_once(MemoryOpIndex row) const {
    if (direction(row) == CopyDirection::within_devices) return true;
    return direction(row) == CopyDirection::to_device && !found_.lacks_bytes &&
           profile_.memory_ops.bytes[row] <= kReturnsAtOnceBytes;
  }
  // The host waited if the call ended no earlier than its work.
  void note_wait(MemoryOpIndex row) {
    const profile::MemoryOps& ops = profile_.memory_ops;
    if (!launches_[ops.thread[row]] || ops.api_stop_ns[row] < ops.gpu_stop_ns[row]) return;
    found_.other_waits[profile_.threads[ops.thread[row]].process_id].push_back(
        {ops.api_start_ns[row], ops.api_stop_ns[row]});
  }

  void add_memory_op(MemoryOpIndex row) {
    base::stop_point();
    const profile::MemoryOps& ops = profile_.memory_ops;
    const std::optional<CallRule> rule = rule_of(row);
    if (!rule || !launches_[ops.thread[row]]) return;
    found_.rule_of_memory_op[row] = static_cast<uint8_t>(*rule);
    if (*rule == CallRule::scalar_read) scalars_.push_back({ops.thread[row], row});
    add(*rule, ops, row);
  }

  template <typename Events>
  void add_calls(const Events& events) {
    for (Row row = 0; row < events.size(); ++row) {
      add_call({events.instance[row], events.name[row], events.thread[row],
                events.api_start_ns[row], events.api_stop_ns[row]});
    }
  }

  struct Call {
    InstanceIndex instance{0};
    profile::StringId name = 0;
    ThreadIndex thread{0};
    int64_t start_ns = 0, stop_ns = 0;
  };
  void add_call(const Call& call) {
    base::stop_point();
    if (!launches_[call.thread]) return;
    const CallKind kind = kinds_.of(call.name);
    if (kind == CallKind::event_wait) {
      found_.other_waits[profile_.threads[call.thread].process_id].push_back(
          {call.start_ns, call.stop_ns});
    } else if (kind == CallKind::synchronization || kind == CallKind::allocation) {
      const bool allocates = kind == CallKind::allocation;
      found_.calls.push_back({.rule = allocates ? CallRule::allocation : CallRule::synchronization,
                              .instance = call.instance,
                              .name = call.name,
                              .thread = call.thread,
                              .start_ns = call.start_ns,
                              .stop_ns = call.stop_ns,
                              .waits_for_gpu = !allocates || frees(profile_.text(call.name))});
    }
  }

  // An export has calls outside of all ops, which Profile::api_calls leaves out. They hold up the
  // work that their thread launches next, and belong to its op.
  void add_calls_outside_ops() {
    if (!profile_.trace) return;
    const profile::TraceApiCalls& calls = profile_.trace->api_calls;
    if (calls.name.size() != calls.size() || calls.thread.size() != calls.size()) return;
    std::map<ThreadKey, ThreadIndex> threads;
    for (ThreadIndex i{0}; i < profile_.threads.size(); ++i) {
      if (launches_[i]) threads.emplace(key_of(profile_.threads[i]), i);
    }
    std::set<std::pair<ThreadIndex, int64_t>> known;
    for (const RuleCall& call : found_.calls) known.emplace(call.thread, call.start_ns);
    std::vector<Call> outside;
    for (std::size_t row = 0; row < calls.size(); ++row) {
      if (calls.name[row] == profile::kNoText) continue;
      const CallKind kind = kinds_.of(calls.name[row]);
      if (kind != CallKind::synchronization && kind != CallKind::allocation) continue;
      const auto thread = threads.find(key_of(profile_.trace->numbers_of(calls.thread[row])));
      if (thread == threads.end() || known.contains({thread->second, calls.start_ns[row]})) {
        continue;
      }
      outside.push_back({InstanceIndex(), calls.name[row], thread->second, calls.start_ns[row],
                         calls.end_ns[row]});
    }
    if (outside.empty()) return;
    const auto key = [](const Call& call) { return std::pair(call.thread, call.start_ns); };
    std::vector<Call> launches = launches_by_thread();
    base::stop_point();
    std::ranges::sort(launches, {}, key);
    for (Call& call : outside) {
      const auto next = std::ranges::lower_bound(launches, key(call), {}, key);
      if (next == launches.end() || next->thread != call.thread) continue;
      call.instance = next->instance;
      add_call(call);
    }
  }

  std::vector<Call> launches_by_thread() const {
    const profile::Kernels& kernels = profile_.kernels;
    const profile::MemoryOps& ops = profile_.memory_ops;
    std::vector<Call> launches;
    launches.reserve(kernels.size() + ops.size());
    for (KernelIndex row{0}; row < kernels.size(); ++row) {
      launches.push_back({kernels.instance[row], 0, profile_.launches.thread[kernels.launch[row]],
                          kernels.api_start_ns[row], 0});
    }
    for (MemoryOpIndex row{0}; row < ops.size(); ++row) {
      launches.push_back({ops.instance[row], 0, ops.thread[row], ops.api_start_ns[row], 0});
    }
    return launches;
  }

  // Starts of all launches of threads that read scalars, and which of these are such reads.
  struct Launch {
    ThreadIndex thread{0};
    int64_t start_ns = 0;
    MemoryOpIndex scalar{};  // its memory operation
    auto key() const { return std::pair(thread, start_ns); }
  };
  std::vector<Launch> launches_of_readers() const {
    const profile::MemoryOps& ops = profile_.memory_ops;
    std::vector<bool> reads(profile_.threads.size());
    for (const auto& [thread, row] : scalars_) reads[thread] = true;
    std::vector<Launch> launches;
    const profile::Kernels& kernels = profile_.kernels;
    for (KernelIndex row{0}; row < kernels.size(); ++row) {
      const ThreadIndex thread = profile_.launches.thread[kernels.launch[row]];
      if (reads[thread]) launches.push_back({thread, kernels.api_start_ns[row]});
      base::stop_point();
    }
    constexpr auto kScalar = static_cast<uint8_t>(CallRule::scalar_read);
    for (MemoryOpIndex row{0}; row < ops.size(); ++row) {
      if (!reads[ops.thread[row]]) continue;
      const bool is_scalar = found_.rule_of_memory_op[row] == kScalar;
      launches.push_back(
          {ops.thread[row], ops.api_start_ns[row], is_scalar ? row : MemoryOpIndex()});
    }
    base::stop_point();
    std::ranges::stable_sort(launches, {}, &Launch::key);
    base::stop_point();
    return launches;
  }

  // A synchronization waits for a scalar if it follows the copy, with no launch between, and begins
  // before the copy is done or returns at once, because nothing else is left to do. A copy for
  // which the host does not wait is no read.
  void join_scalars_with_synchronizations() {
    if (scalars_.empty()) return;
    const profile::MemoryOps& ops = profile_.memory_ops;
    const std::vector<Launch> launches = launches_of_readers();
    const auto awaited_by = [&](const RuleCall& call) -> MemoryOpIndex {
      if (call.rule != CallRule::synchronization) return {};
      const auto behind = std::ranges::upper_bound(launches, std::pair(call.thread, call.start_ns),
                                                   {}, &Launch::key);
      if (behind == launches.begin()) return {};
      const Launch& last = *std::prev(behind);
      if (last.thread != call.thread || last.scalar == profile::kNoRow) return {};
      const bool waits_for_it =
          call.start_ns < ops.gpu_stop_ns[last.scalar] || call.duration_ns() <= kReturnsAtOnceNs;
      return waits_for_it ? last.scalar : MemoryOpIndex();
    };
    std::map<MemoryOpIndex, int64_t> waited_until_ns;
    std::map<std::pair<ThreadIndex, int64_t>, MemoryOpIndex> scalar_at;
    for (const auto& [thread, row] : scalars_) {
      waited_until_ns[row] = ops.api_stop_ns[row];
      scalar_at[{thread, ops.api_start_ns[row]}] = row;
    }
    for (const RuleCall& call : found_.calls) {
      const MemoryOpIndex scalar = awaited_by(call);
      if (scalar == profile::kNoRow) continue;
      waited_until_ns[scalar] = std::max(waited_until_ns[scalar], call.stop_ns);
    }
    const auto is_read = [&](MemoryOpIndex scalar) {
      return waited_until_ns[scalar] >= ops.gpu_stop_ns[scalar];
    };
    for (RuleCall& call : found_.calls) {
      const MemoryOpIndex scalar = awaited_by(call);
      if (scalar == profile::kNoRow || !is_read(scalar)) continue;
      call.rule = CallRule::scalar_read;
      call.completes_read = true;
    }
    std::erase_if(found_.calls, [&](const RuleCall& call) {
      if (call.rule != CallRule::scalar_read || call.completes_read) return false;
      const MemoryOpIndex row = scalar_at.at({call.thread, call.start_ns});
      if (is_read(row)) return false;
      found_.rule_of_memory_op[row] = kNoRule;
      return true;
    });
  }

  // Several rows tell of one call, and a call of the runtime may contain one of the driver.
  void keep_each_once() {
    std::array<const RuleCall*, kCallRules.size()> last{};
    std::vector<RuleCall> kept;
    kept.reserve(found_.calls.size());
    for (const RuleCall& call : found_.calls) {
      const RuleCall*& before = last[static_cast<std::size_t>(call.rule)];
      if (before != nullptr && before->thread == call.thread && call.stop_ns <= before->stop_ns) {
        continue;
      }
      kept.push_back(call);
      before = &kept.back();
    }
    found_.calls = std::move(kept);
  }

  const Profile& profile_;
  CallKinds kinds_;
  MemoryKinds memory_;
  std::vector<bool> launches_;
  std::vector<std::pair<ThreadIndex, MemoryOpIndex>> scalars_;
  BlockingCalls found_;
};

}  // namespace

BlockingCalls find_blocking_calls(const Profile& profile) {
  return CallFinder(profile).take();
}

}  // namespace dlview::aggregate
