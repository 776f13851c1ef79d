#include "aggregate/rules/blocking_calls.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "aggregate/host/launching_threads.h"
#include "aggregate/rules/copy_kinds.h"

namespace dlview::aggregate {
namespace {

using profile::MemoryOpKind;
using profile::Profile;
using profile::Row;

// ENUM_CUDA_MEM_KIND of an export.
constexpr int16_t kPageable = 0, kPinned = 1, kManaged = 4, kManagedStatic = 6, kUnknown = 7;
// From the host to the GPU copies of up to so many bytes return at once, says the CUDA manual.
constexpr int64_t kReturnsAtOnceBytes = 64 * 1024;
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

class CallFinder {
 public:
  explicit CallFinder(const Profile& profile)
      : profile_(profile),
        kinds_(profile),
        memory_(profile),
        launches_(launching_threads(profile)) {
    found_.rule_of_memory_op.assign(profile.memory_ops.size(), kNoRule);
    for (Row row = 0; row < profile.memory_ops.size(); ++row) add_memory_op(row);
    add_calls(profile.syncs);
    add_calls(profile.api_calls);
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
  void sort_by_thread() { std::ranges::stable_sort(found_.calls, is_before); }

  template <typename Events>
  void add(CallRule rule, const Events& events, Row row) {
    found_.calls.push_back({rule, events.instance[row], events.name[row], events.thread[row],
                            events.api_start_ns[row], events.api_stop_ns[row]});
  }

  std::optional<CallRule> rule_of(Row row) {
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
        return std::nullopt;
      }
      default:
        return std::nullopt;
    }
  }

  // A scalar's memory need not be known: whether the host waits for it is seen by the times.
  std::optional<CallRule> rule_of_async_copy(Row row) {
    if (is_scalar(row)) return CallRule::scalar_read;
    const std::optional<bool> pageable = memory_.is_pageable(row);
    if (!pageable) found_.lacks_memory_of_copies = true;
    if (!pageable.value_or(false) || returns_at_once(row)) return std::nullopt;
    return profile_.memory_ops.copy_kind[row] == kHostToDevice ? CallRule::pageable_copy_to_gpu
                                                               : CallRule::pageable_copy_to_host;
  }

  bool is_scalar(Row row) const {
    const profile::MemoryOps& ops = profile_.memory_ops;
    return ops.copy_kind[row] == kDeviceToHost && ops.bytes[row] <= kScalarBytes;
  }
  bool returns_at_once(Row row) const {
    const profile::MemoryOps& ops = profile_.memory_ops;
    if (ops.copy_kind[row] == kDeviceToDevice) return true;
    return ops.copy_kind[row] == kHostToDevice && ops.bytes[row] <= kReturnsAtOnceBytes;
  }

  void add_memory_op(Row row) {
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
      if (!launches_[events.thread[row]]) continue;
      switch (kinds_.of(events.name[row])) {
        case CallKind::synchronization:
          add(CallRule::synchronization, events, row);
          break;
        case CallKind::allocation:
          add(CallRule::allocation, events, row);
          break;
        case CallKind::event_wait:
          found_.event_waits[profile_.threads[events.thread[row]].process_id].push_back(
              {events.api_start_ns[row], events.api_stop_ns[row]});
          break;
        default:
          break;
      }
    }
  }

  // Starts of all launches of threads that read scalars, and which of these are such reads.
  struct Launch {
    Row thread = 0;
    int64_t start_ns = 0;
    Row scalar = profile::kNoRow;  // its memory operation
    auto key() const { return std::pair(thread, start_ns); }
  };
  std::vector<Launch> launches_of_readers() const {
    const profile::MemoryOps& ops = profile_.memory_ops;
    std::vector<bool> reads(profile_.threads.size());
    for (const auto& [thread, row] : scalars_) reads[thread] = true;
    std::vector<Launch> launches;
    const profile::Kernels& kernels = profile_.kernels;
    for (Row row = 0; row < kernels.size(); ++row) {
      const Row thread = profile_.launches.thread[kernels.launch[row]];
      if (reads[thread]) launches.push_back({thread, kernels.api_start_ns[row]});
    }
    constexpr auto kScalar = static_cast<uint8_t>(CallRule::scalar_read);
    for (Row row = 0; row < ops.size(); ++row) {
      if (!reads[ops.thread[row]]) continue;
      const bool is_scalar = found_.rule_of_memory_op[row] == kScalar;
      launches.push_back(
          {ops.thread[row], ops.api_start_ns[row], is_scalar ? row : profile::kNoRow});
    }
    std::ranges::stable_sort(launches, {}, &Launch::key);
    return launches;
  }

  // A synchronization that follows the copy of a scalar, with no launch between, waits for it. A
  // copy for which the host does not wait is no read.
  void join_scalars_with_synchronizations() {
    if (scalars_.empty()) return;
    const profile::MemoryOps& ops = profile_.memory_ops;
    std::map<std::pair<Row, int64_t>, Row> scalar_at;
    for (const auto& [thread, row] : scalars_) scalar_at[{thread, ops.api_start_ns[row]}] = row;
    const std::vector<Launch> launches = launches_of_readers();
    std::vector<int64_t> stop_ns(ops.size());
    for (const auto& [thread, row] : scalars_) stop_ns[row] = ops.api_stop_ns[row];
    std::erase_if(found_.calls, [&](const RuleCall& call) {
      if (call.rule != CallRule::synchronization) return false;
      const auto behind = std::ranges::upper_bound(launches, std::pair(call.thread, call.start_ns),
                                                   {}, &Launch::key);
      if (behind == launches.begin()) return false;
      const Launch& last = *std::prev(behind);
      if (last.thread != call.thread || last.scalar == profile::kNoRow) return false;
      stop_ns[last.scalar] = std::max(stop_ns[last.scalar], call.stop_ns);
      return true;
    });
    std::erase_if(found_.calls, [&](RuleCall& call) {
      if (call.rule != CallRule::scalar_read) return false;
      const Row row = scalar_at[{call.thread, call.start_ns}];
      call.stop_ns = stop_ns[row];
      const bool waits = call.stop_ns >= ops.gpu_stop_ns[row];
      if (!waits) found_.rule_of_memory_op[row] = kNoRule;
      return !waits;
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
  std::vector<std::pair<Row, Row>> scalars_;  // thread, memory operation
  BlockingCalls found_;
};

}  // namespace

BlockingCalls find_blocking_calls(const Profile& profile) {
  return CallFinder(profile).take();
}

}  // namespace dlview::aggregate
