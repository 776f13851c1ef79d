// Ops and their instances, and the way from an event's (op, index of the instance) to the instance.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "import/dlprof/tables.h"
#include "import/id_map.h"
#include "import/times.h"
#include "profile/profile.h"

namespace dlview::import::dlprof {

class OpLookup {
 public:
  void add_op(int64_t op_id, profile::Row row);
  // In order of the instances' ids; kNoRow holds the place of an instance that cannot be used,
  // because events count the instances of the file.
  void add_instance(profile::Row op, profile::Row row);

  std::optional<profile::Row> op(int64_t op_id) const { return ops_.find(op_id); }
  // Builder rows of the op's instances.
  std::span<const profile::Row> instances(profile::Row op) const { return instances_[op]; }

 private:
  IdMap<profile::Row> ops_;
  std::vector<std::vector<profile::Row>> instances_;  // by row of the op
};

base::Status read_ops(Context& context, OpLookup& lookup);
base::Status read_op_instances(Context& context, OpLookup& lookup, TimeBudget& budget);

}  // namespace dlview::import::dlprof
