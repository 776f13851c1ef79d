// The numbers of one op.
#pragma once

#include "aggregate/aggregation.h"

namespace dlview::aggregate {

// nullptr = the op has no instance in the range.
const OpAggregate* find_op(const Aggregation& aggregation, profile::OpIndex op);

}  // namespace dlview::aggregate
