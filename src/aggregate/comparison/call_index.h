// CallIndex: how often ops are called and kernels launched in any range of instances. Built once
// for a profile; a count is two binary searches.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "aggregate/iterations.h"
#include "base/large_memory.h"
#include "profile/profile.h"

namespace dlview::aggregate {

class CallIndex {
 public:
  // Costs a pass over instances, kernels and memory operations, and 4 bytes for each. The profile
  // outlives it.
  explicit CallIndex(const profile::Profile& profile);

  std::size_t op_count() const { return first_instance_.size() - 1; }
  int64_t calls(profile::OpIndex op, const InstanceSpan& rows) const;
  // Of kernels with this Kernels::name, or memory operations with this MemoryOps::name.
  int64_t launches(profile::OpIndex op, profile::StringId name, const InstanceSpan& rows) const;

 private:
  static constexpr uint64_t key_of(profile::OpIndex op, profile::StringId name) {
    return uint64_t{profile::Row(op)} << 32U | name;
  }

  // By op: its instances are [first, next first) of a list in order of row.
  std::vector<std::size_t> first_instance_;
  base::LargeVector<profile::Row> instances_;
  // By (op, name), likewise: the instance of each launch.
  std::unordered_map<uint64_t, std::size_t> launch_list_;
  std::vector<std::size_t> first_launch_;
  base::LargeVector<profile::Row> launches_;
};

}  // namespace dlview::aggregate
