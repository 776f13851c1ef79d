#include "aggregate/find_op.h"

#include <algorithm>

namespace dlview::aggregate {

const OpAggregate* find_op(const Aggregation& aggregation, profile::OpIndex op) {
  const auto found = std::ranges::lower_bound(aggregation.ops, op, {}, &OpAggregate::op);
  return found != aggregation.ops.end() && found->op == op ? &*found : nullptr;
}

}  // namespace dlview::aggregate
