// Sums over a range that an Aggregation does not have, because they need a look at each of its
// rows: kernels by launch configuration, op instances by input shapes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/launch_means.h"
#include "aggregate/row_filter.h"
#include "aggregate/stats.h"
#include "profile/profile.h"

namespace dlview::aggregate {

// Kernels of one name with the same grid, block, registers and shared memory.
struct LaunchConfiguration {
  struct Size {
    profile::Dim3 grid, block;
    bool operator==(const Size&) const = default;
  };
  profile::StringId name = 0;
  std::optional<Size> size;                                   // nullopt = not recorded
  std::optional<int64_t> registers_per_thread, shared_bytes;  // nullopt = not recorded
  Stats gpu;                                                  // of single kernels, ns
  bool uses_tensor_cores = false;
  LaunchMeans means;
  bool operator==(const LaunchConfiguration&) const = default;
};

// Instances of one op with the same input shapes.
struct OpShapes {
  profile::OpIndex op{0};
  profile::StringId input_shapes = 0;  // as the first of them has it; read it with shapes_text()
  TimeStats times;
  int64_t kernel_count = 0, tensor_core_kernels = 0;
  bool operator==(const OpShapes&) const = default;
};

// What is counted: the instances [first, last) of the ops that are set in `ops` (empty = all), and
// what the filter counts of them (null = all).
struct CountedRows {
  profile::InstanceIndex first{0}, last{0};
  std::vector<bool> ops;  // by OpIndex
  const RowFilter* filter = nullptr;

  bool has_op(profile::OpIndex op) const { return ops.empty() || ops[op]; }
};

// The shapes without line breaks at the end, which JSON of DLProf has; "" where none are recorded,
// which is an empty text or "null". Shapes are the same if this is.
std::string_view shapes_text(const profile::Profile& profile, profile::StringId shapes);

// All run on all cores. Rows in order of the first kernel or instance of each.
std::vector<LaunchConfiguration> launch_configurations(const profile::Profile& profile,
                                                       const CountedRows& rows);
// The means of the rows of launch_configurations() by kernel name; empty if the profile has none.
std::unordered_map<profile::StringId, LaunchMeans> launch_means_by_name(
    const profile::Profile& profile, const CountedRows& rows);
std::vector<OpShapes> ops_by_shapes(const profile::Profile& profile, const CountedRows& rows);

}  // namespace dlview::aggregate
