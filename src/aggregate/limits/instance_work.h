// The work of every op instance of a profile, from the shapes of its events: the parts that its
// kernels divide into.
//
// A part is one call and the kernels that it launches: in a PyTorch trace the innermost host event
// with a formula around the launching call, or without any the innermost event; elsewhere the
// instance itself. An event whose inner events have the work has none of its own: nested ops count
// once. The kernel times of the parts of an instance add up to those of its kernels.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "aggregate/limits/math_type.h"
#include "aggregate/limits/op_work.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// Calls of one kind: an op, its input shapes, the work, and how it ran.
struct WorkGroup {
  profile::OpIndex op{0};
  profile::StringId shapes = 0;  // input shapes of the call; 0 = the empty text, not recorded
  profile::StringId name = 0;    // of the call: "aten::addmm"; of DLProf the op type
  uint32_t work = 0;             // in WorkIndex::works
  std::string_view data_type;    // "bfloat16"; a text of the profile, or a literal
  // Name of the only kernel of each of these calls; kNoText = several, or none.
  profile::StringId kernel = profile::kNoText;
  bool uses_tensor_cores = false;  // any of its kernels
  bool operator==(const WorkGroup&) const = default;
};

class WorkIndex {
 public:
  // On all cores. O(events + kernels).
  explicit WorkIndex(const profile::Profile& profile);

  // Distinct; works()[0] is unknown.
  const std::vector<OpWork>& works() const { return works_; }
  // In order of op, then of the first call.
  const std::vector<WorkGroup>& groups() const { return groups_; }

  struct Sums {
    int64_t calls = 0, kernels = 0, kernel_ns = 0;
    bool operator==(const Sums&) const = default;
  };
  // Sums of a group over the instances [first, last). O(log n).
  Sums sums(std::size_t group, profile::InstanceIndex first, profile::InstanceIndex last) const;

  // The parts of all instances, in order of instance.
  struct Part {
    profile::InstanceIndex instance{0};
    uint32_t group = 0;
    int64_t kernels = 0, kernel_ns = 0;
  };
  std::span<const Part> parts() const { return parts_; }
  // The group of each kernel, by row.
  std::span<const uint32_t> group_of_kernel() const { return group_of_kernel_; }
  const WorkGroup& group_of(profile::KernelIndex kernel) const {
    return groups_[group_of_kernel_[kernel]];
  }

 private:
  void order_groups();
  void add_up();

  std::vector<OpWork> works_;
  std::vector<WorkGroup> groups_;
  std::vector<Part> parts_;
  std::vector<uint32_t> group_of_kernel_;
  // By group: its parts in order, rows [first_[g], first_[g + 1]), with sums before each.
  std::vector<std::size_t> first_;
  std::vector<profile::InstanceIndex> instances_;
  std::vector<Sums> before_;
};

}  // namespace dlview::aggregate
