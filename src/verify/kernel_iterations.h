// kernel_iteration_node: a row for each kernel of the range, with what its op launches in its
// iteration. As many rows as kernels, so they are made one by one, next to the stored ones.
#pragma once

#include <cstddef>
#include <vector>

#include "aggregate/aggregation.h"
#include "aggregate/instance_times.h"
#include "base/progress.h"
#include "base/result.h"
#include "base/value_table.h"
#include "import/dlprof/stored_tables.h"
#include "profile/profile.h"
#include "verify/compare.h"

namespace dlview::verify {

// Name, columns and keys, without rows.
base::ValueTable kernel_iteration_columns();

// The recomputed rows, in order of the kernels' ids in the file. Refers to both arguments.
class KernelIterations {
 public:
  KernelIterations(const profile::Profile& profile, const aggregate::Aggregation& aggregation);

  std::size_t size() const { return kernels_.size(); }
  std::vector<base::Value> row(std::size_t index) const;

 private:
  const profile::Profile& profile_;
  const aggregate::Aggregation& aggregation_;
  std::vector<profile::KernelIndex> kernels_;
  std::vector<std::vector<aggregate::OpKernels>> by_op_;  // of each iteration of the range
};

// Reads the stored rows while it compares; counts them on `progress`.
base::Result<Check> compare_kernel_iterations(const import::dlprof::StoredTables& stored,
                                              int64_t aggregation_id,
                                              const profile::Profile& profile,
                                              const aggregate::Aggregation& aggregation,
                                              base::Progress& progress);

}  // namespace dlview::verify
