// Steps: an export of two steps, for tests of the detectors that look at events.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "aggregate/aggregator.h"
#include "aggregate/findings.h"
#include "aggregate/rules/rules.h"
#include "profile/builder.h"

namespace dlview::aggregate {

using profile::MemoryOpKind;
using profile::Row;

inline constexpr auto kPageable = profile::MemoryKind::pageable,
                      kPinned = profile::MemoryKind::pinned, kDevice = profile::MemoryKind::device,
                      kManaged = profile::MemoryKind::managed;
inline constexpr auto kToDevice = profile::CopyKind::host_to_device,
                      kFromDevice = profile::CopyKind::device_to_host,
                      kOnDevice = profile::CopyKind::device_to_device;
inline constexpr int64_t kLarge = 64 * 1024 + 1;

// An export of two steps of 999 and 1000 ns, from 0 to 999 and from 1000 to 2000, whose memory
// operations are of one op.
class Steps {
 public:
  Steps() {
    builder_.add_device({});
    thread_ = builder_.intern_thread({7, 1});
    const Row step = add_op("step");
    const Row copy = add_op("copy");
    for (const int64_t start : {0, 1000}) {
      add_instance(step, start, start + 1);
      instances_.push_back(add_instance(copy, start + 10, start + 990));
    }
    add_instance(step, 2001, 2002);
  }

  // In step 0 or 1; its call lasts from start to stop.
  void copy(std::string_view call, std::size_t step, int64_t start_ns, int64_t stop_ns,
            profile::MemoryKind src_kind, profile::MemoryKind dst_kind, profile::CopyKind copy_kind,
            int64_t bytes = kLarge, base::Interval gpu = {}) {
    src_kinds_.push_back(src_kind);
    dst_kinds_.push_back(dst_kind);
    add_memory_op(MemoryOpKind::memcpy, call, step, start_ns, stop_ns, copy_kind, bytes,
                  src_kinds_.size(), gpu);
  }
  void memset(std::string_view call, std::size_t step, int64_t start_ns, int64_t stop_ns,
              profile::MemoryKind memory_kind) {
    memory_kinds_.push_back(memory_kind);
    add_memory_op(MemoryOpKind::memset, call, step, start_ns, stop_ns, profile::CopyKind::unknown,
                  1, memory_kinds_.size());
  }
  void sync(std::string_view call, std::size_t step, int64_t start_ns, int64_t stop_ns,
            profile::Thread thread = {7, 1}) {
    builder_.add_sync({.instance = instances_[step],
                       .name = builder_.intern(call),
                       .api_start_ns = start_ns,
                       .api_stop_ns = stop_ns,
                       .thread = builder_.intern_thread(thread)});
  }
  void call(std::string_view name, std::size_t step, int64_t start_ns, int64_t stop_ns) {
    builder_.add_api_call({.instance = instances_[step],
                           .name = builder_.intern(name),
                           .api_start_ns = start_ns,
                           .api_stop_ns = stop_ns,
                           .thread = thread_});
  }
  // Launched `latency_ns` before it starts.
  void kernel(std::size_t step, int64_t start_ns, int64_t stop_ns, profile::Thread thread = {7, 1},
              int64_t latency_ns = 2) {
    builder_.add_kernel(
        {.instance = instances_[step],
         .api_start_ns = start_ns - latency_ns,
         .api_stop_ns = start_ns - latency_ns,
         .gpu_start_ns = start_ns,
         .gpu_stop_ns = stop_ns,
         .launch = builder_.intern_launch({{}, {}, 0, builder_.intern_thread(thread)})});
  }
  void forget_memory_kinds() {
    src_kinds_.clear();
    memory_kinds_.clear();
  }

  void finish(bool is_export = true) {
    profile::Profile profile = std::move(builder_).finish();
    if (is_export) {
      profile.trace.emplace();
      profile.trace->memcpys.src_kind = src_kinds_;
      profile.trace->memcpys.dst_kind = dst_kinds_;
      profile.trace->memsets.memory_kind = memory_kinds_;
    }
    profile_ = std::make_shared<const profile::Profile>(std::move(profile));
    index_ = std::make_unique<const RuleIndex>(*profile_);
  }

  // Of a finished run.
  std::vector<Finding> found(IterationRange range, const AdviceThresholds& thresholds = {}) const {
    const Aggregation aggregation =
        make_cpu_aggregator(profile_)->aggregate({{CutKind::start, "step", 0}, range});
    return find_findings(*profile_, aggregation, thresholds, index_.get(), 2).findings;
  }
  const profile::Profile& profile() const { return *profile_; }
  const RuleIndex& index() const { return *index_; }

 private:
  Row add_op(std::string_view name) {
    profile::OpRow row;
    row.id = row.name = builder_.intern(name);
    return builder_.add_op(row);
  }
  Row add_instance(Row op, int64_t start_ns, int64_t stop_ns) {
    profile::OpInstanceRow row;
    row.op = op;
    row.cpu_start_ns = start_ns;
    row.cpu_stop_ns = stop_ns;
    row.thread = thread_;
    return builder_.add_instance(row);
  }
  void add_memory_op(MemoryOpKind kind, std::string_view call, std::size_t step, int64_t start_ns,
                     int64_t stop_ns, profile::CopyKind copy_kind, int64_t bytes,
                     std::size_t source_id, base::Interval gpu = {}) {
    builder_.add_memory_op({.instance = instances_[step],
                            .kind = kind,
                            .name = builder_.intern(call),
                            .copy_kind = copy_kind,
                            .bytes = bytes,
                            .api_start_ns = start_ns,
                            .api_stop_ns = stop_ns,
                            .gpu_start_ns = gpu.start_ns,
                            .gpu_stop_ns = gpu.stop_ns,
                            .thread = thread_,
                            .source_id = static_cast<int64_t>(source_id)});
  }

  profile::ProfileBuilder builder_;
  Row thread_ = 0;
  std::vector<Row> instances_;
  std::vector<profile::MemoryKind> src_kinds_, dst_kinds_, memory_kinds_;
  std::shared_ptr<const profile::Profile> profile_;
  std::unique_ptr<const RuleIndex> index_;
};

inline const Finding* finding_of(const std::vector<Finding>& findings, std::string_view detector) {
  return find_finding(findings, detector);
}

}  // namespace dlview::aggregate
